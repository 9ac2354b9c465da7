// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Some iterations copy nothing: groups are still counted in each step, for any
// mask, all false included.
// Field case WAIT-13, NEST-09.

// CHECK: @skipped_transfers
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2
// CHECK: @skipped_whole_body
// CHECK-NEXT: loop: depth 1 stage [0, 1] order [1, 0]
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @skipped_transfers(%live: memref<?xi32>, %A: memref<?x16xf32>,
                             %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zeroi = arith.constant 0 : i32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %word = memref.load %live[%k] : memref<?xi32>
    %on = arith.cmpi ne, %word, %zeroi : i32
    scf.if %on {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    }
    scf.if %on {
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

func.func @skipped_whole_body(%live: memref<?xi32>, %A: memref<?x16xf32>,
                              %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zeroi = arith.constant 0 : i32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    %word = memref.load %live[%k] : memref<?xi32>
    %on = arith.cmpi ne, %word, %zeroi : i32
    scf.if %on {
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
