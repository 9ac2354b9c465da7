// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// The start of a copy is kept in a mutable cell that outlives the iteration
// and is updated before the copy.
// Field case PLAN-02.

// CHECK: @index_from_mutable_scalar
// CHECK-NEXT: loop: depth 3 stage [0, 0, 0, 2] order [0, 1, 2, 3]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @index_from_mutable_scalar(%T: memref<?xi32>, %G: memref<96xf32>,
                                     %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeroi = arith.constant 0 : i32
  %p = tile.alloc {name = "p"} : memref<i32, #fragment>
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  memref.store %zeroi, %p[] : memref<i32, #fragment>
  %n = memref.dim %T, %c0 : memref<?xi32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %entry = memref.load %T[%k] : memref<?xi32>
    memref.store %entry, %p[] : memref<i32, #fragment>
    %page = memref.load %p[] : memref<i32, #fragment>
    %index = arith.index_cast %page : i32 to index
    %at = arith.muli %index, %c16 : index
    tile.copy %G[%at] to %S : memref<96xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
