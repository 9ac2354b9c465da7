// RUN: tile-opt %s -split-input-file --tile-hoist-async-waits | FileCheck %s

!global = memref<64x32xf16>
!tile = memref<64x32xf16, #tile.space<shared>>

// The wait passes the one commit of its step.
// CHECK-LABEL: func @step
// CHECK:       tile.async.wait %{{.*}} pending = 1
// CHECK-NEXT:  tile.async.copy
// CHECK-NEXT:  tile.async.commit
// CHECK-NEXT:  tile.fill
func.func @step(%A: !global, %s: !tile, %r: !tile, %old: !tile.token, %x: f16) {
  %t = tile.async.copy %A to %s : !global to !tile
  %g = tile.async.commit %t
  tile.async.wait %old pending = 2
  tile.fill %r with %x : f16, !tile
  return
}

// -----

!global = memref<64x32xf16>
!tile = memref<64x32xf16, #tile.space<shared>>

// It waits for the group of the step itself.
// CHECK-LABEL: func @own_group
// CHECK:       tile.async.commit
// CHECK-NEXT:  tile.async.wait %{{.*}} pending = 0
func.func @own_group(%A: !global, %s: !tile) {
  %t = tile.async.copy %A to %s : !global to !tile
  %g = tile.async.commit %t
  tile.async.wait %g pending = 0
  return
}

// -----

!global = memref<64x32xf16>
!tile = memref<64x32xf16, #tile.space<shared>>

// Only as far as the count allows: the second group may stay in flight.
// CHECK-LABEL: func @two_groups
// CHECK:       tile.async.commit
// CHECK-NEXT:  tile.async.wait %{{.*}} pending = 0
// CHECK-NEXT:  tile.async.copy
// CHECK-NEXT:  tile.async.commit
// CHECK-NEXT:  return
func.func @two_groups(%A: !global, %s: !tile, %r: !tile) {
  %t = tile.async.copy %A to %s : !global to !tile
  %g = tile.async.commit %t
  %u = tile.async.copy %A to %r : !global to !tile
  %h = tile.async.commit %u
  tile.async.wait %g pending = 1
  return
}

// -----

!global = memref<64x32xf16>
!tile = memref<64x32xf16, #tile.space<shared>>

// Copies under a condition start copies only; what else has effects stops it.
// CHECK-LABEL: func @conditions
// CHECK:       tile.fill
// CHECK-NEXT:  tile.async.wait %{{.*}} pending = 0
// CHECK-NEXT:  scf.if
// CHECK:       tile.async.commit
// CHECK-NEXT:  return
func.func @conditions(%A: !global, %s: !tile, %r: !tile, %c: i1, %old: !tile.token, %x: f16) {
  tile.fill %r with %x : f16, !tile
  scf.if %c {
    tile.async.copy %A to %s : !global to !tile
  }
  %g = tile.async.commit ()
  tile.async.wait %old pending = 1
  return
}

// -----

!global = memref<64x32xf16>
!tile = memref<64x32xf16, #tile.space<shared>>

// Two waits that meet are one: the stricter.
// CHECK-LABEL: func @merge
// CHECK:       tile.async.wait %{{.*}} pending = 0
// CHECK-NEXT:  tile.async.copy
// CHECK-NOT:   tile.async.wait
func.func @merge(%A: !global, %s: !tile, %old: !tile.token, %older: !tile.token) {
  tile.async.wait %older pending = 0
  %t = tile.async.copy %A to %s : !global to !tile
  %g = tile.async.commit %t
  tile.async.wait %old pending = 2
  return
}

// -----

#shared = #tile.space<shared>

// In a prologue the copies of all its steps run ahead of the first wait: only the
// last group is passed.
// CHECK-LABEL: @prologue
// CHECK: tile.async.copy
// CHECK: tile.async.commit
// CHECK: tile.async.copy
// CHECK: tile.async.commit
// CHECK-NEXT: tile.async.wait %{{.*}} pending = 1
// CHECK-NEXT: tile.async.copy
// CHECK: tile.async.commit
// CHECK-NEXT: tile.reduce
func.func @prologue(%A: memref<3x64xf32>, %r: memref<1xf32>) {
  tile.launch (%bx) in [1] threads = 64 {
    %s0 = tile.alloc : memref<64xf32, #shared>
    %s1 = tile.alloc : memref<64xf32, #shared>
    %s2 = tile.alloc : memref<64xf32, #shared>
    %t0 = tile.async.copy %A[0, 0] to %s0 : memref<3x64xf32> to memref<64xf32, #shared>
    %g0 = tile.async.commit %t0
    %t1 = tile.async.copy %A[1, 0] to %s1 : memref<3x64xf32> to memref<64xf32, #shared>
    %g1 = tile.async.commit %t1
    %t2 = tile.async.copy %A[2, 0] to %s2 : memref<3x64xf32> to memref<64xf32, #shared>
    %g2 = tile.async.commit %t2
    tile.async.wait %g0 pending = 2
    tile.reduce <sum> %s0 into %r dimension 0 : memref<64xf32, #shared>, memref<1xf32>
  }
  return
}
