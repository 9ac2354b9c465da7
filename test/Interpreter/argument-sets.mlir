// RUN: tile-run %s --entry fill --args='2x4,3;1x4,5' --print --save=%t. | FileCheck %s
// RUN: ls %t.0-0.npy %t.1-0.npy
// RUN: not tile-run %s --entry fill --args='2x4,3;1x4,5,6' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tile-run %s --entry rows --args=_,1.5 2>&1 | FileCheck %s --check-prefix=FRACTION
// RUN: not tile-run %s --entry rows --args=_,99999999999999999999 2>&1 | FileCheck %s --check-prefix=LARGE

// Sets of arguments are not combined with each other.
// CHECK: argument 0: 2x4xf32 sum 24
// CHECK: argument 0: 1x4xf32 sum 20
// FRACTION: argument 1: expects an integer of 64 bits, got 1.5
// LARGE: argument 1: expects an integer of 64 bits, got 1e+20
// MANY: 'fill' has 2 arguments, got 3
func.func @fill(%a: memref<?x4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x4xf32>
  tile.fill %a[0, 0] sizes [%n, 4] with %x : f32, memref<?x4xf32>
  return
}

func.func @rows(%a: memref<?x4xf32>, %n: index) {
  return
}
