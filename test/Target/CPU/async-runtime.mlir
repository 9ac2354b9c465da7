// RUN: tile-opt %s --convert-tile-to-cpu="async=runtime sanitize" --split-input-file | FileCheck %s

// Copies, groups and waits are calls; a group's number goes round the loop.
// CHECK: llvm.mlir.global internal constant @__tile_origin_0
// CHECK-SAME: \00'tile.async.copy' op\00
// CHECK-LABEL: func.func @pipeline
// CHECK: %[[WORDS:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[T:.*]] = call @tilepipe_rt_async_copy(%{{.*}}, %{{.*}}, %[[WORDS]],
// CHECK: llvm.store %[[T]], %[[WORDS]] : i64
// CHECK: %[[G:.*]] = call @tilepipe_rt_async_commit(%[[WORDS]],
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %[[G]]) -> (i64)
// CHECK: llvm.store %[[H]], %[[WORDS]] : i64
// CHECK: call @tilepipe_rt_async_wait(%[[WORDS]], %{{.*}}, %c1_i64{{.*}}, %
// CHECK: %[[N:.*]] = {{.*}}call @tilepipe_rt_async_commit
// CHECK: scf.yield %[[N]] : i64
// A wait without a count waits for its tokens.
// CHECK: call @tilepipe_rt_async_wait(%[[WORDS]], %{{.*}}, %c-1_i64{{.*}}, %
func.func @pipeline(%A: memref<4x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : memref<16xf32, #tile.space<shared>>
  %t = tile.async.copy %A[0, 0] to %S : memref<4x16xf32> to memref<16xf32, #tile.space<shared>>
  %g = tile.async.commit %t
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%h = %g) -> (!tile.token) {
    tile.async.wait %h pending = 1
    %next = tile.async.commit
    scf.yield %next : !tile.token
  }
  tile.async.wait %last
  return
}

// -----

// A copy that is guarded off is complete.
// CHECK-LABEL: func.func @guard
// CHECK: %[[T:.*]] = scf.if %{{.*}} -> (i64)
// CHECK: tilepipe_rt_async_copy
// CHECK: } else {
// CHECK-NEXT: %[[C:.*]] = arith.constant 0 : i64
// CHECK-NEXT: scf.yield %[[C]]
func.func @guard(%A: memref<16xf32>, %B: memref<16xf32>, %g: i1) {
  %t = tile.async.copy %A to %B if %g : memref<16xf32> to memref<16xf32>
  %group = tile.async.commit %t
  tile.async.wait %group
  return
}

// -----

// Whole regions for statements, single elements in a map; a guarded copy is
// checked where it happens.
// CHECK-LABEL: func.func @checks
// CHECK: scf.if
// CHECK: call @tilepipe_rt_check_copy
// CHECK: }
// CHECK: call @tilepipe_rt_check_region
// CHECK: scf.for
// CHECK: call @tilepipe_rt_check_bytes
// CHECK: memref.load
// CHECK: call @tilepipe_rt_check_bytes
// CHECK: memref.store
func.func @checks(%A: memref<16xf32>, %B: memref<16xf32>, %g: i1, %x: f32) {
  tile.copy %A to %B if %g : memref<16xf32> to memref<16xf32>
  tile.fill %A with %x : f32, memref<16xf32>
  tile.map (%i) in [16] {
    %v = memref.load %A[%i] : memref<16xf32>
    memref.store %v, %B[%i] : memref<16xf32>
  }
  return
}
