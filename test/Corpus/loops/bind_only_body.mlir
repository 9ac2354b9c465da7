// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check

// The loop body has only a scalar alias and nothing effectful; ns=2.
//
//   for i in 0..8:
//     base = i*64

// CHECK: @bind_only_body
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

func.func @bind_only_body(%Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  // expected-remark @below {{loop is not pipelined: it has no statements}}
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %base = arith.muli %i, %c64 : index
  }
  memref.store %one, %Y[%c0] : memref<64xf32>
  return
}
