// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Linear recurrence: a register state is updated from the loaded tile and
// every step is written out; ns=2.
//
//   for i in 0..8:
//     copy X[i] -> S
//     parallel: h = 0.5*h + S
//     copy h -> Y[i]

// CHECK: @scan_register_state
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: S:2

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @scan_register_state(%X: memref<8x64xf32>, %Y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %h = tile.alloc {name = "h"} : memref<64xf32, #fragment>
  tile.fill %h with %zero : f32, memref<64xf32, #fragment>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %a = memref.load %h[%j] : memref<64xf32, #fragment>
      %x = memref.load %S[%j] : memref<64xf32, #shared>
      %d = arith.mulf %a, %half : f32
      %n = arith.addf %d, %x : f32
      memref.store %n, %h[%j] : memref<64xf32, #fragment>
    }
    tile.copy %h to %Y[%i, 0] sizes [64] : memref<64xf32, #fragment> to memref<8x64xf32>
  }
  return
}
