// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// The tile goes memory -> registers -> shared (for a conversion on the way),
// then matmul; ns=3.
//
//   for k in 0..8:
//     copy A(fp32) -> Af (registers)
//     copy Af -> As (fp16, shared)
//     copy B -> Bs
//     Cl += As @ Bs

// CHECK: @register_staged_load
// CHECK-NEXT: loop: depth 3 stage [2, 2, 0, 2] order [1, 2, 0, 3]
// CHECK-NEXT: versions: Bs:3

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @register_staged_load(%A: memref<32x128xf32>, %B: memref<128x32xf16>,
                                %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %Af = tile.alloc {name = "Af"} : memref<32x16xf32, #fragment>
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %Af : memref<32x128xf32> to memref<32x16xf32, #fragment>
    tile.copy %Af to %As : memref<32x16xf32, #fragment> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
