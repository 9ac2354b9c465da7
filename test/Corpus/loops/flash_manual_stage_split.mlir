// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Attention with a hand schedule that lets the score matmul run one stage
// before the value matmul.
//
//   for t in 0..6:
//     copy K[t] -> Ks     # stage 0, order 0
//     S = 0                # stage 1, order 3
//     S += Q @ Ks^T        # stage 1, order 4
//     P = fp16(S)          # stage 2, order 1
//     copy V[t] -> Vs     # stage 1, order 5
//     acc += P @ Vs        # stage 2, order 2

// CHECK: @flash_manual_stage_split
// CHECK-NEXT: loop: depth 3 stage [0, 1, 1, 2, 1, 2] order [0, 3, 4, 1, 5, 2]
// CHECK-NEXT: versions: Ks:2

// WAITS: waits: 7 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @flash_manual_stage_split(%Q: memref<16x16xf16>,
                                    %K: memref<96x16xf16>,
                                    %V: memref<96x16xf16>,
                                    %O: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %Qs = tile.alloc {name = "Qs"} : memref<16x16xf16, #shared>
  %Ks = tile.alloc {name = "Ks"} : memref<16x16xf16, #shared>
  %Vs = tile.alloc {name = "Vs"} : memref<16x16xf16, #shared>
  %S = tile.alloc {name = "S"} : memref<16x16xf32, #fragment>
  %P = tile.alloc {name = "P"} : memref<16x16xf16, #fragment>
  %acc = tile.alloc {name = "acc"} : memref<16x16xf32, #fragment>
  tile.copy %Q to %Qs : memref<16x16xf16> to memref<16x16xf16, #shared>
  tile.fill %acc with %zero : f32, memref<16x16xf32, #fragment>
  tile.pipeline %t = %c0 to %c6 step %c1 stage = [0, 1, 1, 2, 1, 2] order = [0, 3, 4, 1, 5, 2] {
    %at = arith.muli %t, %c16 : index
    tile.copy %K[%at, 0] to %Ks : memref<96x16xf16> to memref<16x16xf16, #shared>
    tile.fill %S with %zero : f32, memref<16x16xf32, #fragment>
    tile.gemm %Qs, %Ks, %S {transpose_b}
        : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
    tile.copy %S to %P : memref<16x16xf32, #fragment> to memref<16x16xf16, #fragment>
    tile.copy %V[%at, 0] to %Vs : memref<96x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %P, %Vs, %acc
        : memref<16x16xf16, #fragment>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  tile.copy %acc to %O : memref<16x16xf32, #fragment> to memref<16x16xf32>
  return
}
