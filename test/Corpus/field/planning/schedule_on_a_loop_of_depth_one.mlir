// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// Statements carry stages from elsewhere although the loop asks for no
// overlap: num_stages decides and old stages are not taken over.
// Field case PLAN-09.

// CHECK: @schedule_on_a_loop_of_depth_one
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#fragment = #tile.space<fragment>

func.func @schedule_on_a_loop_of_depth_one(%out: memref<2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %acc = tile.alloc {name = "acc"} : memref<1xindex, #fragment>
  %a = tile.alloc {name = "a"} : memref<1xindex, #fragment>
  memref.store %c0, %acc[%c0] : memref<1xindex, #fragment>
  memref.store %c0, %a[%c0] : memref<1xindex, #fragment>
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %k = %c0 to %c4 step %c1 num_stages = 1 {
    %old = memref.load %acc[%c0] {tile.stage = #tile.stage<0, order = 0>}
        : memref<1xindex, #fragment>
    %sum = arith.addi %k, %old : index
    memref.store %sum, %a[%c0] {tile.stage = #tile.stage<0, order = 1>}
        : memref<1xindex, #fragment>
    %new = memref.load %a[%c0] {tile.stage = #tile.stage<1, order = 2>}
        : memref<1xindex, #fragment>
    %twice = arith.muli %new, %c2 : index
    memref.store %twice, %acc[%c0] {tile.stage = #tile.stage<1, order = 3>}
        : memref<1xindex, #fragment>
  }
  %r = memref.load %acc[%c0] : memref<1xindex, #fragment>
  memref.store %r, %out[%c0] : memref<2xindex>
  return
}
