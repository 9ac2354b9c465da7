// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Streaming map: load, arithmetic in registers, store; ns=3.
//
//   for i in 0..8:
//     copy X[i] -> S
//     parallel: f = S*2+1
//     copy f -> Y[i]

// CHECK: @elementwise_stream
// CHECK-NEXT: loop: depth 3 stage [0, 3, 3] order [1, 0, 2]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 6 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @elementwise_stream(%X: memref<8x64xf32>, %Y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %f = tile.alloc {name = "f"} : memref<64xf32, #fragment>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 3 {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %x = memref.load %S[%j] : memref<64xf32, #shared>
      %d = arith.mulf %x, %two : f32
      %n = arith.addf %d, %one : f32
      memref.store %n, %f[%j] : memref<64xf32, #fragment>
    }
    tile.copy %f to %Y[%i, 0] sizes [64] : memref<64xf32, #fragment> to memref<8x64xf32>
  }
  return
}
