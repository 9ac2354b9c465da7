// RUN: tile-opt %s -split-input-file --pipeline-planning -verify-diagnostics -o /dev/null

#shared = #tile.space<shared>

func.func @wrong_length(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // expected-error@+1 {{expected 2 entries in 'stage' and 'order', got 1}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [0] order = [0] {
    // expected-note@+1 {{not counted: 'arith.addi' is replayed at its users}}
    %j = arith.addi %k, %c1 : index
    // expected-note@+1 {{statement 0: 'tile.copy'}}
    tile.copy %A[%j, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-note@+1 {{statement 1: 'tile.copy'}}
    tile.copy %S to %Y[%j, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// A scalar read from a buffer that the loop writes needs an entry.
func.func @scalar_needs_an_entry(%A: memref<?x16xf32>, %Y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // expected-error@+1 {{expected 3 entries in 'stage' and 'order', got 2}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [0, 1] {
    // expected-note@+1 {{statement 0: 'tile.copy'}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-note@+1 {{statement 1: 'memref.load'}}
    %v = memref.load %S[%c0] : memref<16xf32, #shared>
    // expected-note@+1 {{statement 2: 'memref.store'}}
    memref.store %v, %Y[%k] : memref<?xf32>
  }
  return
}

// -----

// What carries the value is not counted.
func.func @wrong_length_with_carried_value(%A: memref<?xf32>, %n: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected 1 entries in 'stage' and 'order', got 3}}
  %r = tile.pipeline %k = %c0 to %n step %c1 iter_args(%x = %init) -> (f32) stage = [0, 0, 1] order = [0, 1, 2] {
    // expected-note@+1 {{not counted: 'arith.addf' is replayed at its users}}
    %y = arith.addf %x, %x : f32
    // expected-note@+1 {{statement 0: 'memref.store'}}
    memref.store %y, %A[%k] : memref<?xf32>
    tile.yield %y : f32
  }
  return %r : f32
}

// -----

#shared = #tile.space<shared>

