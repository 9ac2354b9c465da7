// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A deep pipeline over a short table: the prologue must not read entries of
// iterations that do not exist.
// Field case TAIL-06.

// CHECK: @table_is_not_read_past_its_end
// CHECK-NEXT: loop: depth 5 stage [0, 4] order [0, 1]
// CHECK-NEXT: versions: S:5

#shared = #tile.space<shared>

func.func @table_is_not_read_past_its_end(%T: memref<?xi32>,
                                          %G: memref<4x16xf32>,
                                          %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %T, %c0 : memref<?xi32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 5 {
    %entry = memref.load %T[%k] : memref<?xi32>
    %row = arith.index_cast %entry : i32 to index
    tile.copy %G[%row, 0] to %S : memref<4x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
