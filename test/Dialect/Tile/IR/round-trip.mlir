// RUN: tile-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @alloc
func.func @alloc() {
  // CHECK: tile.alloc
  %a = tile.alloc : memref<64x32xf16, #tile.space<shared>>
  return
}
