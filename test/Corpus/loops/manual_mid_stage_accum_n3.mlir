// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// Hand schedule with an accumulation in the middle stage, 3 iteration(s);
// stage=[0,1,2], order=[0,1,2].
//
//   for i in 0..3:
//     copy X[i] -> S          # stage 0
//     acc += S                # stage 1
//     copy acc -> Z[i]        # stage 2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @manual_mid_stage_accum_n3(%X: memref<3x64xf32>,
                                     %Z: memref<3x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<64xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<64xf32, #fragment>
  tile.pipeline %i = %c0 to %c3 step %c1 stage = [0, 1, 2] order = [0, 1, 2] {
    tile.copy %X[%i, 0] to %S : memref<3x64xf32> to memref<64xf32, #shared>
    // expected-error @below {{illegal manual schedule: 'tile.map' (stage 1, order 1) must come after 'tile.copy' (stage 2, order 2) of the iteration before (write after read of 'acc', distance 1)}}
    tile.map (%j) in [64] {
      // expected-note @below {{'acc' is one buffer for all iterations: an iteration may read contents of an earlier one}}
      %a = memref.load %acc[%j] : memref<64xf32, #fragment>
      %x0 = memref.load %S[%j] : memref<64xf32, #shared>
      %sum = arith.addf %a, %x0 : f32
      memref.store %sum, %acc[%j] : memref<64xf32, #fragment>
    }
    // expected-note @below {{the other statement is here}}
    tile.copy %acc to %Z[%i, 0] sizes [64] : memref<64xf32, #fragment> to memref<3x64xf32>
  }
  return
}
