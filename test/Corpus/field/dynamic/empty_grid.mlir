// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A grid with a zero extent runs nothing and touches nothing.
// Field case DYN-03.

// CHECK: @empty_grid
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>

func.func @empty_grid(%A: memref<?x16xf32>, %out: memref<?x16xf32>,
                      %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %blocks = arith.divui %rows, %c128 : index
  tile.launch (%b) in [%blocks] threads = 32 {
    %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
    tile.pipeline %k = %c0 to %rows step %c1 num_stages = 2 {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
      tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
    }
  }
  return
}
