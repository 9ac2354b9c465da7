// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// Order cannot make up for a producer in a later stage than its consumer: both
// statements are named.
// Field case PLAN-16.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @manual_producer_in_later_stage(%A: memref<?x16xf32>,
                                          %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 stage = [1, 0] order = [0, 1] {
    // expected-note @below {{the other statement is here}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-error @below {{illegal manual schedule: 'tile.map' (stage 0, order 1) must come after 'tile.copy' (stage 1, order 0) of the same iteration (read after write of 'S', distance 0)}}
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
