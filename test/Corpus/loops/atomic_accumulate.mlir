// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A loaded tile is added into global memory with atomics; ns=3.
//
//   for i in 0..8:
//     copy X[i] -> S
//     parallel: atomic Y += S

// CHECK: @atomic_accumulate
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>

func.func @atomic_accumulate(%X: memref<8x64xf32>, %Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 3 {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %x = memref.load %S[%j] : memref<64xf32, #shared>
      tile.atomic <add> %x, %Y[%j] : f32, memref<64xf32>
    }
  }
  return
}
