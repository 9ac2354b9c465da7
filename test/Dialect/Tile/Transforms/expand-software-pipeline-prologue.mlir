// RUN: tile-opt %s --split-input-file --verify-each --expand-software-pipeline=form=prologue | FileCheck %s
// RUN: tile-opt %s --split-input-file --verify-each --inject-software-pipeline=form=prologue | FileCheck %s --check-prefix=INJECT

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// Two guarded steps, and a loop of n: the last stage has an iteration in each,
// the first one as long as the step is below n. The group is committed in every
// step, so that one count of groups in flight is right in all.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME: %[[N:[^ ,]+]]: index)
// CHECK-DAG: %[[X0:.*]] = arith.cmpi slt, %c0{{.*}}, %[[N]]
// CHECK-DAG: %[[X1:.*]] = arith.cmpi slt, %c1{{.*}}, %[[N]]
// CHECK: scf.if %[[X0]] {
// CHECK: tile.async.copy
// CHECK: %[[G0:.*]] = tile.async.commit ()
// CHECK: scf.if %[[X1]] {
// CHECK: tile.async.copy
// CHECK: %[[G1:.*]] = tile.async.commit ()
// CHECK: %[[END:.*]] = arith.addi %[[N]], %c2
// CHECK: scf.for %[[T:.*]] = %c2{{.*}} to %[[END]] step %c1{{.*}} iter_args(%[[A:.*]] = %[[G1]], %[[B:.*]] = %[[G0]])
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[T]], %[[N]]
// CHECK: %[[I:.*]] = arith.subi %[[T]], %c2
// CHECK: tile.async.wait %[[B]]
// CHECK-NOT: scf.if
// CHECK: tile.copy %{{.*}} to %{{.*}}[%[[I]], 0]
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK: tile.async.copy
// CHECK-NEXT: }
// CHECK-NEXT: %[[G:.*]] = tile.async.commit ()
// CHECK-NEXT: scf.yield %[[G]], %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: return
// INJECT-LABEL: func @dynamic(
// INJECT: tile.async.wait %{{.*}} pending = 1
func.func @dynamic(%A: memref<?x64xf32>, %Y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = tile.alloc : memref<3x64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c3 : index
    %v = tile.slot %b[%r] : memref<3x64xf32, #shared> -> memref<64xf32, #shared>
    tile.copy %A[%k, 0] to %v {tile.stage = #tile.stage<0, order = 1>} : memref<?x64xf32> to memref<64xf32, #shared>
    tile.copy %v to %Y[%k, 0] sizes [64] {tile.stage = #tile.stage<2, order = 0>} : memref<64xf32, #shared> to memref<?x64xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// A known count needs no guards in front; three iterations are a loop of three
// steps. The loop counts up whatever the bounds of the user's are.
// CHECK-LABEL: func @static(
// CHECK-NOT: scf.if
// CHECK: tile.async.copy %{{.*}}[%c7{{.*}}, 0]
// CHECK: scf.for %[[T:.*]] = %c1{{.*}} to %c4{{.*}} step %c1
// CHECK: arith.cmpi ult, %[[T]], %c3
// CHECK: tile.copy
// CHECK: scf.if
// CHECK: tile.async.copy
// CHECK-NOT: tile.copy
// CHECK: return
func.func @static(%A: memref<?x64xf32>, %Y: memref<?x64xf32>) {
  %c7 = arith.constant 7 : index
  %c5 = arith.constant 5 : index
  %c22 = arith.constant 22 : index
  %c2 = arith.constant 2 : index
  %b = tile.alloc : memref<2x64xf32, #shared>
  tile.pipeline %k = %c7 to %c22 step %c5 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c2 : index
    %v = tile.slot %b[%r] : memref<2x64xf32, #shared> -> memref<64xf32, #shared>
    tile.copy %A[%k, 0] to %v {tile.stage = #tile.stage<0, order = 1>} : memref<?x64xf32> to memref<64xf32, #shared>
    tile.copy %v to %Y[%k, 0] sizes [64] {tile.stage = #tile.stage<1, order = 0>} : memref<64xf32, #shared> to memref<?x64xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 3>

// As many iterations as the last stage, or fewer: straight-line code.
// CHECK-LABEL: func @short(
// CHECK-NOT: scf.
// CHECK-COUNT-4: memref.store
// CHECK-NOT: memref.store
// CHECK: return
func.func @short(%a: memref<?xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.pipeline %k = %c0 to %c2 step %c1 schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
    memref.store %z, %a[%k] {tile.stage = #tile.stage<2, order = 1>} : memref<?xf32>
  }
  return
}
