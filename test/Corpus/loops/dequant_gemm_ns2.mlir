// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Weight-only int8 GEMM: packed tile loaded, expanded element-wise into an
// fp16 tile, then matmul; ns=2.
//
//   for k in 0..8:
//     copy A -> As
//     copy W(int8) -> Ws
//     parallel: Wd = fp16(Ws) * 0.5
//     Cl += As @ Wd

// CHECK: @dequant_gemm_ns2
// CHECK-NEXT: loop: depth 2 stage [0, 0, 2, 2] order [3, 1, 0, 2]
// CHECK-NEXT: versions: As:2 Ws:2

// WAITS: waits: 10 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @dequant_gemm_ns2(%A: memref<32x128xf16>, %W: memref<128x32xi8>,
                            %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %halfh = arith.constant 0.5 : f16
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Ws = tile.alloc {name = "Ws"} : memref<16x32xi8, #shared>
  %Wd = tile.alloc {name = "Wd"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 2 {
    %kk = arith.muli %k, %c16 : index
    tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.copy %W[%kk, 0] to %Ws : memref<128x32xi8> to memref<16x32xi8, #shared>
    tile.map (%i, %j) in [16, 32] {
      %w = memref.load %Ws[%i, %j] : memref<16x32xi8, #shared>
      %f = arith.sitofp %w : i8 to f16
      %d = arith.mulf %f, %halfh : f16
      memref.store %d, %Wd[%i, %j] : memref<16x32xf16, #shared>
    }
    tile.gemm %As, %Wd, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
