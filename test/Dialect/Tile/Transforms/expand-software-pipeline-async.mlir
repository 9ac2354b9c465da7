// RUN: tile-opt %s --split-input-file --verify-each --expand-software-pipeline | FileCheck %s

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// Copies with one first consumer are one group. A and B feed the first store; C
// feeds a later one and is a group of its own. Each consumer waits for its own.
// CHECK-LABEL: func @groups(
// CHECK: scf.for {{.*}} iter_args(%[[AB:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) ->
// CHECK: %[[TA:.*]] = tile.async.copy
// CHECK: %[[TB:.*]] = tile.async.copy
// CHECK-NEXT: %[[GAB:.*]] = tile.async.commit %[[TA]], %[[TB]]
// CHECK: %[[TC:.*]] = tile.async.copy
// CHECK-NEXT: %[[GC:.*]] = tile.async.commit %[[TC]]
// CHECK: tile.async.wait %[[AB]]{{$}}
// CHECK: tile.gemm
// CHECK: tile.async.wait %[[C]]{{$}}
// CHECK: tile.gemm
// CHECK: scf.yield %[[GAB]], %[[GC]]
func.func @groups(%A: memref<9x8x8xf32>, %x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : memref<2x8x8xf32, #shared>
  %b = tile.alloc : memref<2x8x8xf32, #shared>
  %c = tile.alloc : memref<2x8x8xf32, #shared>
  tile.pipeline %k = %c0 to %c8 step %c1 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c2 : index
    %sa = tile.slot %a[%r] : memref<2x8x8xf32, #shared> -> memref<8x8xf32, #shared>
    %sb = tile.slot %b[%r] : memref<2x8x8xf32, #shared> -> memref<8x8xf32, #shared>
    %sc = tile.slot %c[%r] : memref<2x8x8xf32, #shared> -> memref<8x8xf32, #shared>
    tile.copy %A[%k, 0, 0] to %sa {tile.stage = #tile.stage<0, order = 0>} : memref<9x8x8xf32> to memref<8x8xf32, #shared>
    tile.copy %A[%k, 0, 0] to %sb {tile.stage = #tile.stage<0, order = 1>} : memref<9x8x8xf32> to memref<8x8xf32, #shared>
    tile.copy %A[%k, 0, 0] to %sc {tile.stage = #tile.stage<0, order = 2>} : memref<9x8x8xf32> to memref<8x8xf32, #shared>
    tile.gemm %sa, %sb, %x {tile.stage = #tile.stage<1, order = 3>} : memref<8x8xf32, #shared>, memref<8x8xf32, #shared>, memref<8x8xf32>
    tile.gemm %sc, %sb, %y {tile.stage = #tile.stage<1, order = 4>} : memref<8x8xf32, #shared>, memref<8x8xf32, #shared>, memref<8x8xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// A consumer in the same step waits for the group of this step; nothing is
// carried around the loop.
// CHECK-LABEL: func @same_step(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %{{.*}} step %c1{{[_0-9]*}} {
// CHECK: %[[T:.*]] = tile.async.copy
// CHECK-NEXT: %[[G:.*]] = tile.async.commit %[[T]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: tile.async.wait %[[G]]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @same_step(%A: memref<?x8xf32>, %Y: memref<?x8xf32>, %Z: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<8xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 0>} : memref<?x8xf32> to memref<8xf32, #shared>
    memref.store %z, %Z[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<?xf32>
    tile.copy %a to %Y[%k, 0] sizes [8] {tile.stage = #tile.stage<0, order = 2>} : memref<8xf32, #shared> to memref<?x8xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// Who overwrites the source of a copy waits for it as well (the row of the next
// iteration is written in this one), and so does a fill of its target.
// CHECK-LABEL: func @war_and_waw(
// CHECK: scf.for
// CHECK: %[[G:.*]] = tile.async.commit
// CHECK-NEXT: tile.async.wait %[[G]]
// CHECK-NEXT: tile.fill %arg0
// CHECK: tile.fill
// CHECK: tile.copy
// CHECK: }
func.func @war_and_waw(%A: memref<8xf32>, %Y: memref<?x8xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<8xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.copy %A to %a {tile.stage = #tile.stage<0, order = 0>} : memref<8xf32> to memref<8xf32, #shared>
    tile.fill %A with %z {tile.stage = #tile.stage<0, order = 1>} : f32, memref<8xf32>
    tile.fill %a[4] sizes [4] with %z {tile.stage = #tile.stage<0, order = 2>} : f32, memref<8xf32, #shared>
    tile.copy %a to %Y[%k, 0] sizes [8] {tile.stage = #tile.stage<0, order = 3>} : memref<8xf32, #shared> to memref<?x8xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// Nobody in the loop reads what is copied: the last groups are drained behind
// it, and the next copy to the same place waits for the one before.
// CHECK-LABEL: func @drain(
// CHECK: %[[G0:.*]] = tile.async.commit
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %[[G0]])
// CHECK: tile.async.wait %[[P]]
// CHECK: tile.async.copy
// CHECK: }
// CHECK-NEXT: memref.store
// CHECK-NEXT: tile.async.wait %[[R]]
// CHECK-NEXT: return
func.func @drain(%A: memref<?x8xf32>, %Z: memref<?xf32>, %z: f32, %a: memref<8xf32, #shared>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  tile.pipeline %k = %c0 to %c9 step %c1 schedule = #s {
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 0>} : memref<?x8xf32> to memref<8xf32, #shared>
    memref.store %z, %Z[%k] {tile.stage = #tile.stage<1, order = 1>} : memref<?xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// A path that is not asynchronous, a conversion, and a statement that does
// something else too stay as they are.
// CHECK-LABEL: func @synchronous(
// CHECK-NOT: tile.async
// CHECK: return
func.func @synchronous(%A: memref<?x8xf32>, %Y: memref<?x8xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<8xf32, #shared>
  %h = tile.alloc : memref<8xf16, #shared>
  %f = tile.alloc : memref<8xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.copy %A[%k, 0] to %h {tile.stage = #tile.stage<0, order = 0>} : memref<?x8xf32> to memref<8xf16, #shared>
    tile.copy %A[%k, 0] to %f {tile.stage = #tile.stage<0, order = 1>} : memref<?x8xf32> to memref<8xf32, #tile.space<fragment>>
    scf.for %j = %c0 to %n step %c1 {
      tile.copy %A[%k, 0] to %a : memref<?x8xf32> to memref<8xf32, #shared>
      tile.fill %f with %z : f32, memref<8xf32, #tile.space<fragment>>
    } {tile.stage = #tile.stage<0, order = 2>}
    tile.copy %h to %a {tile.stage = #tile.stage<0, order = 3>} : memref<8xf16, #shared> to memref<8xf32, #shared>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>
#slow = #tile.target<"slow", memories = [], transfers = [#tile.transfer<global to shared, unit = "copy", async = false, issue = 1, latency = 1, bytes_per_cycle = 1>], units = []>

// The target says which paths are asynchronous.
// CHECK-LABEL: func @target(
// CHECK-NOT: tile.async
// CHECK: return
module attributes {tile.target = #slow} {
  func.func @target(%A: memref<?x8xf32>, %Y: memref<?x8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = tile.alloc : memref<8xf32, #shared>
    tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
      tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 0>} : memref<?x8xf32> to memref<8xf32, #shared>
      tile.copy %a to %Y[%k, 0] sizes [8] {tile.stage = #tile.stage<0, order = 1>} : memref<8xf32, #shared> to memref<?x8xf32>
    }
    return
  }
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// Guard, fill and offsets of a copy survive; the copy stays asynchronous. In
// straight-line tails where no copy is left there is no commit.
// CHECK-LABEL: func @guarded_copy(
// CHECK: tile.async.copy %{{.*}}[%{{.*}}, 2] to %{{.*}}[1] sizes [4] fill %{{.*}} : f32 if %{{.*}} :
// CHECK: tile.async.commit
// CHECK: tile.async.commit
// CHECK: scf.for
// CHECK: tile.async.commit
// CHECK: }
// CHECK-NOT: tile.async.commit
// CHECK: return
func.func @guarded_copy(%A: memref<?x8xf32>, %G: memref<9xi1>, %Y: memref<9xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %a = tile.alloc : memref<3x8xf32, #shared>
  tile.pipeline %k = %c0 to %c9 step %c1 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c3 : index
    %sa = tile.slot %a[%r] : memref<3x8xf32, #shared> -> memref<8xf32, #shared>
    %g = memref.load %G[%k] : memref<9xi1>
    tile.copy %A[%k, 2] to %sa[1] sizes [4] fill %z : f32 if %g {tile.stage = #tile.stage<0, order = 0>} : memref<?x8xf32> to memref<8xf32, #shared>
    %x = memref.load %sa[%c1] {tile.stage = #tile.stage<2, order = 1>} : memref<8xf32, #shared>
    memref.store %x, %Y[%k] {tile.stage = #tile.stage<2, order = 2>} : memref<9xf32>
  }
  return
}
