// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// One of the loads is skipped in the first iteration; the tile keeps its
// earlier content; ns=2.
//
//   for k in 0..8:
//     if k > 0: copy A -> As
//     copy B -> Bs
//     Cl += As @ Bs

// CHECK: @guarded_copy_only
// CHECK-NEXT: loop: depth 2 stage [1, 0, 1] order [1, 0, 2]
// CHECK-NEXT: versions: Bs:2

// WAITS: waits: 4 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @guarded_copy_only(%A: memref<32x128xf16>, %B: memref<128x32xf16>,
                             %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %zeroh = arith.constant 0.0 : f16
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.fill %As with %zeroh : f16, memref<32x16xf16, #shared>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 2 {
    %kk = arith.muli %k, %c16 : index
    %later = arith.cmpi sgt, %k, %c0 : index
    scf.if %later {
      // expected-remark @below {{not pipelined: it overwrites 'As', which 'tile.gemm' reads in the iteration before}}
      tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    }
    tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
    // expected-note @below {{the other statement is here}}
    // expected-note @below {{'As' is one buffer for all iterations: an iteration may read contents of an earlier one}}
    tile.gemm %As, %Bs, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
