// Every broken rule of asynchronous copies is an error at the access, with a
// note at the copy.
//
// RUN: not tile-run %s --entry read_target 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not tile-run %s --entry write_target 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not tile-run %s --entry write_source 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not tile-run %s --entry overlap 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not tile-run %s --entry forgotten 2>&1 | FileCheck %s --check-prefix=END
// RUN: not tile-run %s --entry block_end 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not tile-run %s --entry twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tile-run %s --entry ungrouped 2>&1 | FileCheck %s --check-prefix=UNGROUPED
// RUN: not tile-run %s --entry count 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tile-run %s --entry freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: tile-run %s --entry neighbours
// RUN: tile-run %s --entry read_target --sanitize=none --policy late

// READ: races.mlir:[[#@LINE+7]]:8: error: 'memref.load' op reads memory that an asynchronous copy is still writing
// READ: races.mlir:[[#@LINE+4]]:8: note: the copy, of group 1 of 1 so far
func.func @read_target(%A: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t
  %x = memref.load %b[%c0] : memref<4xf32>
  tile.async.wait %g
  return
}

// WRITE: error: 'tile.fill' op writes memory that an asynchronous copy is still writing
// WRITE: note: the copy, not yet in a group
func.func @write_target(%A: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  tile.fill %b[3] sizes [1] with %zero : f32, memref<4xf32>
  %g = tile.async.commit %t
  tile.async.wait %g
  return
}

// SOURCE: error: 'memref.store' op writes memory that an asynchronous copy is still reading
func.func @write_source(%A: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t
  memref.store %zero, %A[%c0] : memref<4xf32>
  tile.async.wait %g
  return
}

// OVERLAP: error: 'tile.async.copy' op writes memory that an asynchronous copy is still writing
func.func @overlap(%A: memref<4xf32>) {
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  %u = tile.async.copy %A[2] to %b[2] sizes [2] : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t, %u
  tile.async.wait %g
  return
}

// END: error: 'func.func' op ends while 1 asynchronous copies are still in flight
// END: note: the oldest copy that nothing waits for
func.func @forgotten(%A: memref<4xf32>) {
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t
  return
}

// BLOCK: error: 'tile.launch' op ends while 1 asynchronous copies are still in flight
func.func @block_end(%A: memref<4xf32>) {
  tile.launch (%i) in [1] threads = 32 {
    %b = tile.alloc : memref<4xf32>
    %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
    %g = tile.async.commit %t
  }
  return
}

// TWICE: error: 'tile.async.commit' op commits a copy that was committed before
func.func @twice(%A: memref<4xf32>) {
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t
  %h = tile.async.commit %t
  tile.async.wait pending = 0
  return
}

// UNGROUPED: error: 'tile.async.wait' op waits for a copy that is in no group
func.func @ungrouped(%A: memref<4xf32>) {
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  tile.async.wait %t
  return
}

// COUNT: error: 'tile.async.wait' op waits until at most 1 groups are pending, which does not complete group 1 of 1
func.func @count(%A: memref<4xf32>) {
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %A to %b : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t
  tile.async.wait %g pending = 1
  tile.async.wait pending = 0
  return
}

// FREED: error: 'memref.dealloc' op ends the life of a buffer that an asynchronous copy is still reading
func.func @freed() {
  %a = memref.alloc() : memref<4xf32>
  %b = tile.alloc : memref<4xf32>
  %t = tile.async.copy %a to %b : memref<4xf32> to memref<4xf32>
  %g = tile.async.commit %t
  memref.dealloc %a : memref<4xf32>
  tile.async.wait %g
  return
}

// Columns beside the region in flight are free, and so is reading the source.
func.func @neighbours(%A: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %b = tile.alloc : memref<4x4xf32>
  tile.fill %b with %zero : f32, memref<4x4xf32>
  %t = tile.async.copy %A to %b sizes [4, 2] : memref<4x4xf32> to memref<4x4xf32>
  %g = tile.async.commit %t
  %x = memref.load %b[%c1, %c3] : memref<4x4xf32>
  memref.store %x, %A[%c1, %c3] : memref<4x4xf32>
  %y = memref.load %A[%c0, %c0] : memref<4x4xf32>
  tile.fill %b[0, 2] sizes [4, 2] with %x : f32, memref<4x4xf32>
  tile.async.wait %g
  return
}
