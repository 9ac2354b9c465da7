// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check

// An inner serial loop both loads rows of a tile and folds them into a
// register sum; the tile is then written out; ns=2.
//
//   for i in 0..4:
//     for u in serial 0..2:
//       copy X[2i+u] -> S[u]
//       acc += S[u]
//     copy S -> Y[i]

// CHECK: @inner_loop_copy_plus_compute
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @inner_loop_copy_plus_compute(%X: memref<8x64xf32>,
                                        %Y: memref<4x2x64xf32>,
                                        %Z: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<2x64xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<64xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<64xf32, #fragment>
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %i = %c0 to %c4 step %c1 num_stages = 2 {
    scf.for %u = %c0 to %c2 step %c1 {
      %i2 = arith.muli %i, %c2 : index
      %row = arith.addi %i2, %u : index
      tile.copy %X[%row, 0] to %S[%u, 0] sizes [1, 64]
          : memref<8x64xf32> to memref<2x64xf32, #shared>
      tile.map (%j) in [64] {
        %a = memref.load %acc[%j] : memref<64xf32, #fragment>
        %x = memref.load %S[%u, %j] : memref<2x64xf32, #shared>
        %n = arith.addf %a, %x : f32
        memref.store %n, %acc[%j] : memref<64xf32, #fragment>
      }
    }
    tile.copy %S to %Y[%i, 0, 0] sizes [2, 64] : memref<2x64xf32, #shared> to memref<4x2x64xf32>
  }
  tile.copy %acc to %Z : memref<64xf32, #fragment> to memref<64xf32>
  return
}
