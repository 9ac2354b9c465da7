// RUN: tile-opt %s -split-input-file --tile-print-dependences=normalize=true 2>/dev/null | FileCheck %s

// A buffer of the body is one buffer: its contents never survive an iteration.
// CHECK-LABEL: func @hoist_alloc
// CHECK: tile.alloc
// CHECK: tile.pipeline
// CHECK-NOT: tile.alloc
func.func @hoist_alloc(%X: memref<8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    %S = tile.alloc {name = "S"} : memref<4xf32, #tile.space<shared>>
    tile.copy %X[%i, 0] to %S : memref<8x4xf32> to memref<4xf32, #tile.space<shared>>
  }
  return
}

// -----

// Points of a map run at once, so a buffer of each stays its own.
// CHECK-LABEL: func @keep_alloc_in_map
// CHECK: tile.map
// CHECK-NEXT: tile.alloc
func.func @keep_alloc_in_map(%X: memref<8xf32>, %n: index, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.map (%e) in [8] {
      %S = tile.alloc {name = "S"} : memref<f32, #tile.space<fragment>>
      memref.store %z, %S[] : memref<f32, #tile.space<fragment>>
    }
  }
  return
}

// -----

// Each statement of a branch is scheduled on its own; a copy takes the guard.
// CHECK-LABEL: func @split_branch
// CHECK-SAME: %[[G:[a-z0-9]+]]: i1, %[[H:[a-z0-9]+]]: i1
// CHECK: tile.pipeline %[[I:[a-z0-9]+]] =
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]]
// CHECK-NEXT: %[[GH:.*]] = arith.andi %[[G]], %[[H]]
// CHECK-NEXT: tile.copy %{{.*}}[%[[J]], 0] to %{{.*}} if %[[GH]]
// CHECK-NEXT: scf.if %[[G]]
// CHECK-NEXT: tile.fill
func.func @split_branch(%X: memref<8x4xf32>, %n: index, %z: f32, %g: i1, %h: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<4xf32, #tile.space<shared>>
  %T = tile.alloc {name = "T"} : memref<4xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    scf.if %g {
      %j = arith.addi %i, %c1 : index
      tile.copy %X[%j, 0] to %S if %h : memref<8x4xf32> to memref<4xf32, #tile.space<shared>>
      tile.fill %T with %z : f32, memref<4xf32, #tile.space<shared>>
    }
  }
  return
}

// -----

// An index that may only be read under the guard keeps its branch.
// CHECK-LABEL: func @keep_guarded_read
// CHECK: scf.if
// CHECK-NEXT: memref.load
// CHECK-NEXT: tile.copy
func.func @keep_guarded_read(%T: memref<?xindex>, %X: memref<8x4xf32>, %n: index, %g: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<4xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    scf.if %g {
      %j = memref.load %T[%i] : memref<?xindex>
      tile.copy %X[%j, 0] to %S : memref<8x4xf32> to memref<4xf32, #tile.space<shared>>
    }
  }
  return
}

// -----

// Division may trap where the guard is false.
// CHECK-LABEL: func @keep_guarded_division
// CHECK: scf.if
// CHECK-NEXT: arith.divui
func.func @keep_guarded_division(%X: memref<8x4xf32>, %n: index, %d: index, %g: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<4xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    scf.if %g {
      %j = arith.divui %i, %d : index
      tile.copy %X[%j, 0] to %S : memref<8x4xf32> to memref<4xf32, #tile.space<shared>>
    }
  }
  return
}

// -----

// A view of a buffer that may get versions is made where it can follow them.
// CHECK-LABEL: func @sink_views
// CHECK: tile.pipeline
// CHECK-NEXT: %[[V:.*]] = memref.subview
// CHECK-NEXT: %[[W:.*]] = memref.cast %[[V]]
// CHECK: tile.copy %{{.*}} to %[[W]]
func.func @sink_views(%X: memref<8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  %V = memref.subview %S[4] [4] [1] : memref<8xf32, #tile.space<shared>> to memref<4xf32, strided<[1], offset: 4>, #tile.space<shared>>
  %W = memref.cast %V : memref<4xf32, strided<[1], offset: 4>, #tile.space<shared>> to memref<4xf32, strided<[1], offset: ?>, #tile.space<shared>>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %W : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>, #tile.space<shared>>
  }
  return
}

// -----

// Swapped values: both are read before either is stored. A manual schedule gets
// entries for the loads (first in a step) and the stores (last).
// CHECK-LABEL: func @carried_values
// CHECK: memref.store %{{.*}}, %[[A:.*]][] :
// CHECK: memref.store %{{.*}}, %[[B:.*]][] :
// CHECK: tile.pipeline {{.*}} stage = [1, 1, 0, 1, 1, 1] order = [0, 1, 2, 3, 4, 5] {
// CHECK-NEXT: %[[X:.*]] = memref.load %[[A]][]
// CHECK-NEXT: %[[Y:.*]] = memref.load %[[B]][]
// CHECK: memref.store %[[Y]], %[[A]][]
// CHECK-NEXT: memref.store %[[X]], %[[B]][]
// CHECK: %[[RA:.*]] = memref.load %[[A]][]
// CHECK: %[[RB:.*]] = memref.load %[[B]][]
// CHECK: return %[[RA]], %[[RB]]
func.func @carried_values(%X: memref<8x4xf32>, %Y: memref<4xf32>, %n: index, %a: f32, %b: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<4xf32, #tile.space<shared>>
  %r:2 = tile.pipeline %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (f32, f32) stage = [0, 1] order = [0, 1] {
    tile.copy %X[%i, 0] to %S : memref<8x4xf32> to memref<4xf32, #tile.space<shared>>
    memref.store %x, %Y[%i] : memref<4xf32>
    tile.yield %y, %x : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}
