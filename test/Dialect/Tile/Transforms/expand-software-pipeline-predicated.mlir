// RUN: tile-opt %s --split-input-file --verify-each --expand-software-pipeline=form=predicated | FileCheck %s
// RUN: tile-opt %s --split-input-file --verify-each --expand-software-pipeline=max-peeled-ops=8 | FileCheck %s
// RUN: tile-opt %s --split-input-file --verify-each --inject-software-pipeline=form=predicated | FileCheck %s --check-prefix=INJECT
// RUN: tile-opt %s --split-input-file --verify-each --inject-software-pipeline=max-peeled-ops=8 | FileCheck %s --check-prefix=INJECT

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// One loop of n + 2 steps. A statement runs where its iteration, as an unsigned
// number, is below n; the group is committed and waited for in every step.
// CHECK-LABEL: func @predicated(
// CHECK-SAME: %[[N:[^ ,]+]]: index)
// CHECK: %[[STEPS:.*]] = arith.addi %[[M:.*]], %c2
// CHECK: %[[NONE:.*]] = tile.async.none
// CHECK: scf.for %[[T:.*]] = %c0{{.*}} to %[[STEPS]] step %c1{{.*}} iter_args(%[[G1:.*]] = %[[NONE]], %[[G2:.*]] = %[[NONE]])
// CHECK: %[[E0:.*]] = arith.cmpi ult, %[[T]], %[[M]]
// CHECK: %[[I2:.*]] = arith.subi %[[T]], %c2
// CHECK: %[[E2:.*]] = arith.cmpi ult, %[[I2]], %[[M]]
// CHECK-NEXT: tile.async.wait %[[G2]]
// CHECK-NEXT: scf.if %[[E2]] {
// CHECK: tile.copy %{{.*}} to %{{.*}}[%[[I2]], 0]
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[E0]] {
// CHECK: tile.async.copy
// CHECK-NEXT: }
// CHECK-NEXT: %[[G0:.*]] = tile.async.commit ()
// CHECK-NEXT: scf.yield %[[G0]], %[[G1]]
// CHECK-NEXT: }
// CHECK-NEXT: return
// INJECT-LABEL: func @predicated(
// INJECT: tile.async.wait %{{.*}} pending = 1
func.func @predicated(%A: memref<?x64xf32>, %Y: memref<?x64xf32>, %n: index) {
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

#s = #tile.pipeline_schedule<depth = 3>

// No iterations, or no statements: no steps.
// CHECK-LABEL: func @nothing(
// CHECK-NOT: scf.for
// CHECK: return
// INJECT-LABEL: func @nothing(
// INJECT-NOT: scf.for
func.func @nothing(%a: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c1 to %c0 step %c1 schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
    memref.store %z, %a[%k] {tile.stage = #tile.stage<2, order = 1>} : memref<?xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
  }
  return
}
