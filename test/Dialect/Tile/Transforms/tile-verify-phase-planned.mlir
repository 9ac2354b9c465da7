// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-verify-phase=phase=planned

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

func.func @planned(%A: !G, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S", versions = 2} : !S
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : !G to !S
    tile.gemm %S, %S, %C {tile.stage = #tile.stage<1, order = 1>} : !S, !S, !C
  }
  // A loop that stays serial.
  tile.pipeline %k = %c0 to %n step %c1 {
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>
!M = memref<2x8x8xf16, #tile.space<shared>>

// After versioning the slots tell the versions.
func.func @versioned(%A: !G, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc {name = "S"} : !M
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    %i = tile.iteration %k
    %m = arith.remui %i, %c2 : index
    %v = tile.slot %S[%m] : !M -> !S
    tile.copy %A[%k, 0] to %v {tile.stage = #tile.stage<0, order = 0>} : !G to !S
    tile.gemm %v, %v, %C {tile.stage = #tile.stage<1, order = 1>} : !S, !S, !C
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @inputs_left(%A: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{op still has 'num_stages', an input of the planner}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
  }
  // expected-error @below {{op still has 'stage', an input of the planner}}
  // expected-error @below {{op still has 'order', an input of the planner}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [] order = [] {
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @no_schedule(%A: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  // expected-note @below {{the loop is here}}
  tile.pipeline %k = %c0 to %n step %c1 {
    // expected-error @below {{op has #tile.stage<0, order = 0> in a loop without a schedule}}
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : !G to !S
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @stages(%A: !G, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S", versions = 2} : !S
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    // expected-error @below {{op has #tile.stage<1, order = 7> but is not a statement}}
    %i = arith.addi %k, %c1 {tile.stage = #tile.stage<1, order = 7>} : index
    // expected-error @below {{op is a statement of a planned loop without a stage}}
    tile.copy %A[%k, 0] to %S : !G to !S
    // expected-note @below {{first used here}}
    tile.copy %S to %out[%k, 0] {tile.stage = #tile.stage<1, order = 1>} : !S to !G
    // expected-error @below {{op reuses issue order 1}}
    tile.copy %S to %out[%k, 0] {tile.stage = #tile.stage<1, order = 1>} : !S to !G
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// The consumer is issued before the producer of its own iteration.
func.func @too_early(%A: !G, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S", versions = 2} : !S
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 1> {
    // expected-note @below {{on this statement, with #tile.stage<0, order = 1>}}
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 1>} : !G to !S
    // expected-error @below {{op has #tile.stage<0, order = 0>, too early for a read after write dependence at distance 0 on 'S'}}
    tile.gemm %S, %S, %C {tile.stage = #tile.stage<0, order = 0>} : !S, !S, !C
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Three iterations are in flight and two versions hold them: the copy overwrites
// what the gemm has not read.
func.func @too_few_versions(%A: !G, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S", versions = 2} : !S
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 3> {
    // expected-error @below {{op has #tile.stage<0, order = 0>, too early for a write after read dependence at distance 2 on 'S'}}
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : !G to !S
    // expected-note @below {{on this statement, with #tile.stage<2, order = 1>}}
    tile.gemm %S, %S, %C {tile.stage = #tile.stage<2, order = 1>} : !S, !S, !C
  }
  return
}

// -----

!S = memref<8xindex, #tile.space<shared>>

// A scalar of stage 0 must not be used in stage 1, be it through an operation
// that is replayed there.
func.func @scalar_crosses(%S: !S, %out: memref<64x8xf16>, %z: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    // expected-note @below {{computed here}}
    %x = memref.load %S[%c0] {tile.stage = #tile.stage<0, order = 0>} : !S
    %y = arith.addi %x, %c1 : index
    memref.store %y, %S[%c0] {tile.stage = #tile.stage<0, order = 1>} : !S
    // expected-error @below {{op uses, in stage 1, a value of stage 0}}
    tile.fill %out[%y, 0] sizes [1, 8] with %z {tile.stage = #tile.stage<1, order = 2>} : f16, memref<64x8xf16>
  }
  return
}

// -----

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>

func.func @nested(%A: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  // expected-error @below {{op is planned but cannot be pipelined}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 1> {
    // expected-note @below {{a nested loop is pipelined already}}
    tile.pipeline %j = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 1> {
      tile.copy %A[%j, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : !G to !S
    } {tile.stage = #tile.stage<0, order = 0>}
  }
  return
}

// -----

func.func private @opaque()

func.func @obstacle(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{op is planned but cannot be pipelined}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 1> {
    // expected-note @below {{effects}}
    func.call @opaque() : () -> ()
  }
  return
}
