// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Hand schedule of a load / convert / matmul chain over three stages with the
// chain reversed in issue order.
//
//   for k in 0..8:
//     copy W(int8) -> Ws            # stage 0, order 3
//     copy A -> As                 # stage 0, order 2
//     parallel: Wd = fp16(Ws)      # stage 1, order 1
//     Cl += As @ Wd                # stage 2, order 0

// CHECK: @manual_three_way_split
// CHECK-NEXT: loop: depth 3 stage [0, 0, 1, 2] order [3, 2, 1, 0]
// CHECK-NEXT: versions: As:2

// WAITS: waits: 6 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @manual_three_way_split(%A: memref<32x128xf16>,
                                  %W: memref<128x32xi8>,
                                  %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Ws = tile.alloc {name = "Ws"} : memref<16x32xi8, #shared>
  %Wd = tile.alloc {name = "Wd"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 stage = [0, 0, 1, 2] order = [3, 2, 1, 0] {
    %kk = arith.muli %k, %c16 : index
    tile.copy %W[%kk, 0] to %Ws : memref<128x32xi8> to memref<16x32xi8, #shared>
    tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.map (%i, %j) in [16, 32] {
      %w = memref.load %Ws[%i, %j] : memref<16x32xi8, #shared>
      %f = arith.sitofp %w : i8 to f16
      memref.store %f, %Wd[%i, %j] : memref<16x32xf16, #shared>
    }
    tile.gemm %As, %Wd, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
