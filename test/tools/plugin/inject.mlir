// REQUIRES: mlir-opt
// RUN: %mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(pipeline-planning,inject-software-pipeline)' \
// RUN:   | FileCheck %s
// RUN: %mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(pipeline-planning,tile-verify-phase{phase=planned},inject-software-pipeline{form=predicated},tile-verify-phase{phase=injected},canonicalize)' \
// RUN:   | FileCheck %s

!G = memref<64x8xf16>
!S = memref<8x8xf16, #tile.space<shared>>
!C = memref<8x8xf16, #tile.space<fragment>>

// Stock mlir-opt parses the dialect and runs passes, with options, and named
// pipelines out of the one shared library. (It reads its options before plug-ins
// register theirs, so passes of a plug-in are named in --pass-pipeline only.)
// CHECK-LABEL: @gemm
// CHECK: tile.alloc {{.*}} memref<2x8x8xf16
// CHECK: scf.for
// CHECK: tile.async.copy
// CHECK: tile.async.wait %{{.*}} pending = 1
// CHECK: tile.gemm
func.func @gemm(%A: !G, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  return
}
