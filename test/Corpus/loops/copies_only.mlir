// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null
// RUN: tile-run %s --check

// Two loads that nobody reads inside the loop; ns=3.
//
//   for i in 0..8:
//     copy X[i] -> S
//     copy Z[i] -> U
//   (after) copy S -> Y

// CHECK: @copies_only
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>

func.func @copies_only(%X: memref<8x64xf32>, %Z: memref<8x64xf32>,
                       %Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %U = tile.alloc {name = "U"} : memref<64xf32, #shared>
  // expected-remark @below {{loop is not pipelined: no iteration uses the tiles that it copies}}
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 3 {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.copy %Z[%i, 0] to %U : memref<8x64xf32> to memref<64xf32, #shared>
  }
  tile.copy %S to %Y : memref<64xf32, #shared> to memref<64xf32>
  return
}
