// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Two blocks write disjoint masked elements of one region: a masked store must
// not read and rewrite the elements of the other block.
// Field case DEP-07.

// CHECK: @masked_stores_of_two_blocks
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

func.func @masked_stores_of_two_blocks(%out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  tile.launch (%p) in [2] threads = 32 {
    %pi = arith.index_cast %p : index to i32
    %value = arith.sitofp %pi : i32 to f32
    tile.map (%i) in [%n] {
      %lane = arith.remui %i, %c2 : index
      %mine = arith.cmpi eq, %lane, %p : index
      scf.if %mine {
        memref.store %value, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}
