// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A scalar read from a pipelined tile is used in a later stage than the one it
// is read in; stage=[0,1,2].
//
//   for i in 0..8:
//     copy X[i] -> S        # stage 0
//     v = S[0]              # stage 1
//     Y[i] = v              # stage 2

// CHECK: @bind_cross_stage
// CHECK-NEXT: loop: depth 3 stage [0, 1, 1, 2, 2] order [0, 1, 2, 3, 4]
// CHECK-NEXT: versions: S:2 scalar0:2

// WAITS: waits: 6 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>

func.func @bind_cross_stage(%X: memref<8x64xf32>, %Y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 stage = [0, 1, 2] order = [0, 1, 2] {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    %v = memref.load %S[%c0] : memref<64xf32, #shared>
    memref.store %v, %Y[%i] : memref<8xf32>
  }
  return
}
