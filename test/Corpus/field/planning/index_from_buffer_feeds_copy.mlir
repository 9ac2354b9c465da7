// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// The start of a copy is read from a cell that the body writes: store, read
// and copy must travel together in an early stage, in source order.
// Field case PLAN-01.

// CHECK: @index_from_buffer_feeds_copy
// CHECK-NEXT: loop: depth 2 stage [0, 0, 0, 1] order [0, 1, 2, 3]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @index_from_buffer_feeds_copy(%G: memref<96xi32>,
                                        %out: memref<24xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %zeroi = arith.constant 0 : i32
  %I = tile.alloc {name = "I"} : memref<1xi32, #fragment>
  %S = tile.alloc {name = "S"} : memref<24xi32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<24xi32, #fragment>
  tile.fill %acc with %zeroi : i32, memref<24xi32, #fragment>
  tile.pipeline %k = %c0 to %c4 step %c1 num_stages = 2 {
    %k24 = arith.muli %k, %c24 : index
    %value = arith.index_cast %k24 : index to i32
    memref.store %value, %I[%c0] : memref<1xi32, #fragment>
    %read = memref.load %I[%c0] : memref<1xi32, #fragment>
    %off = arith.index_cast %read : i32 to index
    tile.copy %G[%off] to %S : memref<96xi32> to memref<24xi32, #shared>
    tile.map (%j) in [24] {
      %old = memref.load %acc[%j] : memref<24xi32, #fragment>
      %x = memref.load %S[%j] : memref<24xi32, #shared>
      %new = arith.addi %old, %x : i32
      memref.store %new, %acc[%j] : memref<24xi32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<24xi32, #fragment> to memref<24xi32>
  return
}
