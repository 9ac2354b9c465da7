// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Elements outside the source read as the fill value of the copy, which is not
// zero here.
// Field case TAIL-07.

// CHECK: @fill_value_that_is_not_zero
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @fill_value_that_is_not_zero(%A: memref<?xf32>,
                                       %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant -1.0e30 : f32
  %S = tile.alloc {name = "S"} : memref<8xf32, #shared>
  %m = tile.alloc {name = "m"} : memref<1xf32, #fragment>
  %N = memref.dim %A, %c0 : memref<?xf32>
  %n = arith.ceildivui %N, %c8 : index
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %at = arith.muli %k, %c8 : index
    tile.copy %A[%at] to %S fill %low : f32 : memref<?xf32> to memref<8xf32, #shared>
    tile.reduce <max> %S into %m dimension 0 {clear}
        : memref<8xf32, #shared>, memref<1xf32, #fragment>
    tile.copy %m to %out[%k] sizes [1] : memref<1xf32, #fragment> to memref<?xf32>
  }
  return
}
