// C = A * B, fp16 operands and an fp32 result, for matrices of any size.
//
// Each block of the grid computes one 128 x 128 tile of C. It walks along K in
// steps of 32: copy a tile of A and a tile of B on chip, multiply, accumulate.
// `num_stages = 3` lets the copies of the next steps run while the present step
// multiplies; the compiler decides how, and this text stays a serial loop.
//
// See what it does:
//   tile-opt gemm.mlir --pipeline-planning
//   tile-opt gemm.mlir --pipeline-planning --inject-software-pipeline
// Run it:
//   tile-run gemm.mlir --check --args=200x136,136x152,200x152

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf16>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %blocks_m = arith.ceildivui %M, %c128 : index
  %blocks_n = arith.ceildivui %N, %c128 : index
  %steps = arith.ceildivui %K, %c32 : index

  tile.launch (%by, %bx) in [%blocks_m, %blocks_n] threads = 128 {
    %row = arith.muli %by, %c128 : index
    %column = arith.muli %bx, %c128 : index
    %As = tile.alloc {name = "As"} : memref<128x32xf16, #shared>
    %Bs = tile.alloc {name = "Bs"} : memref<32x128xf16, #shared>
    %Cl = tile.alloc {name = "Cl"} : memref<128x128xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<128x128xf32, #fragment>
    tile.pipeline %ko = %c0 to %steps step %c1 num_stages = 3 {
      %k = arith.muli %ko, %c32 : index
      // A copy that reaches past the edge of a matrix reads zeros there, so
      // sizes need not be multiples of the tile.
      tile.copy %A[%row, %k] to %As : memref<?x?xf16> to memref<128x32xf16, #shared>
      tile.copy %B[%k, %column] to %Bs : memref<?x?xf16> to memref<32x128xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #fragment>
    }
    // Elements past the edge of C are not written.
    tile.copy %Cl to %C[%row, %column] sizes [128, 128]
        : memref<128x128xf32, #fragment> to memref<?x?xf32>
  }
  return
}
