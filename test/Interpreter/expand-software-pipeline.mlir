// Planned by hand, run serially and expanded in all forms, under every policy.
// RUN: tile-run %s --check --entry deep --args '_,_,:0..5,0|1|2|3|4|5|9,0|3,1|2' --passes "inject-software-pipeline;inject-software-pipeline{form=prologue};inject-software-pipeline{form=predicated};multi-buffer-versioning,expand-software-pipeline" | FileCheck %s
// RUN: tile-run %s --check --entry down --args '_,_,0|1|2|3|4|9' --passes "inject-software-pipeline;inject-software-pipeline{form=prologue};inject-software-pipeline{form=predicated}" | FileCheck %s
// RUN: tile-run %s --check --entry static --args '_,_,_' --passes "inject-software-pipeline;inject-software-pipeline{form=prologue};inject-software-pipeline{form=predicated};inject-software-pipeline{max-peeled-ops=20}" | FileCheck %s
// RUN: tile-run %s --check --entry in_place --args '_,_,0|1|2|3|4|9' --passes "inject-software-pipeline;inject-software-pipeline{form=prologue};inject-software-pipeline{form=predicated}" | FileCheck %s
// RUN: tile-run %s --check --entry twice --args '_,_,0|1|2|5,0|1|2|5' --passes "inject-software-pipeline;inject-software-pipeline{form=prologue};inject-software-pipeline{form=predicated}" | FileCheck %s

// CHECK: check passed

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// A gather of depth 4: rows, a guarded copy, copies in a nested loop, a scalar
// that leaves its guard; dynamic bounds and step.
func.func @deep(%A: memref<64x8xf32>, %Y: memref<64x8xf32>, %I: memref<64xindex>, %n: index, %lo: index, %st: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc {name = "a", versions = 4} : memref<8xf32, #shared>
  %b = tile.alloc {name = "b", versions = 4} : memref<8xf32, #shared>
  %g = tile.alloc {name = "g"} : memref<8xf32, #shared>
  tile.fill %g with %zero : f32, memref<8xf32, #shared>
  %span = arith.muli %n, %st : index
  %up = arith.addi %lo, %span : index
  tile.pipeline %k = %lo to %up step %st schedule = #s {
    %row = memref.load %I[%k] : memref<64xindex>
    %ok = arith.cmpi ult, %row, %c2 : index
    tile.copy %A[%row, 0] to %a {tile.stage = #tile.stage<0, order = 5>} : memref<64x8xf32> to memref<8xf32, #shared>
    scf.for %j = %c0 to %c8 step %c4 {
      tile.copy %A[%k, %j] to %b[%j] sizes [4] : memref<64x8xf32> to memref<8xf32, #shared>
    } {tile.stage = #tile.stage<0, order = 6>}
    tile.copy %A[%k, 0] to %g if %ok {tile.stage = #tile.stage<2, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    %x = memref.load %a[%c2] {tile.stage = #tile.stage<3, order = 2>} : memref<8xf32, #shared>
    %xx = arith.addf %x, %x : f32
    tile.map (%j) in [8] {
      %u = memref.load %b[%j] : memref<8xf32, #shared>
      %v = memref.load %g[%j] : memref<8xf32, #shared>
      %w = arith.addf %u, %v : f32
      memref.store %w, %Y[%k, %j] : memref<64x8xf32>
    } {tile.stage = #tile.stage<2, order = 3>}
    memref.store %xx, %Y[%k, %c2] {tile.stage = #tile.stage<3, order = 4>} : memref<64x8xf32>
  }
  return
}

// Counting down by a constant from a dynamic start, the tile live afterwards.
func.func @down(%A: memref<64x8xf32>, %Y: memref<64x8xf32>, %n: index) {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %m3 = arith.constant -3 : index
  %c63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc {name = "a", versions = 3} : memref<8xf32, #shared>
  tile.fill %a with %zero : f32, memref<8xf32, #shared>
  %span = arith.muli %n, %c3 : index
  %lo = arith.addi %span, %c5 : index
  tile.pipeline %k = %lo to %c5 step %m3 schedule = #s {
    %i = tile.iteration %k
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %Y[%i, 0] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.copy %a to %Y[%c63, 0] sizes [8] : memref<8xf32, #shared> to memref<64x8xf32>
  return
}

// Constant trip counts 0, 1, 2, 3, 4 and 7 at three stages.
func.func @static(%A: memref<64x8xf32>, %Y: memref<64x8xf32>, %X: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c14 = arith.constant 14 : index
  %a = tile.alloc {name = "a", versions = 3} : memref<8xf32, #shared>
  tile.pipeline %k = %c0 to %c0 step %c1 schedule = #s {
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %Y[%k, 0] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.pipeline %k = %c3 to %c4 step %c2 schedule = #s {
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %Y[%k, 0] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.pipeline %k = %c0 to %c2 step %c1 schedule = #s {
    tile.copy %A[%k, 1] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %X[%k, 0] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.pipeline %k = %c1 to %c4 step %c1 schedule = #s {
    tile.copy %A[%k, 2] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %X[%k, 0] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.pipeline %k = %c0 to %c4 step %c1 schedule = #s {
    tile.copy %A[%k, 3] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %X[%k, 4] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.pipeline %k = %c1 to %c14 step %c2 schedule = #s {
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %Y[%k, 2] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  return
}

// Rows are read, and written two iterations before they are read again: the
// write waits for copies of its row, the copy for nothing that is in flight.
func.func @in_place(%X: memref<64x8xf32>, %Y: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %a = tile.alloc {name = "a", versions = 2} : memref<8xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    %k2 = arith.addi %k, %c2 : index
    tile.copy %X[%k, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %X[%k2, 0] sizes [8] {tile.stage = #tile.stage<1, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
    tile.fill %X[%k, 0] sizes [1, 4] with %one {tile.stage = #tile.stage<1, order = 2>} : f32, memref<64x8xf32>
  }
  return
}

// Two loops of different depth share a tile; it is read between and after them.
func.func @twice(%A: memref<64x8xf32>, %Y: memref<64x8xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c62 = arith.constant 62 : index
  %c63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc {name = "a", versions = 3} : memref<8xf32, #shared>
  tile.fill %a with %zero : f32, memref<8xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.copy %A[%k, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %Y[%k, 0] sizes [8] {tile.stage = #tile.stage<2, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.copy %a to %Y[%c62, 0] sizes [8] : memref<8xf32, #shared> to memref<64x8xf32>
  tile.pipeline %k = %c0 to %m step %c1 schedule = #s {
    tile.copy %A[%k, 1] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<64x8xf32> to memref<8xf32, #shared>
    tile.copy %a to %Y[%k, 4] sizes [8] {tile.stage = #tile.stage<1, order = 0>} : memref<8xf32, #shared> to memref<64x8xf32>
  }
  tile.copy %a to %Y[%c63, 0] sizes [8] : memref<8xf32, #shared> to memref<64x8xf32>
  return
}
