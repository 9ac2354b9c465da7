// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Tile GEMM with only 1 iteration(s) and num_stages=2: trip count not larger
// than the deepest stage.
//
//   for k in 0..1:
//     copy A -> As
//     copy B -> Bs
//     Cl += As @ Bs

// CHECK: @short_n1_ns2
// CHECK-NEXT: loop: depth 2 stage [0, 0, 1] order [0, 1, 2]
// CHECK-NEXT: versions: As:2 Bs:2

// WAITS: waits: 3 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @short_n1_ns2(%A: memref<32x16xf16>, %B: memref<16x32xf16>,
                        %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c1 step %c1 num_stages = 2 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %As : memref<32x16xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<16x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
