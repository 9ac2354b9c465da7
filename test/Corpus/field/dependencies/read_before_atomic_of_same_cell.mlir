// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A cell is read and then updated by an atomic in each iteration: atomics read
// and write their target, so the read never moves over the atomic of an
// earlier iteration.
// Field case DEP-02.

// CHECK: @read_before_atomic_of_same_cell
// CHECK-NEXT: loop: depth 2 stage [1, 1, 0, 1, 1] order [1, 2, 0, 3, 4]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @read_before_atomic_of_same_cell(%cell: memref<1xf32>,
                                           %A: memref<?x16xf32>,
                                           %out: memref<?xf32>,
                                           %sum: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %v = memref.load %cell[%c0] : memref<1xf32>
    memref.store %v, %out[%k] : memref<?xf32>
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %k1 = arith.addi %k, %c1 : index
    %i = arith.index_cast %k1 : index to i32
    %add = arith.sitofp %i : i32 to f32
    tile.atomic <add> %add, %cell[%c0] : f32, memref<1xf32>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %sum : memref<16xf32, #fragment> to memref<16xf32>
  return
}
