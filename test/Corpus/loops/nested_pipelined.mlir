// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A pipelined loop inside another pipelined loop.
//
//   for i in pipelined 0..4 (ns=2):
//     copy A[i] -> As
//     for k in pipelined 0..4 (ns=2):
//       copy B[k] -> Bs
//       Cl += As @ Bs

// CHECK: @nested_pipelined
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: As:2

// WAITS: waits: 4 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @nested_pipelined(%A: memref<32x64xf16>, %B: memref<64x32xf16>,
                            %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  // expected-note @below {{the loop around it}}
  tile.pipeline %i = %c0 to %c4 step %c1 num_stages = 2 {
    %ii = arith.muli %i, %c16 : index
    tile.copy %A[0, %ii] to %As : memref<32x64xf16> to memref<32x16xf16, #shared>
    // expected-remark @below {{loop is not pipelined: the loop around it is}}
    tile.pipeline %k = %c0 to %c4 step %c1 num_stages = 2 {
      %kk = arith.muli %k, %c16 : index
      tile.copy %B[%kk, 0] to %Bs : memref<64x32xf16> to memref<16x32xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
    }
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
