// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// One load read by two consumers that sit in different stages; stage=[0,1,2],
// order=[0,1,2].
//
//   for i in 0..8:
//     copy X[i] -> S
//     copy S -> Y[i]      # stage 1
//     copy S -> Z[i]      # stage 2

// CHECK: @manual_two_consumers_two_stages
// CHECK-NEXT: loop: depth 3 stage [0, 1, 2] order [0, 1, 2]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 6 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>

func.func @manual_two_consumers_two_stages(%X: memref<8x64xf32>,
                                           %Y: memref<8x64xf32>,
                                           %Z: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 stage = [0, 1, 2] order = [0, 1, 2] {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.copy %S to %Y[%i, 0] sizes [64] : memref<64xf32, #shared> to memref<8x64xf32>
    tile.copy %S to %Z[%i, 0] sizes [64] : memref<64xf32, #shared> to memref<8x64xf32>
  }
  return
}
