// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// The bound of the inner loop is read from memory in each outer iteration:
// with no outer iteration it is not read (the table may be empty).
// Field case NEST-01.

// CHECK: @bound_of_an_inner_loop_in_memory
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @bound_of_an_inner_loop_in_memory(%Q: memref<?xindex>, %m: index,
                                            %A: memref<?x16xf32>,
                                            %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  scf.for %o = %c0 to %m step %c1 {
    %n = memref.load %Q[%c0] : memref<?xindex>
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
      tile.map (%j) in [16] {
        %old = memref.load %acc[%j] : memref<16xf32, #fragment>
        %x = memref.load %S[%j] : memref<16xf32, #shared>
        %new = arith.addf %old, %x : f32
        memref.store %new, %acc[%j] : memref<16xf32, #fragment>
      }
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
