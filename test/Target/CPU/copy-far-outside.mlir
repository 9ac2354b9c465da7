// The end of a region that starts near the largest index does not fit into an
// index: nothing of it is inside.
//
// RUN: tile-run %s --jit --entry target --args _:1..1,_:0..0,9223372036854775807 --print | FileCheck %s --check-prefix=TARGET
// RUN: tile-run %s --jit --entry source --args _:1..1,_:1..1,9223372036854775807 --print | FileCheck %s --check-prefix=SOURCE

// TARGET: argument 1
// TARGET-NEXT: [0, 0, 0, 0]
func.func @target(%A: memref<4xf32>, %C: memref<4xf32>, %o: index) {
  tile.copy %A to %C[%o] sizes [2] : memref<4xf32> to memref<4xf32>
  return
}

// SOURCE: argument 1
// SOURCE-NEXT: [0, 0, 1, 1]
func.func @source(%A: memref<4xf32>, %C: memref<4xf32>, %o: index) {
  tile.copy %A[%o] to %C sizes [2] : memref<4xf32> to memref<4xf32>
  return
}
