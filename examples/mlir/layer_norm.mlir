// Layer normalisation of each row: Y = (X - mean) / sqrt(variance + eps) * gamma
// + beta.
//
// A block owns 8 rows and walks along them twice in pieces of 64 columns: first to
// sum up, then to normalise. Both loops are pipelined and share the tile Xs. Zeros
// past the end of a row do not change the sums, so any width is right.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @layer_norm(%X: memref<?x?xf32>, %gamma: memref<?xf32>,
                      %beta: memref<?xf32>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = memref.dim %X, %c0 : memref<?x?xf32>
  %columns = memref.dim %X, %c1 : memref<?x?xf32>
  %blocks = arith.ceildivui %rows, %c8 : index
  %steps = arith.ceildivui %columns, %c64 : index
  %count_int = arith.index_cast %columns : index to i32
  %count = arith.sitofp %count_int : i32 to f32

  tile.launch (%b) in [%blocks] threads = 128 {
    %row = arith.muli %b, %c8 : index
    %Xs = tile.alloc {name = "Xs"} : memref<8x64xf32, #shared>
    %Gs = tile.alloc {name = "Gs"} : memref<64xf32, #shared>
    %Bs = tile.alloc {name = "Bs"} : memref<64xf32, #shared>
    %square = tile.alloc {name = "square"} : memref<8x64xf32, #fragment>
    %Yl = tile.alloc {name = "Yl"} : memref<8x64xf32, #fragment>
    %mean = tile.alloc {name = "mean"} : memref<8xf32, #fragment>
    %scale = tile.alloc {name = "scale"} : memref<8xf32, #fragment>
    tile.fill %mean with %zero : f32, memref<8xf32, #fragment>
    tile.fill %scale with %zero : f32, memref<8xf32, #fragment>

    // Sums of the elements (in `mean`) and of their squares (in `scale`).
    tile.pipeline %s = %c0 to %steps step %c1 num_stages = 3 {
      %column = arith.muli %s, %c64 : index
      tile.copy %X[%row, %column] to %Xs : memref<?x?xf32> to memref<8x64xf32, #shared>
      tile.map (%i, %j) in [8, 64] {
        %x = memref.load %Xs[%i, %j] : memref<8x64xf32, #shared>
        %xx = arith.mulf %x, %x : f32
        memref.store %xx, %square[%i, %j] : memref<8x64xf32, #fragment>
      }
      tile.reduce <sum> %Xs into %mean dimension 1
          : memref<8x64xf32, #shared>, memref<8xf32, #fragment>
      tile.reduce <sum> %square into %scale dimension 1
          : memref<8x64xf32, #fragment>, memref<8xf32, #fragment>
    }
    tile.map (%i) in [8] {
      %sum = memref.load %mean[%i] : memref<8xf32, #fragment>
      %squares = memref.load %scale[%i] : memref<8xf32, #fragment>
      %average = arith.divf %sum, %count : f32
      %average_square = arith.divf %squares, %count : f32
      %correction = arith.mulf %average, %average : f32
      %variance = arith.subf %average_square, %correction : f32
      %safe = arith.addf %variance, %eps : f32
      %factor = math.rsqrt %safe : f32
      memref.store %average, %mean[%i] : memref<8xf32, #fragment>
      memref.store %factor, %scale[%i] : memref<8xf32, #fragment>
    }

    tile.pipeline %s = %c0 to %steps step %c1 num_stages = 2 {
      %column = arith.muli %s, %c64 : index
      tile.copy %X[%row, %column] to %Xs : memref<?x?xf32> to memref<8x64xf32, #shared>
      tile.copy %gamma[%column] to %Gs : memref<?xf32> to memref<64xf32, #shared>
      tile.copy %beta[%column] to %Bs : memref<?xf32> to memref<64xf32, #shared>
      tile.map (%i, %j) in [8, 64] {
        %x = memref.load %Xs[%i, %j] : memref<8x64xf32, #shared>
        %average = memref.load %mean[%i] : memref<8xf32, #fragment>
        %factor = memref.load %scale[%i] : memref<8xf32, #fragment>
        %g = memref.load %Gs[%j] : memref<64xf32, #shared>
        %h = memref.load %Bs[%j] : memref<64xf32, #shared>
        %centred = arith.subf %x, %average : f32
        %normal = arith.mulf %centred, %factor : f32
        %scaled = arith.mulf %normal, %g : f32
        %y = arith.addf %scaled, %h : f32
        memref.store %y, %Yl[%i, %j] : memref<8x64xf32, #fragment>
      }
      tile.copy %Yl to %Y[%row, %column] sizes [8, 64]
          : memref<8x64xf32, #fragment> to memref<?x?xf32>
    }
  }
  return
}
