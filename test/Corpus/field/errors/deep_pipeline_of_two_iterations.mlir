// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Depth 4 over two iterations is right.
// Field case DIAG-06.

// CHECK: @deep_pipeline_of_two_iterations
// CHECK-NEXT: loop: depth 4 stage [0, 3] order [0, 1]
// CHECK-NEXT: versions: S:4

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @deep_pipeline_of_two_iterations(%A: memref<2x16xf32>,
                                           %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %c2 step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : memref<2x16xf32> to memref<16xf32, #shared>
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
