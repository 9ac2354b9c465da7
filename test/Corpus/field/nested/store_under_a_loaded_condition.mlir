// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A store depends on the loaded value: it happens only where the value says so
// and only for iterations that exist.
// Field case NEST-05.

// CHECK: @store_under_a_loaded_condition
// CHECK-NEXT: loop: depth 3 stage [0, 3, 3] order [1, 0, 2]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>

func.func @store_under_a_loaded_condition(%A: memref<?xf32>,
                                          %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %S = tile.alloc {name = "S"} : memref<1xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k] to %S : memref<?xf32> to memref<1xf32, #shared>
    %s = memref.load %S[%c0] : memref<1xf32, #shared>
    %big = arith.cmpf ogt, %s, %two : f32
    scf.if %big {
      memref.store %s, %B[%k] : memref<?xf32>
    }
  }
  return
}
