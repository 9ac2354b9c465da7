// RUN: tile-opt %s --tile-set-target=chip=dav-2201 --tile-assign-spaces --pipeline-planning \
// RUN:   --inject-software-pipeline=form=predicated --tile-to-cce | FileCheck %s

// Only the last of four blocks fills its tile before the load, so only that one
// needs the flag from the vector pipe. Rows this wide bring many constants
// with them, and the proof must look at that block all the same.

// CHECK-LABEL: ascend.func @sums(
// CHECK:         ascend.block_idx {blocks = 4 : i64}
// CHECK:         scf.if %{{.*}} {
// CHECK:           ascend.vdup
// CHECK:         ascend.set_flag <v> to <mte2>
// CHECK-NEXT:    ascend.wait_flag <v> to <mte2>
// CHECK-NEXT:    ascend.load
func.func @sums(%X: memref<13x3000xf32>, %Y: memref<13xf32>) {
  tile.launch (%i) in [4] threads = 128 {
    %x = tile.alloc {name = "x"} : memref<4x1500xf32, #tile.space<shared>>
    %s = tile.alloc {name = "s"} : memref<4xf32, #tile.space<fragment>>
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c1500 = arith.constant 1500 : index
    tile.fill %s with %zero : f32, memref<4xf32, #tile.space<fragment>>
    %row = arith.muli %i, %c4 : index
    tile.pipeline %k = %c0 to %c2 step %c1 num_stages = 2 {
      %column = arith.muli %k, %c1500 : index
      tile.copy %X[%row, %column] to %x : memref<13x3000xf32> to memref<4x1500xf32, #tile.space<shared>>
      tile.reduce <sum> %x into %s dimension 1 : memref<4x1500xf32, #tile.space<shared>>, memref<4xf32, #tile.space<fragment>>
    }
    tile.copy %s to %Y[%row] : memref<4xf32, #tile.space<fragment>> to memref<13xf32>
  }
  return
}
