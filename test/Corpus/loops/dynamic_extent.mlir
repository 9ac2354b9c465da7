// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check --args='32x0|32x1|32x16|32x33|32x48|32x128,128x32'
// RUN: tile-run %s --minimal-waits --args='32x0|32x1|32x16|32x33|32x48|32x128,128x32' | FileCheck %s --check-prefix=WAITS

// Tile GEMM whose K extent is a runtime value; ns=3.
//
//   for k in 0..ceil(K/BK):
//     copy A -> As
//     copy B -> Bs
//     Cl += As @ Bs

// CHECK: @dynamic_extent
// CHECK-NEXT: loop: depth 3 stage [0, 0, 2] order [0, 1, 2]
// CHECK-NEXT: versions: As:3 Bs:3

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @dynamic_extent(%A: memref<32x?xf16>, %B: memref<?x32xf16>,
                          %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  %K = memref.dim %A, %c1 : memref<32x?xf16>
  %steps = arith.ceildivui %K, %c16 : index
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %steps step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %As : memref<32x?xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<?x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
