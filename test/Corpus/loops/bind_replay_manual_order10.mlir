// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// The same alias with a hand schedule that lists only the two effectful
// statements; stage=[0,1], order=[1,0].
//
//   for i in 0..8:
//     base = i*64
//     copy X[base..] -> S
//     copy S -> Y[base..]

// CHECK: @bind_replay_manual_order10
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [1, 0]
// CHECK-NEXT: versions: none

// WAITS: waits: 4 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>

func.func @bind_replay_manual_order10(%X: memref<512xf32>,
                                      %Y: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 stage = [0, 1] order = [1, 0] {
    %base = arith.muli %i, %c64 : index
    tile.copy %X[%base] to %S : memref<512xf32> to memref<64xf32, #shared>
    tile.copy %S to %Y[%base] sizes [64] : memref<64xf32, #shared> to memref<512xf32>
  }
  return
}
