// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-raise-scf-for | FileCheck %s

!G = memref<64x32xf16>
!S = memref<3x32xf16, 3>

// Pipelined by hand: the wait of an iteration is for the copy of an earlier one.
// CHECK-LABEL: @by_hand
func.func @by_hand(%A: !G, %S: !S, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK: nvgpu.device_async_wait
  // expected-remark @below {{loop is not pipelined: it has asynchronous copies that are not complete within an iteration}}
  scf.for %k = %c0 to %n step %c1 {
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 8 : !G to !S
    // expected-note @below {{'nvgpu.device_async_create_group' here: a wait leaves 1 groups pending}}
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
  } {tile.num_stages = 2}
  return
}

// -----

!G = memref<64x32xf16>
!S = memref<3x32xf16, 3>
!T = !nvgpu.device.async.token

// CHECK-LABEL: @carried
func.func @carried(%A: !G, %S: !S, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = nvgpu.device_async_copy %A[%c0, %c0], %S[%c0, %c0], 8 : !G to !S
  %g0 = nvgpu.device_async_create_group %t0
  // CHECK: scf.for
  // expected-remark @below {{loop is not pipelined}}
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %g0) -> !T {
    // expected-note @below {{'nvgpu.device_async_wait' here: it waits for a group from outside}}
    nvgpu.device_async_wait %a
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 8 : !G to !S
    %g = nvgpu.device_async_create_group %t
    scf.yield %g : !T
  } {tile.num_stages = 2}
  return
}

// -----

!G = memref<64x32xf16>
!S = memref<3x32xf16, 3>

// CHECK-LABEL: @never_waited
func.func @never_waited(%A: !G, %S: !S, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{loop is not pipelined}}
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @below {{here: no group names it}}
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 8 : !G to !S
  } {tile.num_stages = 2}
  // expected-remark @below {{loop is not pipelined}}
  scf.for %k = %c0 to %n step %c1 {
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 8 : !G to !S
    // expected-note @below {{here: no wait names it}}
    %g = nvgpu.device_async_create_group %t
  } {tile.num_stages = 2}
  // expected-remark @below {{loop is not pipelined}}
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @below {{here: it fills elements after a limit}}
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 8, %m : !G to !S
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g
  } {tile.num_stages = 2}
  return
}

// -----

!G = memref<64x4xf16>
!S = memref<3x32xf16, 3>
!D = memref<64x?xf16>

// CHECK-LABEL: @rows
func.func @rows(%A: !G, %D: !D, %S: !S, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{loop is not pipelined}}
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @below {{here: it runs over the end of a row}}
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 8 : !G to !S
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g
  } {tile.num_stages = 2}
  // expected-remark @below {{loop is not pipelined}}
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @below {{here: the extent of a row is not known}}
    %t = nvgpu.device_async_copy %D[%k, %c0], %S[%c0, %c0], 8 : !D to !S
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g
  } {tile.num_stages = 2}
  return
}

// -----

// CHECK-LABEL: @bounds
func.func @bounds(%x: f32, %out: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %cm1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for unsigned
  // expected-remark @below {{loop is not pipelined: it compares without sign}}
  scf.for unsigned %k = %c0 to %n step %c1 {
    memref.store %x, %out[%k] : memref<64xf32>
  } {tile.num_stages = 2}
  // CHECK: scf.for
  // expected-remark @below {{loop is not pipelined: its step is not positive}}
  scf.for %k = %c0 to %n step %cm1 {
    memref.store %x, %out[%k] : memref<64xf32>
  } {tile.num_stages = 2}
  return
}

// -----

func.func @outside(%A: memref<64x64xf16>, %S: memref<4x64xf16, 3>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark @below {{loop is not pipelined: it has asynchronous copies that are not complete within an iteration}}
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @below {{'nvgpu.device_async_copy' here: it writes outside of its target}}
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c4, %c0], 8 : memref<64x64xf16> to memref<4x64xf16, 3>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g
  } {tile.num_stages = 2}
  return
}
