// The second loop reads, but does not write, a tile that the first one has
// versions of: it sees the version of the last iteration, and leaves it current.
//
// RUN: tile-run %s --check --args='_,_,0|1|2|5' | FileCheck %s
// CHECK: check passed
func.func @f(%A: memref<48x8xf32>, %B: memref<2x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %T = tile.alloc {name = "T"} : memref<8xf32, #tile.space<shared>>
  %U = tile.alloc {name = "U"} : memref<8xf32, #tile.space<shared>>
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.fill %T with %zero : f32, memref<8xf32, #tile.space<shared>>
  tile.fill %S with %zero : f32, memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%i, 0] to %T : memref<48x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.map (%j) in [8] {
      %t = memref.load %T[%j] : memref<8xf32, #tile.space<shared>>
      %s = memref.load %S[%j] : memref<8xf32, #tile.space<shared>>
      %x = arith.addf %s, %t : f32
      memref.store %x, %S[%j] : memref<8xf32, #tile.space<shared>>
    }
  }
  tile.pipeline %i = %c0 to %c3 step %c1 num_stages = 2 {
    tile.copy %A[%i, 0] to %U : memref<48x8xf32> to memref<8xf32, #tile.space<shared>>
    %t = memref.load %T[%c0] : memref<8xf32, #tile.space<shared>>
    tile.map (%j) in [8] {
      %u = memref.load %U[%j] : memref<8xf32, #tile.space<shared>>
      %s = memref.load %S[%j] : memref<8xf32, #tile.space<shared>>
      %v = arith.mulf %u, %t : f32
      %x = arith.addf %s, %v : f32
      memref.store %x, %S[%j] : memref<8xf32, #tile.space<shared>>
    }
  }
  tile.copy %T to %B[0, 0] sizes [8] : memref<8xf32, #tile.space<shared>> to memref<2x8xf32>
  tile.copy %S to %B[1, 0] sizes [8] : memref<8xf32, #tile.space<shared>> to memref<2x8xf32>
  return
}
