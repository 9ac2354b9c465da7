// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Two pipelined loops one after the other, each with its own tiles, depths 2
// and 3.
//
//   for k in 0..8 (ns=2): copy A -> As; copy B -> Bs; Cl += As @ Bs
//   for k in 0..8 (ns=3): copy D -> Ds; copy E -> Es; Cl += Ds @ Es

// CHECK: @two_loops_own_tiles
// CHECK-NEXT: loop: depth 2 stage [0, 0, 1] order [0, 1, 2]
// CHECK-NEXT: loop: depth 3 stage [0, 0, 2] order [0, 1, 2]
// CHECK-NEXT: versions: As:2 Bs:2 Ds:3 Es:3

// WAITS: waits: 9 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @two_loops_own_tiles(%A: memref<32x128xf16>, %B: memref<128x32xf16>,
                               %D: memref<32x128xf16>, %E: memref<128x32xf16>,
                               %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Ds = tile.alloc {name = "Ds"} : memref<32x16xf16, #shared>
  %Es = tile.alloc {name = "Es"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 2 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %D[0, %kk] to %Ds : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.copy %E[%kk, 0] to %Es : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %Ds, %Es, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
