// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A tile loaded in the loop is consumed, then overwritten by a fill for the
// next step; ns=3.
//
//   for i in 0..8:
//     copy X[i] -> S
//     acc += S
//     S = 0

// CHECK: @war_read_then_overwrite
// CHECK-NEXT: loop: depth 3 stage [0, 2, 2] order [0, 1, 2]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @war_read_then_overwrite(%X: memref<8x64xf32>, %Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<64xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<64xf32, #fragment>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 3 {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %a = memref.load %acc[%j] : memref<64xf32, #fragment>
      %x0 = memref.load %S[%j] : memref<64xf32, #shared>
      %sum = arith.addf %a, %x0 : f32
      memref.store %sum, %acc[%j] : memref<64xf32, #fragment>
    }
    tile.fill %S with %zero : f32, memref<64xf32, #shared>
  }
  tile.copy %acc to %Y : memref<64xf32, #fragment> to memref<64xf32>
  return
}
