// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// A pipelined loop inside an element-wise region stays serial with a remark,
// and is right.
// Field case NEST-03, first form.

// CHECK: @pipeline_inside_map
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

func.func @pipeline_inside_map(%X: memref<?x4xf32>, %Y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %X, %c0 : memref<?x4xf32>
  tile.map (%j) in [4] {
    // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
      %x = memref.load %X[%k, %j] : memref<?x4xf32>
      %y = memref.load %Y[%j] : memref<4xf32>
      %s = arith.addf %x, %y : f32
      memref.store %s, %Y[%j] : memref<4xf32>
    }
  }
  return
}
