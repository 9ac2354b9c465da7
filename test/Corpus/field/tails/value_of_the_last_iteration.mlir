// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A value of an early stage leaves the loop: it is that of the last iteration,
// or the initial one where there is none.
// Field case TAIL-03.

// CHECK: @value_of_the_last_iteration
// CHECK-NEXT: loop: depth 4 stage [4, 0, 4, 4, 4] order [0, 2, 1, 3, 4]
// CHECK-NEXT: versions: v:4

#shared = #tile.space<shared>

func.func @value_of_the_last_iteration(%A: memref<?xf32>, %out: memref<?xf32>,
                                       %last: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %v = tile.alloc {name = "v"} : memref<1xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?xf32>
  %none = arith.constant -1.0 : f32
  %x = tile.pipeline %k = %c0 to %n step %c1 iter_args(%old = %none) -> (f32) num_stages = 4 {
    tile.copy %A[%k] to %v : memref<?xf32> to memref<1xf32, #shared>
    %new = memref.load %v[%c0] : memref<1xf32, #shared>
    %twice = arith.mulf %new, %two : f32
    memref.store %twice, %out[%k] : memref<?xf32>
    tile.yield %new : f32
  }
  memref.store %x, %last[%c0] : memref<1xf32>
  return
}
