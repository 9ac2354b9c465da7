// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// Hand schedule with a load in a later stage than its matmul. stage=[1, 0, 0],
// order=[0, 1, 2]
//
//   for k in 0..8:
//     copy A -> As
//     copy B -> Bs
//     Cl += As @ Bs

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @manual_producer_later_stage(%A: memref<32x128xf16>,
                                       %B: memref<128x32xf16>,
                                       %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %c8 step %c1 stage = [1, 0, 0] order = [0, 1, 2] {
    %kk = arith.muli %k, %c16 : index
    // expected-note @below {{the other statement is here}}
    tile.copy %A[0, %kk] to %As : memref<32x128xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<128x32xf16> to memref<16x32xf16, #shared>
    // expected-error @below {{illegal manual schedule: 'tile.gemm' (stage 0, order 2) must come after 'tile.copy' (stage 1, order 0) of the same iteration (read after write of 'As', distance 0)}}
    tile.gemm %As, %Bs, %Cl
        : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<32x32xf32, #fragment> to memref<32x32xf32>
  return
}
