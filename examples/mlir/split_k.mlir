// C += A * B with the K dimension split over several blocks, for small outputs
// that would leave most of the machine idle.
//
// The third grid dimension says which part of K a block sums up. Blocks of one
// output tile add their partial sums to C atomically, so C must start at the
// value to add to (zero for a plain product), and the order of the sums is not
// fixed.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @split_k(%A: memref<?x?xf16> {tile.sizes = ["m", "k"]},
                   %B: memref<?x?xf16> {tile.sizes = ["k", "n"]},
                   %C: memref<?x?xf32> {tile.sizes = ["m", "n"]},
                   %splits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf16>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %blocks_m = arith.ceildivui %M, %c64 : index
  %blocks_n = arith.ceildivui %N, %c64 : index
  %steps = arith.ceildivui %K, %c32 : index
  %share = arith.ceildivui %steps, %splits : index

  tile.launch (%by, %bx, %bk) in [%blocks_m, %blocks_n, %splits] threads = 128 {
    %row = arith.muli %by, %c64 : index
    %column = arith.muli %bx, %c64 : index
    // Steps [first, last) are mine; the last block may have fewer or none.
    %first = arith.muli %bk, %share : index
    %end = arith.addi %first, %share : index
    %last = arith.minui %end, %steps : index
    %As = tile.alloc {name = "As"} : memref<64x32xf16, #shared>
    %Bs = tile.alloc {name = "Bs"} : memref<32x64xf16, #shared>
    %Cl = tile.alloc {name = "Cl"} : memref<64x64xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<64x64xf32, #fragment>
    tile.pipeline %ko = %first to %last step %c1 num_stages = 3 {
      %k = arith.muli %ko, %c32 : index
      tile.copy %A[%row, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
      tile.copy %B[%k, %column] to %Bs : memref<?x?xf16> to memref<32x64xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>
    }
    tile.map (%i, %j) in [64, 64] {
      %m = arith.addi %row, %i : index
      %n = arith.addi %column, %j : index
      %in_m = arith.cmpi ult, %m, %M : index
      %in_n = arith.cmpi ult, %n, %N : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        %sum = memref.load %Cl[%i, %j] : memref<64x64xf32, #fragment>
        tile.atomic <add> %sum, %C[%m, %n] : f32, memref<?x?xf32>
      }
    }
  }
  return
}
