// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Trip counts 0, 1, 2, depth - 1, depth and depth + 1 end and are right, for
// depths 1, 3 and 4.
// Field case WAIT-10, TAIL-13, DYN-01.

// CHECK: @short_depth_1
// CHECK-NEXT: loop: depth 1 stage [0, 0, 1] order [1, 2, 0]
// CHECK-NEXT: versions: none
// CHECK: @short_depth_3
// CHECK-NEXT: loop: depth 3 stage [0, 0, 2] order [0, 1, 2]
// CHECK-NEXT: versions: SW:3 SX:3
// CHECK: @short_depth_4
// CHECK-NEXT: loop: depth 4 stage [0, 0, 3] order [0, 1, 2]
// CHECK-NEXT: versions: SW:4 SX:4

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @short_depth_1(%W: memref<?x16xf32>, %x: memref<?x16xf32>,
                         %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %SW = tile.alloc {name = "SW"} : memref<16xf32, #shared>
  %SX = tile.alloc {name = "SX"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %W, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    tile.copy %W[%k, 0] to %SW : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %x[%k, 0] to %SX : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %a = memref.load %SX[%j] : memref<16xf32, #shared>
      %b = memref.load %SW[%j] : memref<16xf32, #shared>
      %c = memref.load %acc[%j] : memref<16xf32, #fragment>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @short_depth_3(%W: memref<?x16xf32>, %x: memref<?x16xf32>,
                         %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %SW = tile.alloc {name = "SW"} : memref<16xf32, #shared>
  %SX = tile.alloc {name = "SX"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %W, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %W[%k, 0] to %SW : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %x[%k, 0] to %SX : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %a = memref.load %SX[%j] : memref<16xf32, #shared>
      %b = memref.load %SW[%j] : memref<16xf32, #shared>
      %c = memref.load %acc[%j] : memref<16xf32, #fragment>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @short_depth_4(%W: memref<?x16xf32>, %x: memref<?x16xf32>,
                         %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %SW = tile.alloc {name = "SW"} : memref<16xf32, #shared>
  %SX = tile.alloc {name = "SX"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %W, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %W[%k, 0] to %SW : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %x[%k, 0] to %SX : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %a = memref.load %SX[%j] : memref<16xf32, #shared>
      %b = memref.load %SW[%j] : memref<16xf32, #shared>
      %c = memref.load %acc[%j] : memref<16xf32, #fragment>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
