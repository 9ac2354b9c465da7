// RUN: not tile-run --jit %s --entry f 2>&1 | FileCheck %s
// RUN: tile-run --jit %s --entry g 2>&1 | FileCheck %s --check-prefix=HOLDS

// A condition that does not hold is an error at its place; the process lives on.
// CHECK: run-assert.mlir:[[#@LINE+5]]:5: error: assertion failed: block is below 5
func.func @f(%A: memref<8xf32>) {
  tile.launch (%b) in [8] threads = 32 {
    %c5 = arith.constant 5 : index
    %x = arith.cmpi slt, %b, %c5 : index
    cf.assert %x, "block is below 5"
    %o = arith.constant 1.0 : f32
    memref.store %o, %A[%b] : memref<8xf32>
  }
  return
}

// HOLDS-NOT: error
func.func @g(%A: memref<8xf32>) {
  tile.launch (%b) in [8] threads = 32 {
    %c8 = arith.constant 8 : index
    %x = arith.cmpi slt, %b, %c8 : index
    cf.assert %x, "block is below 8"
    %o = arith.constant 1.0 : f32
    memref.store %o, %A[%b] : memref<8xf32>
  }
  return
}
