// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A pure scalar of the iteration is used by statements of both stages: it is
// replayed at each and needs no entry in the manual schedule.
// Field case PLAN-06.

// CHECK: @scalar_alias_in_two_stages
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [1, 0]
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>

func.func @scalar_alias_in_two_stages(%A: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %N = memref.dim %A, %c0 : memref<?xf32>
  %n = arith.divui %N, %c16 : index
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [1, 0] {
    %b = arith.muli %k, %c16 : index
    tile.copy %A[%b] to %S : memref<?xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%b] sizes [16] : memref<16xf32, #shared> to memref<?xf32>
  }
  return
}
