// RUN: tile-opt %s --tile-check-capacity | FileCheck %s

// A module without a tile operation, and so without the dialect.
// CHECK-LABEL: func.func @no_tile_operation
func.func @no_tile_operation(%m: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %m[%c0] : memref<4xf32>
  return
}
