// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check

// The tensor being loaded is updated by atomics in the same body (loop-carried
// through an atomic); ns=2.
//
//   for i in 0..8:
//     copy W -> S
//     parallel: f = S + X[i]
//     parallel: atomic W += f

// CHECK: @atomic_target_is_loaded
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @atomic_target_is_loaded(%W: memref<64xf32>, %X: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %f = tile.alloc {name = "f"} : memref<64xf32, #fragment>
  // expected-remark @below {{loop is not pipelined: no statement can run ahead of the others}}
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    // expected-remark @below {{not pipelined: it reads 'arg0', which 'tile.map' writes in the iteration before}}
    tile.copy %W to %S : memref<64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %s = memref.load %S[%j] : memref<64xf32, #shared>
      %x = memref.load %X[%i, %j] : memref<8x64xf32>
      %n = arith.addf %s, %x : f32
      memref.store %n, %f[%j] : memref<64xf32, #fragment>
    }
    // expected-note @below {{the other statement is here}}
    tile.map (%j) in [64] {
      %x = memref.load %f[%j] : memref<64xf32, #fragment>
      tile.atomic <add> %x, %W[%j] : f32, memref<64xf32>
    }
  }
  return
}
