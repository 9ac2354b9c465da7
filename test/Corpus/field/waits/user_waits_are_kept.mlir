// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning --inject-software-pipeline | FileCheck %s --check-prefix=WAIT

// Waits that a person wrote keep their count.
// Field case WAIT-03.

// CHECK: @user_waits_are_kept
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

// WAIT-COUNT-1: tile.async.wait pending = 2
// WAIT: }
// WAIT: tile.async.wait pending = 0
// WAIT-NOT: tile.async.wait

#shared = #tile.space<shared>

func.func @user_waits_are_kept(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc {name = "S"} : memref<4x16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  scf.for %k = %c0 to %n step %c1 {
    %slot = arith.remui %k, %c4 : index
    %row = memref.subview %S[%slot, 0] [1, 16] [1, 1]
        : memref<4x16xf32, #shared> to memref<16xf32, strided<[1], offset: ?>, #shared>
    %t = tile.async.copy %A[%k, 0] to %row
        : memref<?x16xf32> to memref<16xf32, strided<[1], offset: ?>, #shared>
    %g = tile.async.commit %t
    tile.async.wait pending = 2
    %late = arith.subi %k, %c2 : index
    %ready = arith.cmpi sge, %late, %c0 : index
    scf.if %ready {
      %from = arith.remui %late, %c4 : index
      %done = memref.subview %S[%from, 0] [1, 16] [1, 1]
          : memref<4x16xf32, #shared> to memref<16xf32, strided<[1], offset: ?>, #shared>
      tile.copy %done to %out[%late, 0] sizes [16]
          : memref<16xf32, strided<[1], offset: ?>, #shared> to memref<?x16xf32>
    }
  }
  tile.async.wait pending = 0
  return
}
