// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// One loaded tile is read by two matmuls; ns=3.
//
//   for k in 0..8:
//     copy A -> As
//     copy B -> Bs
//     copy D -> Ds
//     C1 += As @ Bs
//     C2 += As @ Ds

// CHECK: @copy_two_consumers
// CHECK-NEXT: loop: depth 3 stage [0, 0, 0, 3, 3] order [3, 1, 4, 0, 2]
// CHECK-NEXT: versions: As:3 Bs:3 Ds:3

// WAITS: waits: 12 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @copy_two_consumers(%A: memref<32x128xf16>, %B: memref<128x32xf16>,
                              %D: memref<128x32xf16>, %X: memref<32x32xf32>,
                              %Y: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Ds = tile.alloc {name = "Ds"} : memref<16x32xf16, #shared>
  %C1 = tile.alloc {name = "C1"} : memref<32x32xf32, #fragment>
  %C2 = tile.alloc {name = "C2"} : memref<32x32xf32, #fragment>
  tile.fill %C1 with %zero : f32, memref<32x32xf32, #fragment>
  tile.fill %C2 with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.copy %D[%kk, 0] to %Ds : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %C1
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
    tile.gemm %As, %Ds, %C2
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %C1 to %X : memref<32x32xf32, #fragment> to memref<32x32xf32>
  tile.copy %C2 to %Y : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
