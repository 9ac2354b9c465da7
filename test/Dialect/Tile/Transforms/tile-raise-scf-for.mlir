// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-raise-scf-for | FileCheck %s

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Other attributes of the loop stay; a loop that does not ask is not touched.
// CHECK-LABEL: @loop
func.func @loop(%S: !S, %T: !S, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // CHECK: tile.pipeline %[[K:.*]] = %c0 to %{{.*}} step %c2 num_stages = 3 {
  // CHECK-NEXT: tile.copy %{{.*}} to %{{.*}} : memref<8x8xf16
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tile.gemm
  // CHECK-NEXT: }
  // CHECK-NEXT: } {my.note}
  scf.for %k = %c0 to %n step %c2 {
    memref.copy %S, %T : !S to !S
    scf.for %j = %c0 to %k step %c2 {
      tile.gemm %S, %T, %C : !S, !S, !C
    }
  } {tile.num_stages = 3, my.note}
  // CHECK: scf.for
  // CHECK-NEXT: memref.copy
  scf.for %k = %c0 to %n step %c2 {
    memref.copy %S, %T : !S to !S
  }
  return
}

// -----

// Carried values, a manual schedule, and an induction variable of another type.
// CHECK-LABEL: @manual
// CHECK-SAME: %[[N:.*]]: i32
func.func @manual(%n: i32, %x: f32, %out: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[UPPER:.*]] = arith.index_cast %[[N]] : i32 to index
  // CHECK: %[[R:.*]] = tile.pipeline %[[K:.*]] = %{{.*}} to %[[UPPER]] step %c1 iter_args(%[[A:.*]] = %{{.*}}) -> (f32) stage = [1] order = [0] {
  // CHECK-NEXT: arith.index_cast %[[K]] : index to i32
  // CHECK: tile.yield %{{.*}} : f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %i = arith.index_cast %k : i32 to index
    memref.store %a, %out[%i] : memref<64xf32>
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  } {tile.stages = array<i64: 1>, tile.orders = array<i64: 0>}
  // CHECK: return %[[R]]
  return %r : f32
}

// -----

// A dynamic extent is asked for; a copy of unranked memory stays.
// CHECK-LABEL: @copies
func.func @copies(%A: memref<?x8xf16>, %B: memref<?x?xf16>, %C: memref<4x?xf16>,
                  %U: memref<*xf16>, %z: memref<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    // CHECK: %[[D:.*]] = memref.dim %arg1
    // CHECK: tile.copy %arg0 to %arg1 sizes [%[[D]], 8]
    memref.copy %A, %B : memref<?x8xf16> to memref<?x?xf16>
    // CHECK: tile.copy %arg2 to %arg0 sizes [4, 8]
    memref.copy %C, %A : memref<4x?xf16> to memref<?x8xf16>
    // CHECK: tile.copy %arg4 to %arg4 : memref<f16> to memref<f16>
    memref.copy %z, %z : memref<f16> to memref<f16>
    // CHECK: memref.copy
    memref.copy %U, %A : memref<*xf16> to memref<?x8xf16>
  }
  return
}

// -----

!G = memref<64x32xf16>
!S = memref<3x32xf16, 3>

// A copy that is complete within its iteration may be complete from the start.
// CHECK-LABEL: @nvgpu
func.func @nvgpu(%A: !G, %S: !S, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: tile.pipeline %[[K:.*]] = {{.*}} num_stages = 2 {
  // CHECK-NEXT: tile.copy %arg0[%[[K]], 0] to %arg1[0, 8] sizes [1, 8]
  // CHECK-NEXT: tile.copy %arg0[%[[K]], 8] to %arg1 sizes [1, 8]
  // CHECK-NEXT: }
  scf.for %k = %c0 to %n step %c1 {
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c8], 8 : !G to !S
    %u = nvgpu.device_async_copy %A[%k, %c8], %S[%c0, %c0], 8, %c8 : !G to !S
    %g = nvgpu.device_async_create_group %t, %u
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
  } {tile.num_stages = 2}
  return
}

// -----

// Nested loops are raised both.
// CHECK-LABEL: @nested
func.func @nested(%x: f32, %out: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.pipeline {{.*}} num_stages = 0
  // CHECK: tile.pipeline {{.*}} num_stages = 2
  scf.for %k = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %out[%j] : memref<64xf32>
    } {tile.num_stages = 2}
  } {tile.num_stages = 0}
  return
}

// -----

// The constant that stands for "dynamic" in attributes stays a value.
// CHECK-LABEL: @least_constant
func.func @least_constant(%A: memref<64x32xf16>, %S: memref<3x32xf16, 3>, %n: index) {
  %least = arith.constant -9223372036854775808 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.pipeline
  // CHECK-NEXT: %[[LEAST:.*]] = arith.constant -9223372036854775808 : index
  // CHECK-NEXT: tile.copy %arg0[%{{.*}}, %[[LEAST]]] to %arg1 sizes [1, 8]
  scf.for %k = %c0 to %n step %c1 {
    %t = nvgpu.device_async_copy %A[%k, %least], %S[%c0, %c0], 8
        : memref<64x32xf16> to memref<3x32xf16, 3>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
  } {tile.num_stages = 2}
  return
}
