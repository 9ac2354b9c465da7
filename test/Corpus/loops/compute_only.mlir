// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check

// No load at all: only register arithmetic; ns=3.
//
//   for i in 0..8:
//     parallel: h = h*0.5 + 1
//     parallel: g = g + h

// CHECK: @compute_only
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#fragment = #tile.space<fragment>

func.func @compute_only(%Y: memref<64xf32>, %Z: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %h = tile.alloc {name = "h"} : memref<64xf32, #fragment>
  %g = tile.alloc {name = "g"} : memref<64xf32, #fragment>
  tile.fill %h with %zero : f32, memref<64xf32, #fragment>
  tile.fill %g with %zero : f32, memref<64xf32, #fragment>
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 3 {
    tile.map (%j) in [64] {
      %a = memref.load %h[%j] : memref<64xf32, #fragment>
      %d = arith.mulf %a, %half : f32
      %n = arith.addf %d, %one : f32
      memref.store %n, %h[%j] : memref<64xf32, #fragment>
    }
    tile.map (%j) in [64] {
      %a = memref.load %g[%j] : memref<64xf32, #fragment>
      %x = memref.load %h[%j] : memref<64xf32, #fragment>
      %n = arith.addf %a, %x : f32
      memref.store %n, %g[%j] : memref<64xf32, #fragment>
    }
  }
  tile.copy %h to %Y : memref<64xf32, #fragment> to memref<64xf32>
  tile.copy %g to %Z : memref<64xf32, #fragment> to memref<64xf32>
  return
}
