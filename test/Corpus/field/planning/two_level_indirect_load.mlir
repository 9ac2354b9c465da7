// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// An index is loaded from global memory and data is loaded through it, with
// depth 2: the index is read again for each user, so the data load is still
// prefetched.
// Field case PLAN-07.

// CHECK: @two_level_indirect_load
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @two_level_indirect_load(%IDX: memref<?xi32>, %G: memref<8x16xf32>,
                                   %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %IDX, %c0 : memref<?xi32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %entry = memref.load %IDX[%k] : memref<?xi32>
    %row = arith.index_cast %entry : i32 to index
    tile.copy %G[%row, 0] to %S : memref<8x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
