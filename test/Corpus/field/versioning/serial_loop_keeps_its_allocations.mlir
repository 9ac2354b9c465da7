// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// A loop that stays serial (its statements form a cycle through one tile)
// keeps one buffer; a loop of one iteration is right as well.
// Field case VER-09.

// CHECK: @serial_loop_keeps_its_allocations
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none
// CHECK: @one_iteration
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @serial_loop_keeps_its_allocations(%A: memref<?x16xf32>,
                                             %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %S with %zero : f32, memref<16xf32, #shared>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.map (%j) in [16] {
      %s = memref.load %S[%j] : memref<16xf32, #shared>
      %a = memref.load %A[%k, %j] : memref<?x16xf32>
      %t = arith.addf %s, %a : f32
      memref.store %t, %S[%j] : memref<16xf32, #shared>
    }
  }
  tile.copy %S to %out : memref<16xf32, #shared> to memref<16xf32>
  return
}

func.func @one_iteration(%A: memref<?x16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %c1 step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
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
