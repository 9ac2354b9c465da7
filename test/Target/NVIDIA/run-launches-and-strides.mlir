// Programs that run in the emulator as they do on the CPU.
// RUN: tile-run %s --entry=two_launches --check --ptx --args 9x8,9x8,9 | FileCheck %s
// RUN: tile-run %s --entry=strided_source --check --ptx --args 20x16,10x8 | FileCheck %s
// RUN: tile-translate --tile-to-ptx %s | FileCheck %s --check-prefix=PTX
// CHECK: check passed: 4 forms

// Each launch is a kernel, which the host calls by its number.
// PTX: .visible .entry two_launches_0(
// PTX: .visible .entry two_launches_1(
func.func @two_launches(%A: memref<9x8xf32>, %O: memref<9x8xf32>, %n: index) {
  tile.launch (%b) in [9] threads = 32 {
    tile.map (%x) in [8] {
      %v = memref.load %A[%b, %x] : memref<9x8xf32>
      memref.store %v, %O[%b, %x] : memref<9x8xf32>
    }
  }
  %c1 = arith.constant 1 : index
  tile.launch (%b) in [1] threads = 32 {
    %t = tile.alloc : memref<8xf32, #tile.space<shared>>
    %u = tile.alloc : memref<8xf32, #tile.space<shared>>
    tile.pipeline %i = %c1 to %n step %c1 num_stages = 3 {
      %p = arith.subi %i, %c1 : index
      tile.copy %O[%p, 0] to %t dims [1] : memref<9x8xf32> to memref<8xf32, #tile.space<shared>>
      tile.copy %O[%i, 0] to %u dims [1] : memref<9x8xf32> to memref<8xf32, #tile.space<shared>>
      tile.map (%x) in [8] {
        %v = memref.load %t[%x] : memref<8xf32, #tile.space<shared>>
        %w = memref.load %u[%x] : memref<8xf32, #tile.space<shared>>
        %s = arith.addf %v, %w : f32
        memref.store %s, %u[%x] : memref<8xf32, #tile.space<shared>>
      }
      tile.copy %u to %O[%i, 0] dims [1] : memref<8xf32, #tile.space<shared>> to memref<9x8xf32>
    }
  }
  return
}

// Elements that are no neighbours are copied one by one.
// PTX: .visible .entry strided_source(
// PTX-NOT: cp.async.c{{[ag]}}.shared
func.func @strided_source(%A: memref<20x16xf32>, %O: memref<10x8xf32>) {
  tile.launch (%b) in [1] threads = 32 {
    %t = tile.alloc : memref<2x4xf32, #tile.space<shared>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    tile.pipeline %i = %c0 to %c5 step %c1 num_stages = 3 {
      %r = arith.muli %i, %c4 : index
      %q = arith.muli %i, %c2 : index
      %s = memref.subview %A[%r, 1] [2, 4] [2, 3] : memref<20x16xf32> to memref<2x4xf32, strided<[32, 3], offset: ?>>
      tile.copy %s to %t : memref<2x4xf32, strided<[32, 3], offset: ?>> to memref<2x4xf32, #tile.space<shared>>
      tile.copy %t to %O[%q, 2] : memref<2x4xf32, #tile.space<shared>> to memref<10x8xf32>
    }
  }
  return
}
