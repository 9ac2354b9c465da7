// RUN: tile-opt %s --split-input-file --verify-diagnostics --expand-software-pipeline

#s = #tile.pipeline_schedule<depth = 2>

func.func @no_stage(%a: memref<?xf32>, %b: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
    // expected-error @+1 {{'memref.store' op is a statement of a planned loop but has no 'tile.stage'}}
    memref.store %z, %b[%k] : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func @order_twice(%a: memref<?xf32>, %b: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-note @+1 {{first used here}}
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 3>} : memref<?xf32>
    // expected-error @+1 {{'memref.store' op reuses issue order 3}}
    memref.store %z, %b[%k] {tile.stage = #tile.stage<1, order = 3>} : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func @stage_too_large(%a: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-error @+1 {{'memref.store' op expects a stage below 1024, got 9000000000}}
    memref.store %z, %a[%k] {tile.stage = #tile.stage<9000000000, order = 3>} : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func @scalar_crosses_stages(%a: memref<?xf32>, %b: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
    // expected-note @+1 {{computed here}}
    %x = memref.load %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<?xf32>
    %y = arith.addf %x, %x : f32
    // expected-error @+1 {{'memref.store' op of stage 1 uses a value that is computed in stage 0}}
    memref.store %y, %b[%k] {tile.stage = #tile.stage<1, order = 2>} : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func @consumer_before_producer(%a: memref<?xf32>, %b: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-note @+1 {{must come after this statement of stage 1, order 1}}
    memref.store %z, %a[%k] {tile.stage = #tile.stage<1, order = 1>} : memref<?xf32>
    // expected-error @+1 {{'memref.load' op of stage 1, order 0 comes too early: read after write of 'arg0' at distance 0}}
    %x = memref.load %a[%k] {tile.stage = #tile.stage<1, order = 0>} : memref<?xf32>
    memref.store %x, %b[%k] {tile.stage = #tile.stage<1, order = 2>} : memref<?xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

func.func @versions_not_made(%A: memref<?x64xf32>, %Y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the buffer has 2 versions that --multi-buffer-versioning has yet to make}}
  %b = tile.alloc {name = "As", versions = 2} : memref<64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-error @+1 {{'tile.copy' op of stage 0, order 0 comes too early: write after read of 'As' at distance 1}}
    tile.copy %A[%k, 0] to %b {tile.stage = #tile.stage<0, order = 0>} : memref<?x64xf32> to memref<64xf32, #shared>
    // expected-note @+1 {{must come after this statement of stage 1, order 1}}
    tile.copy %b to %Y[%k, 0] sizes [64] {tile.stage = #tile.stage<1, order = 1>} : memref<64xf32, #shared> to memref<?x64xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func @carries_values(%a: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'tile.pipeline' op has a schedule but cannot be pipelined: values are carried around the loop}}
  %r = tile.pipeline %k = %c0 to %n step %c1 iter_args(%x = %z) -> (f32) schedule = #s {
    memref.store %x, %a[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
    tile.yield %x : f32
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func private @f(%n: index)

func.func @unknown_effects(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'tile.pipeline' op has a schedule but cannot be pipelined: the effects of 'func.call' are not known}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-note @+1 {{because of this operation}}
    func.call @f(%k) {tile.stage = #tile.stage<0, order = 0>} : (index) -> ()
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

func.func @planned_in_planned(%a: memref<?x?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{outer loop is here}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-error @+1 {{'tile.pipeline' op has a schedule inside a loop that has one}}
    tile.pipeline %j = %c0 to %n step %c1 schedule = #s {
      memref.store %z, %a[%k, %j] {tile.stage = #tile.stage<0, order = 0>} : memref<?x?xf32>
    } {tile.stage = #tile.stage<0, order = 0>}
  }
  return
}

// -----

func.func @not_planned(%a: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{left serial: it asks to be pipelined but has no schedule; run --pipeline-planning first}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    memref.store %z, %a[%k] : memref<?xf32>
  }
  // expected-remark @+1 {{left serial: it asks to be pipelined}}
  tile.pipeline %k = %c0 to %n step %c1 stage = [0] order = [0] {
    memref.store %z, %a[%k] : memref<?xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    memref.store %z, %a[%k] : memref<?xf32>
  }
  return
}
