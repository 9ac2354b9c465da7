// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: not tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// The whole body is under a condition on the loop index and block index
// (causal block skip); ns=3.
//
//   for k in 0..8:
//     if k <= 5:
//       copy A -> As
//       copy B -> Bs
//       Cl += As @ Bs

// CHECK: @guarded_whole_body_static
// CHECK-NEXT: loop: depth 3 stage [0, 0, 2] order [0, 1, 2]
// CHECK-NEXT: versions: As:3 Bs:3

// The guard is false in the last two iterations, so their groups are empty; the
// passes do not evaluate guards.
// WAITS: waits: 3 needed, 2 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @guarded_whole_body_static(%A: memref<32x128xf16>,
                                     %B: memref<128x32xf16>,
                                     %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c16 : index
    %inside = arith.cmpi sle, %k, %c5 : index
    scf.if %inside {
      tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
      tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
    }
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
