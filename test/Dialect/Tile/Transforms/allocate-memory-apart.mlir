// RUN: tile-opt %s --tile-allocate-memory=avoid-reuse -split-input-file | FileCheck %s

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 1024, align = 64>], transfers = [], units = []>
module attributes {tile.target = #toy} {

// Bytes of their own, although `a` is dead when `b` is used.
// CHECK-LABEL: func.func @fits
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 448 : i64}
func.func @fits(%v: f32) {
  %a = tile.alloc {name = "a"} : memref<100xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<144xf32, #tile.space<shared>>
  tile.fill %a with %v : f32, memref<100xf32, #tile.space<shared>>
  tile.fill %b with %v : f32, memref<144xf32, #tile.space<shared>>
  return
}

// One element more would not fit: bytes are shared after all.
// CHECK-LABEL: func.func @does_not_fit
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 0 : i64}
func.func @does_not_fit(%v: f32) {
  %a = tile.alloc {name = "a"} : memref<100xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<145xf32, #tile.space<shared>>
  tile.fill %a with %v : f32, memref<100xf32, #tile.space<shared>>
  tile.fill %b with %v : f32, memref<145xf32, #tile.space<shared>>
  return
}
}
