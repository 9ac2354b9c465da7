// RUN: tile-opt %s --expand-software-pipeline --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

#s = #tile.pipeline_schedule<depth = 2>

// Every copy of a statement, and of what is replayed for it, says where it comes
// from; the arithmetic of the steps belongs to the loop.
// CHECK: math.sqrt %{{.*}} : f32 loc("root")
// CHECK-NEXT: memref.store %{{.*}} loc("first")
// CHECK: scf.for
// CHECK: arith.subi %{{.*}} loc("loop")
// CHECK-NEXT: memref.store %{{.*}} loc("second")
// CHECK-NEXT: math.sqrt %{{.*}} loc("root")
// CHECK-NEXT: memref.store %{{.*}} loc("first")
// CHECK-NEXT: } loc("loop")
// CHECK: memref.store %{{.*}} loc("second")
func.func @locations(%a: memref<9xf32>, %b: memref<9xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  tile.pipeline %k = %c0 to %c9 step %c1 schedule = #s {
    %r = math.sqrt %z : f32 loc("root")
    memref.store %r, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<9xf32> loc("first")
    memref.store %z, %b[%k] {tile.stage = #tile.stage<1, order = 0>} : memref<9xf32> loc("second")
  } loc("loop")
  return
}
