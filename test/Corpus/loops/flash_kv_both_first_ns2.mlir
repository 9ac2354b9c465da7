// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Attention variant with K and V both loaded at the top of the body; ns=2.
//
//   for t in 0..6:
//     copy K[t] -> Ks
//     copy V[t] -> Vs
//     S = 0; S += Q @ Ks^T
//     P = fp16(S)
//     acc += P @ Vs

// CHECK: @flash_kv_both_first_ns2
// CHECK-NEXT: loop: depth 2 stage [0, 0, 2, 2, 2, 2] order [2, 5, 0, 1, 3, 4]
// CHECK-NEXT: versions: Ks:2 Vs:2

// WAITS: waits: 10 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @flash_kv_both_first_ns2(%Q: memref<16x16xf16>,
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
  tile.pipeline %t = %c0 to %c6 step %c1 num_stages = 2 {
    %at = arith.muli %t, %c16 : index
    tile.copy %K[%at, 0] to %Ks : memref<96x16xf16> to memref<16x16xf16, #shared>
    tile.copy %V[%at, 0] to %Vs : memref<96x16xf16> to memref<16x16xf16, #shared>
    tile.fill %S with %zero : f32, memref<16x16xf32, #fragment>
    tile.gemm %Qs, %Ks, %S {transpose_b}
        : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
    tile.copy %S to %P : memref<16x16xf32, #fragment> to memref<16x16xf16, #fragment>
    tile.gemm %P, %Vs, %acc
        : memref<16x16xf16, #fragment>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  tile.copy %acc to %O : memref<16x16xf32, #fragment> to memref<16x16xf32>
  return
}
