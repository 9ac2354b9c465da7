// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// One buffer, refilled in each iteration while two consumers read it: with
// depth 0 and 1 the next copy comes after both.
// Field case DEP-09, DEP-10.

// CHECK: @two_readers_depth_0
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none
// CHECK: @two_readers_depth_1
// CHECK-NEXT: loop: depth 1 stage [0, 1, 1] order [2, 0, 1]
// CHECK-NEXT: versions: none
// CHECK: @two_readers_depth_3
// CHECK-NEXT: loop: depth 3 stage [0, 2, 2] order [0, 1, 2]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @two_readers_depth_0(%A: memref<?x16xf32>, %out0: memref<16xf32>,
                               %out1: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc0 = tile.alloc {name = "acc0"} : memref<16xf32, #fragment>
  %acc1 = tile.alloc {name = "acc1"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc0 with %zero : f32, memref<16xf32, #fragment>
  tile.fill %acc1 with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 0 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc0[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc0[%j] : memref<16xf32, #fragment>
    }
    tile.map (%j) in [16] {
      %old = memref.load %acc1[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc1[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc0 to %out0 : memref<16xf32, #fragment> to memref<16xf32>
  tile.copy %acc1 to %out1 : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @two_readers_depth_1(%A: memref<?x16xf32>, %out0: memref<16xf32>,
                               %out1: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc0 = tile.alloc {name = "acc0"} : memref<16xf32, #fragment>
  %acc1 = tile.alloc {name = "acc1"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc0 with %zero : f32, memref<16xf32, #fragment>
  tile.fill %acc1 with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc0[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc0[%j] : memref<16xf32, #fragment>
    }
    tile.map (%j) in [16] {
      %old = memref.load %acc1[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc1[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc0 to %out0 : memref<16xf32, #fragment> to memref<16xf32>
  tile.copy %acc1 to %out1 : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @two_readers_depth_3(%A: memref<?x16xf32>, %out0: memref<16xf32>,
                               %out1: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc0 = tile.alloc {name = "acc0"} : memref<16xf32, #fragment>
  %acc1 = tile.alloc {name = "acc1"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc0 with %zero : f32, memref<16xf32, #fragment>
  tile.fill %acc1 with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc0[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc0[%j] : memref<16xf32, #fragment>
    }
    tile.map (%j) in [16] {
      %old = memref.load %acc1[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc1[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc0 to %out0 : memref<16xf32, #fragment> to memref<16xf32>
  tile.copy %acc1 to %out1 : memref<16xf32, #fragment> to memref<16xf32>
  return
}
