// RUN: tile-opt %s --tile-guard-accesses | FileCheck %s

#shared = #tile.space<shared>

// A region is cut to what exists.
// CHECK-LABEL: func @fill(
func.func @fill(%Y: memref<?xf32>, %at: index, %v: f32) {
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // CHECK: tile.fill %[[S:.*]][8] sizes [8]
  tile.fill %S[8] sizes [8] with %v : f32, memref<16xf32, #shared>
  // CHECK: %[[N:.*]] = memref.dim
  // CHECK: arith.minsi %{{.*}}, %[[N]]
  // CHECK: tile.fill %{{.*}}[%[[FIRST:.*]]] sizes [%{{.*}}]
  tile.fill %Y[%at] sizes [16] with %v : f32, memref<?xf32>
  // CHECK: tile.fill %[[S]][%{{.*}}] sizes [%{{.*}}]
  tile.fill %S[%at] sizes [16] with %v : f32, memref<16xf32, #shared>
  return
}