func.func @producer_in_later_stage(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 stage = [1, 0] order = [0, 1] {
    // expected-note@+1 {{the other statement is here}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-error@+1 {{illegal manual schedule: 'tile.copy' (stage 0, order 1) must come after 'tile.copy' (stage 1, order 0) of the same iteration (read after write of 'S', distance 0)}}
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

func.func @same_stage_reordered(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 0] order = [5, 2] {
    // expected-note@+1 {{the other statement is here}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-error@+1 {{'tile.copy' (stage 0, order 2) must come after 'tile.copy' (stage 0, order 5) of the same iteration}}
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The accumulator is carried: its reader must not fall behind its update.
func.func @carried_update_overtakes_reader(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1, 2] order = [0, 1, 2] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-error@+1 {{'tile.map' (stage 1, order 1) must come after 'tile.copy' (stage 2, order 2) of the iteration before (write after read of 'acc', distance 1)}}
    tile.map (%i) in [16] {
      // expected-note@+1 {{'acc' is one buffer for all iterations: an iteration may read contents of an earlier one}}
      %a = memref.load %acc[%i] : memref<16xf32, #fragment>
      %b = memref.load %S[%i] : memref<16xf32, #shared>
      %c = arith.addf %a, %b : f32
      memref.store %c, %acc[%i] : memref<16xf32, #fragment>
    }
    // expected-note@+1 {{the other statement is here}}
    tile.copy %acc to %Y[%k, 0] : memref<16xf32, #fragment> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// Global memory is no buffer with versions either.
func.func @load_overtakes_store(%A: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 2] order = [0, 1] {
    // expected-error@+1 {{'tile.copy' (stage 0, order 0) must come after 'tile.copy' (stage 2, order 1) of the iteration before (read after write of 'arg0', distance 1)}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %j = arith.addi %k, %c1 : index
    // expected-note@+1 {{the other statement is here}}
    tile.copy %S to %A[%j, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// A tile that another loop hands on cannot have the versions that the stages of
// this one need.
func.func @versions_denied_by_other_loop(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // expected-error@+1 {{illegal manual schedule: it needs 2 versions of 'S', which may have 1}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [0, 1] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    // expected-note@+1 {{'S' is one buffer for all iterations: an iteration may read contents of an earlier one}}
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

func.func private @unknown(index)

func.func @manual_with_obstacle(%A: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{manual schedule cannot be applied: the effects of 'func.call' are not known}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [0, 1] {
    memref.store %x, %A[%k] : memref<?xf32>
    // expected-note@+1 {{because of this operation}}
    func.call @unknown(%k) : (index) -> ()
  }
  return
}

// -----

func.func @too_deep(%A: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects num_stages to be at most 1024, got 1025}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1025 {
    memref.store %x, %A[%k] : memref<?xf32>
  }
  // expected-error@+1 {{expects stages to be less than 1024, got 9223372036854775807}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [9223372036854775807] order = [9223372036854775807] {
    memref.store %x, %A[%k] : memref<?xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Remarks: right, but less overlap than asked
//===----------------------------------------------------------------------===//

#shared = #tile.space<shared>

// What an iteration stores the next one loads.
func.func @loaded_memory_is_written(%A: memref<?x16xf32>, %B: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // expected-remark@+1 {{loop is not pipelined: no statement can run ahead of the others}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    // expected-remark@+1 {{not pipelined: it reads 'arg0', which 'tile.copy' writes in the iteration before}}
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %j = arith.addi %k, %c1 : index
    // expected-note@+1 {{the other statement is here}}
    tile.copy %S to %A[%j, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// The tile keeps old contents where the guard is false, so that it has no
// versions; it can still be refilled behind its use.
func.func @guarded_copy(%A: memref<?x16xf32>, %Z: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index, %g: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    scf.if %g {
      // expected-remark@+1 {{starts only 1 of 3 iterations ahead: it overwrites 'S', which 'tile.copy' reads in the iteration before}}
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    }
    // expected-note@+2 {{the other statement is here}}
    // expected-note@+1 {{'S' is one buffer for all iterations: an iteration may read contents of an earlier one}}
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    tile.copy %Z[%k, 0] to %Y[%k, 0] sizes [1, 16] : memref<?x16xf32> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

func.func @nothing_to_overlap(%A: memref<?x16xf32>, %S: memref<16xf32, #shared>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@+1 {{loop is not pipelined: it has no statements}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %j = arith.addi %k, %c1 : index
  }
  // expected-remark@+1 {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    memref.store %x, %A[%k, %c0] : memref<?x16xf32>
  }
  // expected-remark@+1 {{loop is not pipelined: no iteration uses the tiles that it copies}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
  }
  // expected-remark@+1 {{loop is not pipelined: its statements share one stage}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [1] order = [0] {
    memref.store %x, %A[%k, %c0] : memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

func.func @inner_loop(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // expected-note@+1 {{the loop around it}}
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%i, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    // expected-remark@+1 {{loop is not pipelined: the loop around it is}}
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
      tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    }
  }
  return
}

// -----

// A value that no buffer can hold stays where it is.
func.func @carried_vector(%A: memref<?xvector<4xf32>>, %n: index, %init: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@+1 {{loop is not pipelined: values are carried around the loop}}
  %r = tile.pipeline %k = %c0 to %n step %c1 iter_args(%x = %init) -> (vector<4xf32>) num_stages = 2 {
    memref.store %x, %A[%k] : memref<?xvector<4xf32>>
    tile.yield %x : vector<4xf32>
  }
  return %r : vector<4xf32>
}

// -----

// Only a tile.alloc gets versions, and the remark says so.
func.func @foreign_allocation(%A: memref<?x8xf32>, %C: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{'alloc' is one buffer for all iterations: it is not a 'tile.alloc'}}
  %S = memref.alloc() : memref<1x8xf32, #tile.space<shared>>
  // expected-remark@+1 {{loop is not pipelined: no statement can run ahead of the others}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    // expected-remark@+1 {{not pipelined: it overwrites 'alloc', which 'tile.copy' reads in the iteration before}}
    tile.copy %A[%k, 0] to %S : memref<?x8xf32> to memref<1x8xf32, #tile.space<shared>>
    // expected-note@+1 {{the other statement is here}}
    tile.copy %S to %C[%k, 0] sizes [1, 8] : memref<1x8xf32, #tile.space<shared>> to memref<?x8xf32>
  }
  return
}
