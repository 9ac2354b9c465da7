// RUN: tile-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @guard_true
// CHECK: tile.copy %{{.*}} to %{{.*}} : memref<4xf32> to memref<4xf32>
func.func @guard_true(%a: memref<4xf32>, %b: memref<4xf32>) {
  %true = arith.constant true
  tile.copy %a to %b if %true : memref<4xf32> to memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @guard_false
// CHECK-NEXT: return
func.func @guard_false(%a: memref<4xf32>, %b: memref<4xf32>) {
  %false = arith.constant false
  tile.copy %a to %b if %false : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A manual schedule counts statements: none may go before it is read.
// CHECK-LABEL: func.func @counted_statements_stay
// CHECK: tile.copy {{.*}} if %
// CHECK: tile.copy {{.*}} sizes [0]
// CHECK: tile.fill {{.*}} sizes [0]
// CHECK: tile.map ({{.*}}) in [0]
func.func @counted_statements_stay(%a: memref<4xf32>, %b: memref<4xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 0, 0, 1] order = [0, 1, 2, 3] {
    tile.copy %a to %b if %false : memref<4xf32> to memref<4xf32>
    tile.copy %a to %b sizes [0] : memref<4xf32> to memref<4xf32>
    tile.fill %b[0] sizes [0] with %v : f32, memref<4xf32>
    tile.map (%i) in [0] {
      memref.store %v, %b[%i] : memref<4xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @empty_statements
// CHECK-NEXT: return
func.func @empty_statements(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  tile.copy %a to %b sizes [4, %c0] : memref<4x4xf32> to memref<4x4xf32>
  tile.fill %a[0, 0] sizes [%c0, 4] with %v : f32, memref<4x4xf32>
  tile.map (%i) in [%c0] {
    memref.store %v, %a[%i, %i] : memref<4x4xf32>
  }
  tile.launch (%bx, %by) in [4, 0] threads = 32 {
    memref.store %v, %a[%bx, %by] : memref<4x4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @copy_region
// CHECK: tile.copy %{{.*}}[-1, %{{.*}}, 0] to %{{.*}}[1, 0] sizes [2, 4] dims [0, 2] fill %{{.*}} : f32 if %{{.*}} {tag} :
func.func @copy_region(%a: memref<8x8x8xf32>, %b: memref<4x4xf32>, %i: index, %z: f32, %g: i1) {
  %m1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  tile.copy %a[%m1, %i, %c0] to %b[%c1, 0] sizes [%c2, %c4] dims [0, 2] fill %z : f32 if %g {tag} : memref<8x8x8xf32> to memref<4x4xf32>
  return
}

// -----

// What would not verify as an attribute stays a value: it is the user's bug at
// run time, or code that never runs.
// CHECK-LABEL: func.func @out_of_bounds_stays
// CHECK-DAG: %[[M1:.*]] = arith.constant -1 : index
// CHECK-DAG: %[[C9:.*]] = arith.constant 9 : index
// CHECK-DAG: %[[MIN:.*]] = arith.constant -9223372036854775808 : index
// CHECK: tile.copy %{{.*}} to %{{.*}}[%[[M1]]] :
// CHECK: tile.copy %{{.*}} to %{{.*}}[%[[C9]]] :
// CHECK: tile.copy %{{.*}}[%[[MIN]]] to
// CHECK: tile.copy %{{.*}} to %{{.*}} sizes [%[[M1]]] :
// CHECK: tile.fill %{{.*}}[%[[C9]]] sizes [1] with
// CHECK: tile.map (%{{.*}}) in [%[[M1]]]
func.func @out_of_bounds_stays(%a: memref<4xf32>, %v: f32) {
  %m1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %min = arith.constant -9223372036854775808 : index
  tile.copy %a to %a[%m1] : memref<4xf32> to memref<4xf32>
  tile.copy %a to %a[%c9] : memref<4xf32> to memref<4xf32>
  tile.copy %a[%min] to %a : memref<4xf32> to memref<4xf32>
  tile.copy %a to %a sizes [%m1] : memref<4xf32> to memref<4xf32>
  tile.fill %a[%c9] sizes [1] with %v : f32, memref<4xf32>
  tile.map (%i) in [%m1] {
    memref.store %v, %a[%i] : memref<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @fill_and_box_extents
// CHECK: tile.fill %{{.*}}[1, %{{.*}}] sizes [2, 3] with %{{.*}} {tag} : f32
// CHECK: tile.launch (%{{.*}}, %{{.*}}) in [%{{.*}}, 8] threads = 32
// CHECK: tile.map (%{{.*}}, %{{.*}}) in [4, 4]
func.func @fill_and_box_extents(%a: memref<4x4xf32>, %v: f32, %n: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  tile.fill %a[%c1, %n] sizes [2, %c3] with %v {tag} : f32, memref<4x4xf32>
  tile.launch (%bx, %by) in [%n, %c8] threads = 32 {
    tile.map (%i, %j) in [%c4, 4] {
      memref.store %v, %a[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @waits
// CHECK: %[[G:.*]] = tile.async.commit ()
// CHECK-NEXT: tile.async.wait %[[G]]{{$}}
// CHECK-NEXT: tile.async.wait pending = 1
// CHECK-NEXT: return
func.func @waits() {
  %none = tile.async.none
  %g = tile.async.commit ()
  tile.async.wait %none
  tile.async.wait %none, %g, %g
  // A count of the user stays.
  tile.async.wait %none pending = 1
  return
}

// -----

// CHECK-LABEL: func.func @empty_loop(
// CHECK-SAME: %{{.*}}: memref<4xf32>, %[[X:.*]]: f32
// CHECK-NEXT: return %[[X]]
func.func @empty_loop(%a: memref<4xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %r = tile.pipeline %k = %c8 to %c0 step %c1 iter_args(%v = %x) -> (f32) num_stages = 2 {
    tile.fill %a with %v : f32, memref<4xf32>
    %y = arith.addf %v, %v : f32
    tile.yield %y : f32
  }
  return %r : f32
}

// -----

// A negative step runs downwards: this loop is not empty.
// CHECK-LABEL: func.func @downward_loop
// CHECK: tile.pipeline
func.func @downward_loop(%a: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %cm1 = arith.constant -1 : index
  tile.pipeline %k = %c8 to %c0 step %cm1 {
    tile.fill %a with %v : f32, memref<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @iteration
// CHECK: tile.pipeline %[[K:.*]] = %c0
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[K]]]
// CHECK: tile.pipeline %[[J:.*]] = %c1
// CHECK-NEXT: %[[I:.*]] = tile.iteration %[[J]]
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
func.func @iteration(%a: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %c4 step %c1 {
    %i = tile.iteration %k
    memref.store %v, %a[%i] : memref<4xf32>
  }
  tile.pipeline %k = %c1 to %c4 step %c1 {
    %i = tile.iteration %k
    memref.store %v, %a[%i] : memref<4xf32>
  }
  return
}
