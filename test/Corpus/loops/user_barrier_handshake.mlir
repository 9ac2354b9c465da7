// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A load, an explicit barrier arrive and wait, then the consumer; ns=2
// (barrier slots must be expanded).
//
//   for i in 0..8:
//     copy X[i] -> S
//     arrive bar
//     wait bar, parity i mod 2
//     copy S -> Y[i]

// CHECK: @user_barrier_handshake
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

// WAITS: waits: 3 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>

func.func @user_barrier_handshake(%X: memref<8x64xf32>, %Y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  // expected-remark @below {{loop is not pipelined: the loop has asynchronous operations of its own}}
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    // expected-note @below {{because of this operation}}
    %token = tile.async.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    %group = tile.async.commit %token
    tile.async.wait %group pending = 0
    tile.copy %S to %Y[%i, 0] sizes [64] : memref<64xf32, #shared> to memref<8x64xf32>
  }
  return
}
