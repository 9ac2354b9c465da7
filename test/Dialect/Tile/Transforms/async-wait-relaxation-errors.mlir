// RUN: tile-opt %s -split-input-file -verify-diagnostics -async-wait-relaxation | FileCheck %s

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// No count completes a copy that is in no group.
// CHECK-LABEL: @uncommitted
func.func @uncommitted(%A: !G, %S: !S, %out: !G, %p: i1) {
  // expected-note @below {{copy started here}}
  %t0 = tile.async.copy %A to %S : !G to !S
  scf.if %p {
    %g0 = tile.async.commit %t0
  }
  // CHECK: tile.async.wait %{{.*}} pending = 0
  // expected-warning @below {{waits for a copy that may not be in a group yet}}
  tile.async.wait %t0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// The group of a copy is the next one.
// CHECK-LABEL: @token_of_copy
func.func @token_of_copy(%A: !G, %S: !S, %out: !G) {
  %t0 = tile.async.copy %A to %S : !G to !S
  %g0 = tile.async.commit %t0
  %g1 = tile.async.commit ()
  // CHECK: tile.async.wait %{{.*}} pending = 1
  tile.async.wait %t0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}
