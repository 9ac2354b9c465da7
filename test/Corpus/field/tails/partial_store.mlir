// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// The length is no multiple of the tile: the last store writes only up to the
// length, although there is memory behind it.
// Field case TAIL-10.

// CHECK: @partial_store
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>

func.func @partial_store(%A: memref<700xf32>, %out: memref<768xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c192 = arith.constant 192 : index
  %c700 = arith.constant 700 : index
  %S = tile.alloc {name = "S"} : memref<192xf32, #shared>
  tile.pipeline %k = %c0 to %c4 step %c1 num_stages = 2 {
    %at = arith.muli %k, %c192 : index
    %left = arith.subi %c700, %at : index
    %size = arith.minsi %left, %c192 : index
    tile.copy %A[%at] to %S : memref<700xf32> to memref<192xf32, #shared>
    tile.copy %S to %out[%at] sizes [%size] : memref<192xf32, #shared> to memref<768xf32>
  }
  return
}
