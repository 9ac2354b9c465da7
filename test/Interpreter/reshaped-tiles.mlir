// A tile that is written or read through another shape has versions like any
// other: a view of one version stays in that version.
//
// RUN: tile-run %s --entry read --check --args='_,_,0|1|2|9' | FileCheck %s --check-prefix=READ
// RUN: tile-run %s --entry reinterpreted --check --args='_,_,9' | FileCheck %s --check-prefix=READ
// RUN: tile-run %s --entry written --check --args='_,_,0|1|2|9' | FileCheck %s --check-prefix=WRITTEN
// RUN: tile-run %s --entry part --check --args='_,_,9' 2>&1 | FileCheck %s --check-prefix=PART

!G = memref<16x8xf32>
!S = memref<1x8xf32, #tile.space<shared>>
!R = memref<8xf32, #tile.space<shared>>
!P = memref<2x4xf32, strided<[4, 1]>, #tile.space<shared>>

// READ: check passed: {{.*}}, {{[1-9][0-9]*}} asynchronous copies
func.func @read(%A: !G, %C: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  %R = memref.collapse_shape %S [[0, 1]] : !S into !R
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.copy %R to %C[%k, 0] sizes [8] : !R to !G
  }
  return
}

func.func @reinterpreted(%A: !G, %C: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  %P = memref.reinterpret_cast %S to offset: [0], sizes: [2, 4], strides: [4, 1] : !S to !P
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.copy %P to %C[%k, 0] sizes [2, 4] : !P to !G
  }
  return
}

// WRITTEN: check passed: {{.*}}, {{[1-9][0-9]*}} asynchronous copies
func.func @written(%A: !G, %C: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  %R = memref.collapse_shape %S [[0, 1]] : !S into !R
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %R sizes [8] : !G to !R
    tile.copy %S to %C[%k, 0] sizes [1, 8] : !S to !G
  }
  return
}

// Not all of it is written: the rest comes from the iteration before.
// PART: 'S' is one buffer for all iterations
// PART: check passed
func.func @part(%A: !G, %C: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : !S
  %R = memref.collapse_shape %S [[0, 1]] : !S into !R
  tile.fill %S with %zero : f32, !S
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %R[%k] sizes [2] : !G to !R
    tile.copy %S to %C[%k, 0] sizes [1, 8] : !S to !G
  }
  return
}
