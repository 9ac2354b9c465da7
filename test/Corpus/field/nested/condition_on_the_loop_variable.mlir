// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Part of the body runs in odd iterations only: the condition is that of the
// statement's own iteration.
// Field case NEST-04.

// CHECK: @condition_depth_2
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2
// CHECK: @condition_depth_3
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @condition_depth_2(%A: memref<?x16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %parity = arith.remui %k, %c2 : index
    %odd = arith.cmpi eq, %parity, %c1 : index
    scf.if %odd {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
      tile.map (%j) in [16] {
        %old = memref.load %acc[%j] : memref<16xf32, #fragment>
        %x = memref.load %S[%j] : memref<16xf32, #shared>
        %new = arith.addf %old, %x : f32
        memref.store %new, %acc[%j] : memref<16xf32, #fragment>
      }
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @condition_depth_3(%A: memref<?x16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %parity = arith.remui %k, %c2 : index
    %odd = arith.cmpi eq, %parity, %c1 : index
    scf.if %odd {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
      tile.map (%j) in [16] {
        %old = memref.load %acc[%j] : memref<16xf32, #fragment>
        %x = memref.load %S[%j] : memref<16xf32, #shared>
        %new = arith.addf %old, %x : f32
        memref.store %new, %acc[%j] : memref<16xf32, #fragment>
      }
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
