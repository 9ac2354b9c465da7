// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// Hand schedule splitting a recurrence over two stages: state read in stage 0,
// state written in stage 1.
//
//   H = 0
//   for i in 0..8:
//     parallel: f = H + X[i]     # stage 0, order 0
//     copy f -> H                # stage 1, order 1
//     copy H -> Y[i]             # stage 1, order 2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @carried_manual_state_split(%X: memref<8x64xf32>,
                                      %Y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %Hs = tile.alloc {name = "Hs"} : memref<64xf32, #shared>
  %f = tile.alloc {name = "f"} : memref<64xf32, #fragment>
  tile.fill %Hs with %zero : f32, memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 stage = [0, 1, 1] order = [0, 1, 2] {
    // expected-error @below {{illegal manual schedule: 'tile.map' (stage 0, order 0) must come after 'tile.copy' (stage 1, order 1) of the iteration before (read after write of 'Hs', distance 1)}}
    tile.map (%j) in [64] {
      // expected-note @below {{'Hs' is one buffer for all iterations: an iteration may read contents of an earlier one}}
      %a = memref.load %Hs[%j] : memref<64xf32, #shared>
      %x = memref.load %X[%i, %j] : memref<8x64xf32>
      %n = arith.addf %a, %x : f32
      memref.store %n, %f[%j] : memref<64xf32, #fragment>
    }
    // expected-note @below {{the other statement is here}}
    tile.copy %f to %Hs : memref<64xf32, #fragment> to memref<64xf32, #shared>
    tile.copy %Hs to %Y[%i, 0] sizes [64] : memref<64xf32, #shared> to memref<8x64xf32>
  }
  return
}
