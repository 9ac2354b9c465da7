// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A loop that counts down visits 9, 6, 3, each once.
// Field case TAIL-08.

// CHECK: @negative_step_depth_2
// CHECK-NEXT: loop: depth 2 stage [0, 1, 1] order [0, 1, 2]
// CHECK-NEXT: versions: S:2
// CHECK: @negative_step_depth_4
// CHECK-NEXT: loop: depth 4 stage [0, 3, 3] order [0, 1, 2]
// CHECK-NEXT: versions: S:4

#shared = #tile.space<shared>

func.func @negative_step_depth_2(%A: memref<?x16xf32>, %visits: memref<?xf32>,
                                 %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %c9 = arith.constant 9 : index
  %cm3 = arith.constant -3 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c9 to %c0 step %cm3 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.atomic <add> %one, %visits[%k] : f32, memref<?xf32>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @negative_step_depth_4(%A: memref<?x16xf32>, %visits: memref<?xf32>,
                                 %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %c9 = arith.constant 9 : index
  %cm3 = arith.constant -3 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c9 to %c0 step %cm3 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.atomic <add> %one, %visits[%k] : f32, memref<?xf32>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
