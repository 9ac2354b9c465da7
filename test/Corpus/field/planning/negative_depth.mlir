// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// A negative depth is an error at the loop, never clamped.
// Field case PLAN-10, DIAG-08.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @negative_depth(%A: memref<?x16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  // expected-error @below {{'tile.pipeline' op expects num_stages to be at least 0, got -1}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = -1 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
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
