// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// GEMM with per-row scale vector loaded each step; partial product scaled into
// the accumulator; ns=3.
//
//   for k in 0..8:
//     copy A -> As
//     copy B -> Bs
//     copy scale[k] -> Ss
//     P = As @ Bs (fresh)
//     parallel: Cl += P * Ss[row]

// CHECK: @gemm_with_scales
// CHECK-NEXT: loop: depth 3 stage [0, 0, 0, 3, 3, 3] order [2, 3, 5, 0, 1, 4]
// CHECK-NEXT: versions: As:3 Bs:3 Ss:3

// WAITS: waits: 12 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @gemm_with_scales(%A: memref<32x128xf16>, %B: memref<128x32xf16>,
                            %scale: memref<8x32xf32>, %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Ss = tile.alloc {name = "Ss"} : memref<32xf32, #shared>
  %P = tile.alloc {name = "P"} : memref<32x32xf32, #fragment>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.copy %scale[%k, 0] to %Ss : memref<8x32xf32> to memref<32xf32, #shared>
    tile.fill %P with %zero : f32, memref<32x32xf32, #fragment>
    tile.gemm %As, %Bs, %P
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
    tile.map (%i, %j) in [32, 32] {
      %c = memref.load %Cl[%i, %j] : memref<32x32xf32, #fragment>
      %p = memref.load %P[%i, %j] : memref<32x32xf32, #fragment>
      %s = memref.load %Ss[%i] : memref<32xf32, #shared>
      %ps = arith.mulf %p, %s : f32
      %n = arith.addf %c, %ps : f32
      memref.store %n, %Cl[%i, %j] : memref<32x32xf32, #fragment>
    }
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
