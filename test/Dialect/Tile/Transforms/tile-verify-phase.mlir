// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-verify-phase=phase=source

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

// What a user may write is fine, waits of his own included.
func.func @source(%A: !G, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.copy %S to %out sizes [8, 8] : !S to !G
  }
  %t = tile.async.copy %A to %S : !G to !S
  %g = tile.async.commit %t
  tile.async.wait %g
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @planned_facts(%A: !G, %M: memref<2x8x8xf16, #tile.space<shared>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{op has versions = 2 in phase source}}
  %S = tile.alloc {name = "S", versions = 2} : !S
  // expected-error @below {{op has #tile.pipeline_schedule<depth = 2> in phase source}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    // expected-error @below {{op has #tile.stage<0, order = 0> in phase source}}
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : !G to !S
  }
  // expected-error @below {{op selects a version before there are any}}
  %v = tile.slot %M[%c0] : memref<2x8x8xf16, #tile.space<shared>> -> !S
  return
}
