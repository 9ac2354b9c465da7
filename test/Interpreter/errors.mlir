// Any verified program either runs or ends in a located error.
//
// RUN: not tile-run %s --entry load 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not tile-run %s --entry divide --args 0 2>&1 | FileCheck %s --check-prefix=DIV
// RUN: not tile-run %s --entry slot --args 3 2>&1 | FileCheck %s --check-prefix=SLOT
// RUN: not tile-run %s --entry extent --args -1 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not tile-run %s --entry freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not tile-run %s --entry endless --step-limit=1000 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not tile-run %s --entry unsupported 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not tile-run %s --entry step --args 0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not tile-run %s --entry recursive 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: not tile-run %s --entry cast 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: not tile-run %s --entry unwritten --sanitize=uninitialized 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: tile-run %s --entry unwritten
// RUN: not tile-run %s --entry asserts 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not tile-run %s --entry huge 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not tile-run %s --entry none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-run %s --entry load --args 4x4 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tile-run %s --entry load --policy sometimes 2>&1 | FileCheck %s --check-prefix=POLICY

// RUN: not tile-run %s --entry named --args 4x2,3x4 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: argument 1: size 'n' is 3, but that of argument 0 is 4

// NONE: error: no function 'none'
// SHAPE: error: argument 0: expects 1 extents, got 2
// POLICY: error: unknown policy 'sometimes'

// LOAD: errors.mlir:[[#@LINE+4]]:8: error: 'memref.load' op index 8 of dimension 0 is out of bounds, the extent is 8
func.func @load(%A: memref<8xf32>) -> f32 {
  %c8 = arith.constant 8 : index
  %S = tile.alloc : memref<8xf32, #tile.space<shared>>
  %x = memref.load %S[%c8] : memref<8xf32, #tile.space<shared>>
  return %x : f32
}

// DIV: error: 'arith.remsi' op divides 5 by zero
func.func @divide(%d: i32) -> i32 {
  %c5 = arith.constant 5 : i32
  %x = arith.remsi %c5, %d : i32
  return %x : i32
}

// SLOT: error: 'tile.slot' op slot 3 is out of bounds, there are 3
func.func @slot(%i: index) {
  %b = tile.alloc : memref<3x4xf32>
  %s = tile.slot %b[%i] : memref<3x4xf32> -> memref<4xf32>
  return
}

// EXTENT: error: 'tile.map' op has the negative extent -1 in dimension 0
func.func @extent(%n: index) {
  tile.map (%i) in [%n] {
  }
  return
}

// FREED: error: 'memref.load' op accesses a buffer whose life has ended
// FREED: note: ended here
func.func @freed() -> f32 {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  %x = memref.load %b[%c0] : memref<4xf32>
  return %x : f32
}

// LIMIT: exceeds the limit of 1000 steps
func.func @endless() {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    %true2 = arith.constant true
    scf.yield
  }
  return
}

// FOREIGN: error: 'gpu.barrier' op is not supported by the interpreter
func.func @unsupported() {
  gpu.barrier
  return
}

// STEP: error: 'scf.for' op steps by 0, which is not positive
func.func @step(%s: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %c0 step %s {
  }
  return
}

// CALLS: error: 'func.call' op calls deeper than 200
func.func @recursive() {
  call @recursive() : () -> ()
  return
}

// CAST: error: 'memref.cast' op casts extent 8 to 9 in dimension 0
func.func @cast(%A: memref<?xf32>) {
  %b = memref.cast %A : memref<?xf32> to memref<9xf32>
  return
}

// UNWRITTEN: error: 'tile.copy' op reads byte 0 of buffer 'b', which nothing has written
func.func @unwritten(%A: memref<4xi8>) {
  %b = tile.alloc {name = "b"} : memref<4xi8>
  tile.copy %b to %A : memref<4xi8> to memref<4xi8>
  return
}

// ASSERT: error: 'cf.assert' op failed: must not be
func.func @asserts() {
  %false = arith.constant false
  cf.assert %false, "must not be"
  return
}

// HUGE: error: 'tile.alloc' op is larger than memory
func.func @huge() {
  %b = tile.alloc : memref<4294967296x4294967296xf32>
  return
}

func.func @named(%X: memref<?x2xf32> {tile.sizes = ["n", ""]},
                 %Y: memref<?x?xf32> {tile.sizes = ["n", "n"]}) {
  return
}
