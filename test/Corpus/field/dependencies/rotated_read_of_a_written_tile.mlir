// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A tile is written by all elements and read rotated in the same iteration, at
// three depths: the carried anti dependence holds around the back edge.
// Field case DEP-08.

// CHECK: @rotated_read_depth_1
// CHECK-NEXT: loop: depth 1 stage [0, 1, 1] order [1, 0, 2]
// CHECK-NEXT: versions: none
// CHECK: @rotated_read_depth_2
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: S:2
// CHECK: @rotated_read_depth_3
// CHECK-NEXT: loop: depth 3 stage [0, 3, 3] order [1, 0, 2]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @rotated_read_depth_1(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %x = tile.alloc {name = "x"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    tile.map (%j) in [16] {
      %a = memref.load %A[%k, %j] : memref<?x16xf32>
      memref.store %a, %S[%j] : memref<16xf32, #shared>
    }
    tile.map (%j) in [16] {
      %j1 = arith.addi %j, %c15 : index
      %from = arith.remui %j1, %c16 : index
      %x0 = memref.load %S[%from] : memref<16xf32, #shared>
      memref.store %x0, %x[%j] : memref<16xf32, #fragment>
    }
    tile.copy %x to %out[%k, 0] sizes [16] : memref<16xf32, #fragment> to memref<?x16xf32>
  }
  return
}

func.func @rotated_read_depth_2(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %x = tile.alloc {name = "x"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.map (%j) in [16] {
      %a = memref.load %A[%k, %j] : memref<?x16xf32>
      memref.store %a, %S[%j] : memref<16xf32, #shared>
    }
    tile.map (%j) in [16] {
      %j1 = arith.addi %j, %c15 : index
      %from = arith.remui %j1, %c16 : index
      %x0 = memref.load %S[%from] : memref<16xf32, #shared>
      memref.store %x0, %x[%j] : memref<16xf32, #fragment>
    }
    tile.copy %x to %out[%k, 0] sizes [16] : memref<16xf32, #fragment> to memref<?x16xf32>
  }
  return
}

func.func @rotated_read_depth_3(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %x = tile.alloc {name = "x"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.map (%j) in [16] {
      %a = memref.load %A[%k, %j] : memref<?x16xf32>
      memref.store %a, %S[%j] : memref<16xf32, #shared>
    }
    tile.map (%j) in [16] {
      %j1 = arith.addi %j, %c15 : index
      %from = arith.remui %j1, %c16 : index
      %x0 = memref.load %S[%from] : memref<16xf32, #shared>
      memref.store %x0, %x[%j] : memref<16xf32, #fragment>
    }
    tile.copy %x to %out[%k, 0] sizes [16] : memref<16xf32, #fragment> to memref<?x16xf32>
  }
  return
}
