// C = A * dequantise(W), with int4 weights: two weights per byte and one scale
// for each group of 32 rows and each column.
//
//   W[k, n] = (nibble - 8) * scale[k / 32, n]
//
// Byte row r of Wq holds row 2r in its low nibble and row 2r + 1 in its high
// one. The packed tile and the scales travel asynchronously; the expansion to
// fp16 is a statement of its own in front of the matmul.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @dequant_gemm(%A: memref<?x?xf16>, %Wq: memref<?x?xi8>,
                        %scale: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %mask = arith.constant 15 : i32
  %bias = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf16>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %Wq, %c1 : memref<?x?xi8>
  %blocks_m = arith.ceildivui %M, %c64 : index
  %blocks_n = arith.ceildivui %N, %c64 : index
  %steps = arith.ceildivui %K, %c32 : index

  tile.launch (%by, %bx) in [%blocks_m, %blocks_n] threads = 128 {
    %row = arith.muli %by, %c64 : index
    %column = arith.muli %bx, %c64 : index
    %As = tile.alloc {name = "As"} : memref<64x32xf16, #shared>
    %Ws = tile.alloc {name = "Ws"} : memref<16x64xi8, #shared>
    %Ss = tile.alloc {name = "Ss"} : memref<64xf16, #shared>
    %Wd = tile.alloc {name = "Wd"} : memref<32x64xf16, #shared>
    %Cl = tile.alloc {name = "Cl"} : memref<64x64xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<64x64xf32, #fragment>
    tile.pipeline %ko = %c0 to %steps step %c1 num_stages = 3 {
      %k = arith.muli %ko, %c32 : index
      %byte_row = arith.muli %ko, %c16 : index
      tile.copy %A[%row, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
      tile.copy %Wq[%byte_row, %column] to %Ws : memref<?x?xi8> to memref<16x64xi8, #shared>
      tile.copy %scale[%ko, %column] to %Ss : memref<?x?xf16> to memref<64xf16, #shared>
      tile.map (%i, %j) in [32, 64] {
        %half = arith.divui %i, %c2 : index
        %byte = memref.load %Ws[%half, %j] : memref<16x64xi8, #shared>
        %word = arith.extui %byte : i8 to i32
        %odd = arith.remui %i, %c2 : index
        %bits = arith.muli %odd, %c4 : index
        %shift = arith.index_cast %bits : index to i32
        %low = arith.shrui %word, %shift : i32
        %nibble = arith.andi %low, %mask : i32
        %signed = arith.subi %nibble, %bias : i32
        %value = arith.sitofp %signed : i32 to f16
        %s = memref.load %Ss[%j] : memref<64xf16, #shared>
        %w = arith.mulf %value, %s : f16
        memref.store %w, %Wd[%i, %j] : memref<32x64xf16, #shared>
      }
      tile.gemm %As, %Wd, %Cl
          : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>
    }
    tile.copy %Cl to %C[%row, %column] sizes [64, 64]
        : memref<64x64xf32, #fragment> to memref<?x?xf32>
  }
  return
}
