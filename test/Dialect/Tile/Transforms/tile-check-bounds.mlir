// RUN: tile-opt %s --tile-check-bounds | FileCheck %s

// What may be right is no error.

#shared = #tile.space<shared>

// CHECK-LABEL: func @may_be_right(
func.func @may_be_right(%Y: memref<16xf32>, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  tile.launch (%bx) in [4] threads = 32 {
    %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
    // Inside where the branch is taken.
    tile.map (%i) in [16] {
      %j = arith.addi %i, %c8 : index
      %less = arith.cmpi slt, %i, %c8 : index
      scf.if %less {
        %x = memref.load %S[%j] : memref<16xf32, #shared>
        memref.store %x, %Y[%i] : memref<16xf32>
      }
    }
    // n may be small, k may be anything.
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %S[%i] : memref<16xf32, #shared>
      %y = memref.load %S[%k] : memref<16xf32, #shared>
    }
    // Never runs.
    scf.for %i = %c1 to %c1 step %c1 {
      %x = memref.load %S[%c20] : memref<16xf32, #shared>
    }
    %never = arith.cmpi slt, %bx, %c0 : index
    scf.if %never {
      %x = memref.load %S[%c20] : memref<16xf32, #shared>
    }
    // Not exact: the remainder is below 8.
    tile.map (%i) in [64] {
      %rest = arith.remui %i, %c8 : index
      %x = memref.load %S[%rest] : memref<16xf32, #shared>
    }
    // In global memory it is read as zero.
    tile.map (%i) in [64] {
      %x = memref.load %Y[%i] : memref<16xf32>
    }
  }
  return
}
