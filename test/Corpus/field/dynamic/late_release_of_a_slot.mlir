// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// The consumer of a slot is issued after the refill of the next one (three
// slots, released one iteration late), for trip counts that are no multiple of
// the slots.
// Field case DYN-02.

// CHECK: @late_release_of_a_slot
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>

func.func @late_release_of_a_slot(%A: memref<?x16xf32>,
                                  %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 2] order = [0, 1] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
