// Elements of global memory that do not exist are zero and stay so: in the
// interpreter, in native code and in the PTX emulator.
//
// RUN: tile-run %s --args=5:1..1,5:1..1,16:1..1 --print | FileCheck %s
// RUN: tile-run %s --args=5:1..1,5:1..1,16:1..1 --print --jit | FileCheck %s
// RUN: tile-run %s --args=5:1..1,5:1..1,16:1..1 --print --jit --policy=late | FileCheck %s
// RUN: %if nvidia %{ tile-run %s --args=5:1..1,5:1..1,16:1..1 --print --ptx | FileCheck %s %}

// CHECK: [1, 1, 1, 1, 1]
// CHECK: [8, 8, 8, 8, 8]
// CHECK: [0, 0, 0, 11, 11, 11, 11, 11, 0, 0, 0, 0, 0, 7, 7, 7]
func.func @outside(%X: memref<?xi32>, %Y: memref<?xi32>, %Z: memref<16xi32>) {
  %c3 = arith.constant 3 : index
  %c13 = arith.constant 13 : index
  %ten = arith.constant 10 : i32
  %seven = arith.constant 7 : i32
  tile.launch (%b) in [1] threads = 32 {
    tile.map (%i) in [16] {
      %j = arith.subi %i, %c3 : index
      %x = memref.load %X[%j] : memref<?xi32>
      %more = arith.muli %x, %ten : i32
      %sum = arith.addi %more, %x : i32
      memref.store %sum, %Z[%i] : memref<16xi32>
      tile.atomic <add> %seven, %Y[%j] : i32, memref<?xi32>
    }
    tile.fill %Z[%c13] sizes [%c13] with %seven : i32, memref<16xi32>
  }
  return
}
