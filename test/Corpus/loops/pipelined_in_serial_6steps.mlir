// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// As the serial/pipelined nest but with 6 inner steps and num_stages=2 (6 is
// not a multiple of 2*num_stages).
//
//   for t in serial 0..2:
//     Cl = 0
//     for k in pipelined 0..6 (ns=2):
//       copy A[t] -> As; copy B -> Bs; Cl += As @ Bs
//     store Cl

// CHECK: @pipelined_in_serial_6steps
// CHECK-NEXT: loop: depth 2 stage [0, 0, 1] order [0, 1, 2]
// CHECK-NEXT: versions: As:2 Bs:2

// WAITS: waits: 4 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @pipelined_in_serial_6steps(%A: memref<2x32x96xf16>,
                                      %B: memref<96x32xf16>,
                                      %C: memref<2x32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  scf.for %t = %c0 to %c2 step %c1 {
    tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
    tile.pipeline %k = %c0 to %c6 step %c1 num_stages = 2 {
      %kk = arith.muli %k, %c16 : index
      tile.copy %A[%t, 0, %kk] to %As : memref<2x32x96xf16> to memref<32x16xf16, #shared>
      tile.copy %B[%kk, 0] to %Bs : memref<96x32xf16> to memref<16x32xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
    }
    tile.copy %Cl to %C[%t, 0, 0] sizes [32, 32]
        : memref<32x32xf32, #fragment> to memref<2x32x32xf32>
  }
  return
}
