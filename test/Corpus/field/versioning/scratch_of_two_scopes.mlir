// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Two scopes of one kernel use scratch of different shapes: each buffer is its
// own, whatever memory they share.
// Field case VER-12.

// CHECK: @scratch_of_two_scopes
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>

func.func @scratch_of_two_scopes(%A: memref<?x16xf32>,
                                 %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  scf.for %r = %c0 to %n step %c1 {
    %T = tile.alloc {name = "T"} : memref<4x4xf32, #shared>
    tile.map (%i, %j) in [4, 4] {
      %i4 = arith.muli %i, %c4 : index
      %at = arith.addi %i4, %j : index
      %x = memref.load %A[%r, %at] : memref<?x16xf32>
      memref.store %x, %T[%i, %j] : memref<4x4xf32, #shared>
    }
    tile.map (%i, %j) in [4, 4] {
      %i4 = arith.muli %i, %c4 : index
      %at = arith.addi %i4, %j : index
      %x = memref.load %T[%i, %j] : memref<4x4xf32, #shared>
      memref.store %x, %out[%r, %at] : memref<?x16xf32>
    }
  }
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %out[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %y = arith.addf %x, %one : f32
      memref.store %y, %out[%k, %j] : memref<?x16xf32>
    }
  }
  return
}
