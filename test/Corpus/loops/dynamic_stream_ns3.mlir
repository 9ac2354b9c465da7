// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check --args='0x64|1x64|2x64|3x64|9x64'
// RUN: tile-run %s --minimal-waits --args='0x64|1x64|2x64|3x64|9x64' | FileCheck %s --check-prefix=WAITS

// Column sum over a runtime number of rows; ns=3.
//
//   for i in 0..K:
//     copy X[i] -> S
//     acc += S

// CHECK: @dynamic_stream_ns3
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @dynamic_stream_ns3(%X: memref<?x64xf32>, %Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<64xf32, #fragment>
  %n = memref.dim %X, %c0 : memref<?x64xf32>
  tile.fill %acc with %zero : f32, memref<64xf32, #fragment>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %X[%i, 0] to %S : memref<?x64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %a = memref.load %acc[%j] : memref<64xf32, #fragment>
      %x0 = memref.load %S[%j] : memref<64xf32, #shared>
      %sum = arith.addf %a, %x0 : f32
      memref.store %sum, %acc[%j] : memref<64xf32, #fragment>
    }
  }
  tile.copy %acc to %Y : memref<64xf32, #fragment> to memref<64xf32>
  return
}
