// RUN: tile-opt %s -split-input-file -async-wait-relaxation | FileCheck %s

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Depth 2, copy before its consumer: one group is newer in the loop, none in
// the tail.
// CHECK-LABEL: @depth_2
func.func @depth_2(%A: !G, %S: !S, %C: !C) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %r = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %g0) -> (!tile.token) {
    %t = tile.async.copy %A[%k, 0] to %S : !G to !S
    %g = tile.async.commit %t
    // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
    // CHECK: tile.async.wait %[[A]] pending = 1
    tile.async.wait %a
    tile.gemm %S, %S, %C : !S, !S, !C
    scf.yield %g : !tile.token
  }
  // CHECK: tile.async.wait %{{.*}} pending = 0
  tile.async.wait %r
  tile.gemm %S, %S, %C : !S, !S, !C
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Depth 4, copy first in the step: three newer groups in the loop, and tails
// without commits count down 2, 1, 0.
// CHECK-LABEL: @depth_4
func.func @depth_4(%A: !G, %S: !S, %C: !C) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %t1 = tile.async.copy %A to %S : !G to !S
  %g1 = tile.async.commit %t1
  %t2 = tile.async.copy %A to %S : !G to !S
  %g2 = tile.async.commit %t2
  // CHECK: scf.for
  // CHECK: tile.async.wait %{{.*}} pending = 3
  // CHECK: }
  %r:3 = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %g0, %b = %g1, %c = %g2)
      -> (!tile.token, !tile.token, !tile.token) {
    %t = tile.async.copy %A[%k, 0] to %S : !G to !S
    %g = tile.async.commit %t
    tile.async.wait %a
    tile.gemm %S, %S, %C : !S, !S, !C
    scf.yield %b, %c, %g : !tile.token, !tile.token, !tile.token
  }
  // CHECK: tile.async.wait %{{.*}}#0 pending = 2
  // CHECK: tile.async.wait %{{.*}}#1 pending = 1
  // CHECK: tile.async.wait %{{.*}}#2 pending = 0
  tile.async.wait %r#0
  tile.gemm %S, %S, %C : !S, !S, !C
  tile.async.wait %r#1
  tile.gemm %S, %S, %C : !S, !S, !C
  tile.async.wait %r#2
  tile.gemm %S, %S, %C : !S, !S, !C
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Depth 3, the consumer issues before the copy of its step: one less. The trip
// count is not known; the guarded tails commit nothing.
// CHECK-LABEL: @consumer_first_dynamic
func.func @consumer_first_dynamic(%A: !G, %S: !S, %C: !C, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %t1 = tile.async.copy %A to %S : !G to !S
  %g1 = tile.async.commit %t1
  // CHECK: scf.for
  // CHECK: tile.async.wait %{{.*}} pending = 1
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %g0, %b = %g1)
      -> (!tile.token, !tile.token) {
    tile.async.wait %a
    tile.gemm %S, %S, %C : !S, !S, !C
    %t = tile.async.copy %A[%k, 0] to %S : !G to !S
    %g = tile.async.commit %t
    scf.yield %b, %g : !tile.token, !tile.token
  }
  // CHECK: tile.async.wait %{{.*}}#0 pending = 1
  tile.async.wait %r#0
  scf.if %p {
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  // CHECK: tile.async.wait %{{.*}}#1 pending = 0
  tile.async.wait %r#1
  scf.if %p {
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// The predicated form commits an empty group where there is no copy, so one
// count holds for all steps; there is nothing to wait for before the first.
// CHECK-LABEL: @predicated
func.func @predicated(%A: !G, %S: !S, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = tile.async.none
  %steps = arith.addi %n, %c2 : index
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK: tile.async.wait %[[A]] pending = 2
  %r:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%a = %none, %b = %none)
      -> (!tile.token, !tile.token) {
    %p = arith.cmpi slt, %k, %n : index
    %t = scf.if %p -> (!tile.token) {
      %c = tile.async.copy %A[%k, 0] to %S : !G to !S
      scf.yield %c : !tile.token
    } else {
      scf.yield %none : !tile.token
    }
    %g = tile.async.commit %t
    tile.async.wait %a
    %q = arith.cmpi sge, %k, %c2 : index
    scf.if %q {
      tile.gemm %S, %S, %C : !S, !S, !C
    }
    scf.yield %b, %g : !tile.token, !tile.token
  }
  // CHECK: tile.async.wait {{.*}} pending = 0
  // CHECK-NEXT: return
  tile.async.wait %r#0, %r#1
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Two groups in each of three iterations in flight: a count of iterations
// instead of groups would let the consumers run early.
// CHECK-LABEL: @two_groups
func.func @two_groups(%A: !G, %S: !S, %T: !S, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a0c = tile.async.copy %A to %S : !G to !S
  %a0 = tile.async.commit %a0c
  %b0c = tile.async.copy %A to %T : !G to !S
  %b0 = tile.async.commit %b0c
  %a1c = tile.async.copy %A to %S : !G to !S
  %a1 = tile.async.commit %a1c
  %b1c = tile.async.copy %A to %T : !G to !S
  %b1 = tile.async.commit %b1c
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK: tile.async.wait %[[A]] pending = 5
  // CHECK: tile.async.wait %[[B]] pending = 4
  %r:4 = scf.for %k = %c0 to %n step %c1
      iter_args(%a = %a0, %b = %b0, %x = %a1, %y = %b1)
      -> (!tile.token, !tile.token, !tile.token, !tile.token) {
    %ac = tile.async.copy %A[%k, 0] to %S : !G to !S
    %ga = tile.async.commit %ac
    %bc = tile.async.copy %A[%k, 0] to %T : !G to !S
    %gb = tile.async.commit %bc
    tile.async.wait %a
    tile.gemm %S, %S, %C : !S, !S, !C
    tile.async.wait %b
    tile.gemm %T, %T, %C : !S, !S, !C
    scf.yield %x, %y, %ga, %gb : !tile.token, !tile.token, !tile.token, !tile.token
  }
  // CHECK: tile.async.wait %{{.*}}#0 pending = 3
  tile.async.wait %r#0
  tile.gemm %S, %S, %C : !S, !S, !C
  // CHECK: tile.async.wait %{{.*}}#1 pending = 2
  tile.async.wait %r#1
  tile.gemm %T, %T, %C : !S, !S, !C
  // CHECK: tile.async.wait %{{.*}}#2 pending = 1
  tile.async.wait %r#2
  tile.gemm %S, %S, %C : !S, !S, !C
  // CHECK: tile.async.wait %{{.*}}#3 pending = 0
  tile.async.wait %r#3
  tile.gemm %T, %T, %C : !S, !S, !C
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// The branch that commits less bounds the count; a token out of a branch has
// the count of its newest source.
// CHECK-LABEL: @branches
func.func @branches(%A: !G, %S: !S, %out: !G, %p: i1) {
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  scf.if %p {
    %e0 = tile.async.commit ()
    %e1 = tile.async.commit ()
  } else {
    %e2 = tile.async.commit ()
    // Inside the branch there is one way only.
    // CHECK: tile.async.wait %{{.*}} pending = 1
    tile.async.wait %g0
    tile.copy %S to %out sizes [8, 8] : !S to !G
  }
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %g0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  %t1 = tile.async.copy %A to %S : !G to !S
  %g1 = tile.async.commit %t1
  %g2 = scf.if %p -> (!tile.token) {
    %x = tile.async.commit ()
    scf.yield %x : !tile.token
  } else {
    scf.yield %g1 : !tile.token
  }
  // CHECK: tile.async.wait %{{.*}} pending = 0
  tile.async.wait %g2
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// A loop counts as often as it certainly runs.
// CHECK-LABEL: @nested_loops
func.func @nested_loops(%A: !G, %S: !S, %T: !S, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  scf.for %i = %c0 to %c4 step %c1 {
    %e = tile.async.commit ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %e = tile.async.commit ()
  }
  scf.for %i = %c4 to %c0 step %c1 {
    %e = tile.async.commit ()
  }
  // CHECK: tile.async.wait %{{.*}} pending = 4
  tile.async.wait %g0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  %t1 = tile.async.copy %A to %T : !G to !S
  %g1 = tile.async.commit %t1
  // The first iteration has no earlier one before it.
  // CHECK: scf.for
  // CHECK: tile.async.wait %{{.*}} pending = 1
  // CHECK: scf.for
  // CHECK: tile.async.wait %{{.*}} pending = 2
  scf.for %i = %c0 to %n step %c1 {
    %e = tile.async.commit ()
    tile.async.wait %g1
    tile.copy %T to %out sizes [8, 8] : !S to !G
    %t2 = tile.async.copy %A to %S : !G to !S
    %g2 = tile.async.commit %t2
    scf.for %j = %c0 to %n step %c1 {
      %e2 = tile.async.commit ()
      %e3 = tile.async.commit ()
      tile.async.wait %g2
      tile.copy %S to %out sizes [8, 8] : !S to !G
    }
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// Waits with a count are the user's: not changed, not moved, not merged, not
// removed. They only count where every path passes them.
// CHECK-LABEL: @user_waits
func.func @user_waits(%A: !G, %S: !S, %out: !G, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  // CHECK: scf.if
  // CHECK-NEXT: tile.async.wait pending = 0
  scf.if %p {
    tile.async.wait pending = 0
  }
  // CHECK: tile.async.wait %[[G0:.*]] pending = 0
  // CHECK-NEXT: tile.copy
  tile.async.wait %g0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  // CHECK: tile.async.wait pending = 7
  // CHECK-NEXT: tile.async.wait pending = 5
  // CHECK-NEXT: tile.async.wait %{{.*}} pending = 5
  tile.async.wait pending = 7
  tile.async.wait pending = 5
  tile.async.wait %g0 pending = 5
  // CHECK: scf.for
  // CHECK-NEXT: tile.async.wait pending = 2
  // CHECK-NEXT: tile.copy
  scf.for %k = %c0 to %n step %c1 {
    tile.async.wait pending = 2
    tile.copy %S to %out sizes [8, 8] : !S to !G
  }
  %t1 = tile.async.copy %A to %S : !G to !S
  %g1 = tile.async.commit %t1
  // CHECK: tile.async.wait pending = 0
  // CHECK-NEXT: tile.copy
  tile.async.wait pending = 0
  tile.async.wait %g1
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Two waits before one consumer become one; a second wait on the same group, and
// one on an older group, find nothing to do.
// CHECK-LABEL: @merge_and_remove
func.func @merge_and_remove(%A: !G, %S: !S, %T: !S, %C: !C, %p: i1) {
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %t1 = tile.async.copy %A to %T : !G to !S
  %g1 = tile.async.commit %t1
  %e = tile.async.commit ()
  // CHECK: tile.async.wait %{{.*}}, %{{.*}} pending = 1
  // CHECK-NEXT: tile.gemm
  // CHECK-NEXT: tile.gemm
  // CHECK-NEXT: scf.if
  tile.async.wait %g0
  tile.async.wait %g1
  tile.gemm %S, %T, %C : !S, !S, !C
  tile.async.wait %g1
  tile.async.wait %g0
  tile.gemm %T, %S, %C : !S, !S, !C
  // How many groups are newer depends on the branch, but this one is complete.
  scf.if %p {
    %e1 = tile.async.commit ()
  }
  // CHECK-NOT: tile.async.wait
  tile.async.wait %g1
  tile.gemm %T, %S, %C : !S, !S, !C
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// A wait is not implied by one that a later iteration may not have passed, nor
// by one before the loop if the loop commits.
// CHECK-LABEL: @not_implied
func.func @not_implied(%A: !G, %S: !S, %out: !G, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.async.wait pending = 0
  // CHECK: scf.for
  // CHECK: tile.async.commit
  // CHECK: scf.if
  // CHECK-NEXT: tile.async.wait %{{.*}} pending = 0
  // CHECK: tile.async.wait %{{.*}} pending = 0
  scf.for %k = %c0 to %n step %c1 {
    %t = tile.async.copy %A[%k, 0] to %S : !G to !S
    %g = tile.async.commit %t
    scf.if %p {
      tile.async.wait %g
      tile.copy %S to %out sizes [8, 8] : !S to !G
    }
    tile.async.wait %g
    tile.copy %S to %out sizes [8, 8] : !S to !G
  }
  // Nothing is in flight however often the loop ran.
  // CHECK: }
  // CHECK-NOT: tile.async.wait
  %t1 = tile.async.commit ()
  %none = tile.async.none
  tile.async.wait %none
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// A wait goes down past what cannot touch the memory of a copy, a commit
// included, and stays above what may.
// CHECK-LABEL: @sink
func.func @sink(%A: !G, %out: !G, %z: f16) {
  %S = tile.alloc {name = "S"} : !S
  %C = tile.alloc {name = "C"} : !C
  %D = tile.alloc {name = "D"} : !S
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  tile.async.wait %g0
  // CHECK: tile.fill %C
  // CHECK-NEXT: tile.async.commit
  // CHECK-NEXT: linalg.fill
  // CHECK-NEXT: tile.map
  // CHECK: tile.async.wait %{{.*}} pending = 1
  // CHECK-NEXT: tile.gemm
  tile.fill %C with %z : f16, !C
  %e = tile.async.commit ()
  linalg.fill ins(%z : f16) outs(%D : !S)
  tile.map (%i, %j) in [8, 8] {
    memref.store %z, %D[%i, %j] : !S
  }
  tile.gemm %S, %S, %C : !S, !S, !C
  %t1 = tile.async.copy %A to %S : !G to !S
  %g1 = tile.async.commit %t1
  // The source must not be written while the copy may still read it.
  // CHECK: tile.async.wait %{{.*}} pending = 0
  // CHECK-NEXT: tile.copy %C to %arg0
  tile.async.wait %g1
  tile.copy %C to %A sizes [8, 8] : !C to !G
  %t2 = tile.async.copy %A to %S : !G to !S
  %g2 = tile.async.commit %t2
  // Nothing in the block needs this one: it ends the flight where it stands.
  // CHECK: tile.async.wait %{{.*}} pending = 0
  // CHECK-NEXT: tile.fill
  // CHECK-NEXT: return
  tile.async.wait %g2
  tile.fill %C with %z : f16, !C
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// Nothing is in flight in the first iteration, but in the later ones.
// CHECK-LABEL: @back_edge
func.func @back_edge(%A: !G, %S: !S, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = tile.async.none
  tile.async.wait pending = 0
  // CHECK: scf.for
  // CHECK-NEXT: tile.async.wait %{{.*}} pending = 1
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %none, %b = %none)
      -> (!tile.token, !tile.token) {
    tile.async.wait %a
    tile.copy %S to %out sizes [8, 8] : !S to !G
    %t = tile.async.copy %A[%k, 0] to %S : !G to !S
    %g = tile.async.commit %t
    scf.yield %b, %g : !tile.token, !tile.token
  }
  // CHECK: tile.async.wait %{{.*}} pending = 0
  tile.async.wait %r#0, %r#1
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// What was waited for before the loop needs no wait in it: only the groups of
// earlier iterations count.
// CHECK-LABEL: @complete_on_entry
func.func @complete_on_entry(%A: !G, %S: !S, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  // CHECK: tile.async.wait %{{.*}} pending = 0
  tile.async.wait %g0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  // CHECK: scf.for
  // CHECK-NEXT: tile.async.wait %{{.*}} pending = 1
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %g0) -> (!tile.token) {
    tile.async.wait %a
    %t = tile.async.copy %A[%k, 0] to %S : !G to !S
    %g = tile.async.commit %t
    %e = tile.async.commit ()
    scf.yield %g : !tile.token
  }
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %r
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// A rolled tail: its iterations wait for groups with one and with no newer one,
// and for none after these.
// CHECK-LABEL: @tail_loop
func.func @tail_loop(%A: !G, %S: !S, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %t1 = tile.async.copy %A to %S : !G to !S
  %g1 = tile.async.commit %t1
  %none = tile.async.none
  // CHECK: scf.for
  // CHECK: tile.async.wait %{{.*}} pending = 0
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %g0, %b = %g1)
      -> (!tile.token, !tile.token) {
    tile.async.wait %a
    tile.copy %S to %out sizes [8, 8] : !S to !G
    scf.yield %b, %none : !tile.token, !tile.token
  }
  // Without an iteration both groups are still in flight.
  // CHECK: tile.async.wait %{{.*}} pending = 0
  // CHECK-NEXT: tile.copy
  tile.async.wait %r#0, %r#1
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func private @opaque()

// A call may commit: it never raises a count, and nothing is implied across it.
// CHECK-LABEL: @calls
func.func @calls(%A: !G, %S: !S, %out: !G, %token: !tile.token) {
  // An argument may be of the newest group.
  // CHECK: tile.async.wait %{{.*}} pending = 0
  // CHECK-NEXT: call
  tile.async.wait %token
  func.call @opaque() : () -> ()
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  // CHECK: call
  // CHECK-NEXT: tile.async.wait %{{.*}} pending = 0
  func.call @opaque() : () -> ()
  tile.async.wait %g0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  %g1 = tile.async.commit ()
  func.call @opaque() : () -> ()
  // CHECK: call
  // CHECK-NEXT: tile.async.wait %{{.*}} pending = 0
  tile.async.wait %g1
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// Branches between blocks are not followed: the counts are small, but right.
// CHECK-LABEL: @blocks
func.func @blocks(%A: !G, %S: !S, %out: !G, %p: i1) {
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %e0 = tile.async.commit ()
  cf.cond_br %p, ^a, ^b(%g0 : !tile.token)
^a:
  %e1 = tile.async.commit ()
  cf.br ^b(%e1 : !tile.token)
^b(%g: !tile.token):
  // CHECK: tile.async.wait %{{.*}} pending = 0
  tile.async.wait %g0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  %t1 = tile.async.copy %A to %S : !G to !S
  %e2 = tile.async.commit %t1
  %e3 = tile.async.commit ()
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %e2
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// Other carriers of tokens: while loops, switches, selects, serial pipelines.
// CHECK-LABEL: @carriers
func.func @carriers(%A: !G, %S: !S, %out: !G, %p: i1, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %g1 = tile.async.commit ()
  %w = scf.while (%x = %g0) : (!tile.token) -> (!tile.token) {
    scf.condition(%p) %x : !tile.token
  } do {
  ^bb0(%y: !tile.token):
    %e = tile.async.commit ()
    %f = tile.async.commit ()
    %h = tile.async.commit ()
    scf.yield %e : !tile.token
  }
  // One newer on entry, two from the back edge.
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %w
  tile.copy %S to %out sizes [8, 8] : !S to !G
  %s = scf.index_switch %i -> !tile.token
  case 0 {
    %e = tile.async.commit ()
    scf.yield %e : !tile.token
  }
  default {
    %e = tile.async.commit ()
    scf.yield %e : !tile.token
  }
  %e4 = tile.async.commit ()
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %s
  tile.copy %S to %out sizes [8, 8] : !S to !G
  %g5 = tile.async.commit ()
  %g6 = tile.async.commit ()
  %g7 = tile.async.commit ()
  %sel = arith.select %p, %g5, %g6 : !tile.token
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %sel
  tile.copy %S to %out sizes [8, 8] : !S to !G
  // The loop certainly runs, so its result is not what came in.
  %l = tile.pipeline %k = %c0 to %c3 step %c1 iter_args(%x = %g7) -> (!tile.token) {
    %e = tile.async.commit ()
    %f = tile.async.commit ()
    %g = tile.async.commit ()
    tile.yield %e : !tile.token
  }
  // CHECK: tile.async.wait %{{.*}} pending = 2
  tile.async.wait %l
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// Memory of unknown shape may be any memory.
// CHECK-LABEL: @unranked
func.func @unranked(%A: !G, %S: !S, %u: memref<*xf16>) {
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  // CHECK: tile.async.wait %{{.*}} pending = 0
  // CHECK-NEXT: memref.copy
  tile.async.wait %g0
  memref.copy %A, %u : !G to memref<*xf16>
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// The wait for the younger group completes the older one as well, one iteration
// early. In the first iteration only groups of callers are in flight, which are
// older than what the wait is for.
// CHECK-LABEL: @first_iteration
func.func @first_iteration(%A: !G, %S: !S, %T: !S, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = tile.async.none
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 iter_args(%s1 = %none, %s2 = %none, %t1 = %none) -> (!tile.token, !tile.token, !tile.token) {
    // CHECK-NOT: tile.async.wait %{{.*}} pending = 3
    tile.async.wait %s2
    tile.copy %S to %C : !S to !C
    // CHECK: tile.async.wait %{{.*}} pending = 0
    tile.async.wait %t1
    tile.copy %T to %C : !S to !C
    %a = tile.async.copy %A[%i, 0] to %S : !G to !S
    %s = tile.async.commit %a
    %b = tile.async.copy %A[%i, 0] to %T : !G to !S
    %t = tile.async.commit %b
    scf.yield %s, %s1, %t : !tile.token, !tile.token, !tile.token
  }
  return
}

// A group of the caller may be what a wait is for.
// CHECK-LABEL: @group_of_the_caller
func.func @group_of_the_caller(%A: !G, %S: !S, %T: !S, %C: !C, %n: index, %token: !tile.token) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = tile.async.none
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 iter_args(%s1 = %none, %s2 = %none, %t1 = %none) -> (!tile.token, !tile.token, !tile.token) {
    // CHECK: tile.async.wait %{{.*}} pending = 3
    tile.async.wait %s2
    tile.copy %S to %C : !S to !C
    // CHECK: tile.async.wait %{{.*}} pending = 0
    tile.async.wait %t1
    tile.copy %T to %C : !S to !C
    %a = tile.async.copy %A[%i, 0] to %S : !G to !S
    %s = tile.async.commit %a
    %b = tile.async.copy %A[%i, 0] to %T : !G to !S
    %t = tile.async.commit %b
    scf.yield %s, %s1, %t : !tile.token, !tile.token, !tile.token
  }
  return
}
