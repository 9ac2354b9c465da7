// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A view of the tile is taken in front of the loop: it must see the version of
// its user's iteration.
// Field case VER-08.

// CHECK: @view_taken_before_the_loop
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>

func.func @view_taken_before_the_loop(%A: memref<?x16xf32>,
                                      %out: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  %V = memref.subview %S[8] [8] [1]
      : memref<16xf32, #shared> to memref<8xf32, strided<[1], offset: 8>, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %V to %out[%k, 0] sizes [8]
        : memref<8xf32, strided<[1], offset: 8>, #shared> to memref<?x8xf32>
  }
  return
}
