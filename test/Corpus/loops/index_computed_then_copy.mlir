// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// An index is computed into a register cell by a store, the load address
// depends on it; ns=2.
//
//   for i in 0..8:
//     r[0] = (i*3) mod 8
//     copy X[r[0]] -> S
//     copy S -> Y[i]

// CHECK: @index_computed_then_copy
// CHECK-NEXT: loop: depth 2 stage [0, 0, 0, 1] order [0, 1, 2, 3]
// CHECK-NEXT: versions: S:2

// WAITS: waits: 4 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @index_computed_then_copy(%X: memref<8x64xf32>,
                                    %Y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %r = tile.alloc {name = "r"} : memref<1xi32, #fragment>
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %i3 = arith.muli %i, %c3 : index
    %m = arith.remui %i3, %c8 : index
    %mi = arith.index_cast %m : index to i32
    memref.store %mi, %r[%c0] : memref<1xi32, #fragment>
    %ri = memref.load %r[%c0] : memref<1xi32, #fragment>
    %row = arith.index_cast %ri : i32 to index
    tile.copy %X[%row, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    tile.copy %S to %Y[%i, 0] sizes [64] : memref<64xf32, #shared> to memref<8x64xf32>
  }
  return
}
