// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-verify-phase

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @injected(%A: !G, %S: !S, %out: !G) {
  %t = tile.async.copy %A to %S : !G to !S
  %g = tile.async.commit %t
  tile.async.wait %g pending = 0
  tile.copy %S to %out sizes [8, 8] : !S to !G
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @loop_left(%A: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{op has versions = 2 in phase injected}}
  %S = tile.alloc {name = "S", versions = 2} : !S
  // expected-error @below {{op has #tile.pipeline_schedule<depth = 2> in phase injected}}
  // expected-error @below {{op is left after expansion}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    // expected-error @below {{op has #tile.stage<0, order = 0> in phase injected}}
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : !G to !S
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @waits(%A: !G, %S: !S) {
  %t = tile.async.copy %A to %S : !G to !S
  %f = tile.async.commit %t
  // expected-error @below {{op has no count}}
  tile.async.wait %f
  // expected-note @below {{the token is made here}}
  %g = tile.async.commit ()
  // expected-warning @below {{leaves 1 groups pending, but its token may have only 0 newer ones}}
  tile.async.wait %g pending = 1
  // Complete by now, however many groups are newer.
  tile.async.wait %g pending = 2
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @path(%A: !G, %S: !S) {
  // expected-error @below {{op is not possible from shared to global on target 'generic'}}
  %t = tile.async.copy %S to %A sizes [8, 8] : !S to !G
  %g = tile.async.commit %t
  tile.async.wait %g pending = 0
  return
}
