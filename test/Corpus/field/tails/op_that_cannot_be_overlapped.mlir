// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// An assertion cannot be scheduled: the loop stays serial, a remark names the
// op, and the program is still right.
// Field case TAIL-15.

// CHECK: @op_that_cannot_be_overlapped
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @op_that_cannot_be_overlapped(%A: memref<?x16xf32>,
                                        %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %huge = arith.constant -1.0e30 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  // expected-remark @below {{loop is not pipelined: the effects of 'cf.assert' are not known}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %s = memref.load %S[%c0] : memref<16xf32, #shared>
    %ok = arith.cmpf oge, %s, %huge : f32
    // expected-note @below {{because of this operation}}
    cf.assert %ok, "expects no negative element"
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
