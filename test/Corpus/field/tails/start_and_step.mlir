// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Run-time bounds with a start above 0 and a step above 1, at several depths:
// each iteration runs once, and none for an empty range.
// Field case TAIL-02, TAIL-11.

// CHECK: @depth_2
// CHECK-NEXT: loop: depth 2 stage [0, 1, 1] order [0, 1, 2]
// CHECK-NEXT: versions: S:2
// CHECK: @depth_3
// CHECK-NEXT: loop: depth 3 stage [0, 2, 2] order [0, 1, 2]
// CHECK-NEXT: versions: S:3
// CHECK: @depth_4
// CHECK-NEXT: loop: depth 4 stage [0, 3, 3] order [0, 1, 2]
// CHECK-NEXT: versions: S:4

#shared = #tile.space<shared>

func.func @depth_2(%A: memref<?x16xf32>, %visits: memref<?xf32>,
                   %out: memref<?x16xf32>, %lower: index, %upper: index,
                   %step: index) {
  %one = arith.constant 1.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %lower to %upper step %step num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.atomic <add> %one, %visits[%k] : f32, memref<?xf32>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @depth_3(%A: memref<?x16xf32>, %visits: memref<?xf32>,
                   %out: memref<?x16xf32>, %lower: index, %upper: index,
                   %step: index) {
  %one = arith.constant 1.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %lower to %upper step %step num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.atomic <add> %one, %visits[%k] : f32, memref<?xf32>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @depth_4(%A: memref<?x16xf32>, %visits: memref<?xf32>,
                   %out: memref<?x16xf32>, %lower: index, %upper: index,
                   %step: index) {
  %one = arith.constant 1.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %lower to %upper step %step num_stages = 4 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.atomic <add> %one, %visits[%k] : f32, memref<?xf32>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
