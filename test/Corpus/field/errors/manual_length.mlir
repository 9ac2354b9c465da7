// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// A manual schedule of the wrong length: the error says how many entries are
// needed and lists what was counted.
// Field case DIAG-04.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @manual_length(%A: memref<?x16xf32>, %out: memref<16xf32>,
                         %Y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  // expected-error @below {{expected 4 entries in 'stage' and 'order', got 3}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 0, 3] order = [0, 1, 2] {
    // expected-note @below {{statement 0: 'tile.copy'}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-note @below {{statement 1: 'tile.map'}}
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
    // expected-note @below {{statement 2: 'tile.map'}}
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
    // expected-note @below {{statement 3: 'tile.copy'}}
    tile.copy %S to %Y[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
