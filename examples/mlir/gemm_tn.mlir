// C = A^T * B: as gemm.mlir, with A stored as K x M (the product of a weight
// gradient). Depth 4: three steps are loaded ahead.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @gemm_tn(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c0 : memref<?x?xf16>
  %M = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %blocks_m = arith.ceildivui %M, %c64 : index
  %blocks_n = arith.ceildivui %N, %c64 : index
  %steps = arith.ceildivui %K, %c32 : index

  tile.launch (%by, %bx) in [%blocks_m, %blocks_n] threads = 128 {
    %row = arith.muli %by, %c64 : index
    %column = arith.muli %bx, %c64 : index
    %As = tile.alloc {name = "As"} : memref<32x64xf16, #shared>
    %Bs = tile.alloc {name = "Bs"} : memref<32x64xf16, #shared>
    %Cl = tile.alloc {name = "Cl"} : memref<64x64xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<64x64xf32, #fragment>
    tile.pipeline %ko = %c0 to %steps step %c1 num_stages = 4 {
      %k = arith.muli %ko, %c32 : index
      tile.copy %A[%k, %row] to %As : memref<?x?xf16> to memref<32x64xf16, #shared>
      tile.copy %B[%k, %column] to %Bs : memref<?x?xf16> to memref<32x64xf16, #shared>
      tile.gemm %As, %Bs, %Cl {transpose_a}
          : memref<32x64xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>
    }
    tile.copy %Cl to %C[%row, %column] sizes [64, 64]
        : memref<64x64xf32, #fragment> to memref<?x?xf32>
  }
  return
}
