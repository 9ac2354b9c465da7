// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Every access keeps the leading version index: with two versions, odd
// iterations use slot 1.
// Field case VER-10.

// CHECK: @all_slots_are_used
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>

func.func @all_slots_are_used(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [0, 1] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
