// RUN: tile-opt %s --inject-software-pipeline --verify-each | FileCheck %s
// RUN: tile-opt %s --inject-software-pipeline --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING

// From versions to counted waits: two copies are asynchronous, one converts and
// one has no asynchronous path.
// CHECK-LABEL: func @gemm(
// CHECK: tile.alloc {name = "As"} : memref<3x8x8xf32
// CHECK: scf.for
// CHECK: tile.async.wait %{{.*}} pending = 1
// CHECK: tile.gemm
// CHECK: tile.async.copy
// CHECK: tile.async.copy
// CHECK: tile.async.commit
// CHECK: }
// CHECK: tile.async.wait %{{.*}} pending = 1
// CHECK: tile.gemm
// CHECK: tile.async.wait %{{.*}} pending = 0
// CHECK: tile.gemm
// CHECK-NOT: tile.stage

// TIMING: MultiBufferVersioning
// TIMING: ExpandSoftwarePipeline
// TIMING: AsyncWaitRelaxation

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>
func.func @gemm(%A: memref<80x8x8xf32>, %x: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0.0 : f32
  %a = tile.alloc {name = "As", versions = 3} : memref<8x8xf32, #shared>
  %b = tile.alloc {name = "Bs", versions = 3} : memref<8x8xf32, #shared>
  %h = tile.alloc {name = "h"} : memref<8x8xf16, #shared>
  tile.pipeline %k = %c0 to %c9 step %c1 schedule = #s {
    tile.copy %A[%k, 0, 0] to %a {tile.stage = #tile.stage<0, order = 1>} : memref<80x8x8xf32> to memref<8x8xf32, #shared>
    tile.copy %A[%k, 0, 0] to %b {tile.stage = #tile.stage<0, order = 2>} : memref<80x8x8xf32> to memref<8x8xf32, #shared>
    tile.gemm %a, %b, %x {tile.stage = #tile.stage<2, order = 0>} : memref<8x8xf32, #shared>, memref<8x8xf32, #shared>, memref<8x8xf32>
    tile.copy %A[%k, 0, 0] to %h {tile.stage = #tile.stage<2, order = 3>} : memref<80x8x8xf32> to memref<8x8xf16, #shared>
    tile.copy %h to %A[%k, 0, 0] sizes [8, 8] {tile.stage = #tile.stage<2, order = 4>} : memref<8x8xf16, #shared> to memref<80x8x8xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 {
    tile.fill %x with %z : f32, memref<8x8xf32>
  }
  return
}
