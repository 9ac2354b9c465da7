// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check

// A pipelined loop inside an element-parallel loop.
//
//   parallel a in 0..4:
//     for k in pipelined 0..8 (ns=2):
//       Y[a] += X[k, a]

// CHECK: @pipelined_in_parallel
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

func.func @pipelined_in_parallel(%X: memref<8x4xf32>, %Y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.map (%a) in [4] {
    // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
    tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 2 {
      %x = memref.load %X[%k, %a] : memref<8x4xf32>
      %y = memref.load %Y[%a] : memref<4xf32>
      %n = arith.addf %y, %x : f32
      memref.store %n, %Y[%a] : memref<4xf32>
    }
  }
  return
}
