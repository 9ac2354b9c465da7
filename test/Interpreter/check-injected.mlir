// A program that is already injected against the serial one. With one buffer
// too few the copy of the next row overwrites the row in use.
//
// RUN: tile-run %s --entry f --check --reference %S/Inputs/double-serial.mlir --args '5x4,5x4,0|1|2|5' | FileCheck %s
// RUN: tile-run %s --entry f --minimal-waits --reference %S/Inputs/double-serial.mlir --args '5x4,5x4,5' | FileCheck %s --check-prefix=MINIMAL
// RUN: sed -e 's/arith.constant 2 : index/arith.constant 1 : index/' %s > %t.mlir
// RUN: not tile-run %t.mlir --entry f --check --reference %S/Inputs/double-serial.mlir --args '5x4,5x4,5' 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not tile-run %t.mlir --entry f --check --sanitize=none --reference %S/Inputs/double-serial.mlir --args '5x4,5x4,5' 2>&1 | FileCheck %s --check-prefix=DATA

// CHECK: check passed: 1 forms, 7 policies, 4 argument sets, 56 asynchronous copies, 56 waits
// MINIMAL: waits: 1 needed, 0 can be loosened, 0 not executed
// RACE: error: 'tile.async.copy' op writes memory that an asynchronous copy is still writing
// RACE: error: check failed for 1 of 1 runs
// DATA: error: injected, policy eager, arguments 5x4,5x4,5: argument 1 differs at [0, 0]
func.func @f(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tile.alloc : memref<2x1x4xf32>
  %s0 = tile.slot %b[%c0] : memref<2x1x4xf32> -> memref<1x4xf32>
  %some = arith.cmpi sgt, %n, %c0 : index
  %t0 = tile.async.copy %A[0, 0] to %s0 if %some : memref<?x4xf32> to memref<1x4xf32>
  %g0 = tile.async.commit %t0
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%g = %g0) -> (!tile.token) {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %next, %n : index
    %v1 = arith.remui %next, %c2 : index
    %s1 = tile.slot %b[%v1] : memref<2x1x4xf32> -> memref<1x4xf32>
    %t = tile.async.copy %A[%next, 0] to %s1 if %more : memref<?x4xf32> to memref<1x4xf32>
    %h = tile.async.commit %t
    tile.async.wait %g pending = 1
    %v = arith.remui %i, %c2 : index
    %s = tile.slot %b[%v] : memref<2x1x4xf32> -> memref<1x4xf32>
    tile.map (%j) in [4] {
      %x = memref.load %s[%c0, %j] : memref<1x4xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %B[%i, %j] : memref<?x4xf32>
    }
    scf.yield %h : !tile.token
  }
  return
}
