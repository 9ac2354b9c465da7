// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A tail tile is zeroed and then loaded in part: the copy does not overwrite
// everything, so the fill is a producer too and must stay in front of it.
// Field case PLAN-05.

// CHECK: @fill_before_partial_copy
// CHECK-NEXT: loop: depth 2 stage [0, 0, 2, 2] order [1, 2, 0, 3]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @fill_before_partial_copy(%G: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<8xf32, #shared>
  %sum = tile.alloc {name = "sum"} : memref<1xf32, #fragment>
  %N = memref.dim %G, %c0 : memref<?xf32>
  %n = arith.ceildivui %N, %c8 : index
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.fill %S with %zero : f32, memref<8xf32, #shared>
    %at = arith.muli %k, %c8 : index
    %left = arith.subi %N, %at : index
    %size = arith.minsi %left, %c8 : index
    tile.copy %G[%at] to %S sizes [%size] : memref<?xf32> to memref<8xf32, #shared>
    tile.reduce <sum> %S into %sum dimension 0 {clear}
        : memref<8xf32, #shared>, memref<1xf32, #fragment>
    tile.copy %sum to %out[%k] sizes [1] : memref<1xf32, #fragment> to memref<?xf32>
  }
  return
}
