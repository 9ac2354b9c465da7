// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// The address of a guarded store is a loaded scalar. With stage distance d, d
// versions are enough only where the reader is issued before the writer.
// Field case VER-01.

// CHECK: @late_guarded_use_of_a_loaded_scalar
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: J:2
// CHECK: @reader_first
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [1, 0]
// CHECK-NEXT: versions: none
// CHECK: @writer_first
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2
// CHECK: @distance_three_reader_first
// CHECK-NEXT: loop: depth 4 stage [0, 3] order [1, 0]
// CHECK-NEXT: versions: S:3
// CHECK: @distance_three_writer_first
// CHECK-NEXT: loop: depth 4 stage [0, 3] order [0, 1]
// CHECK-NEXT: versions: S:4

#shared = #tile.space<shared>

func.func @late_guarded_use_of_a_loaded_scalar(%IDX: memref<?xi32>,
                                               %flag: memref<1xi32>,
                                               %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeroi = arith.constant 0 : i32
  %J = tile.alloc {name = "J"} : memref<1xi32, #shared>
  %n = memref.dim %IDX, %c0 : memref<?xi32>
  %flagged = memref.load %flag[%c0] : memref<1xi32>
  %c = arith.cmpi ne, %flagged, %zeroi : i32
  %five = arith.constant 5 : i32
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %IDX[%k] to %J : memref<?xi32> to memref<1xi32, #shared>
    %j = memref.load %J[%c0] : memref<1xi32, #shared>
    %at = arith.index_cast %j : i32 to index
    %ki = arith.index_cast %k : index to i32
    %v = arith.addi %ki, %five : i32
    scf.if %c {
      memref.store %v, %out[%at] : memref<?xi32>
    }
  }
  return
}

func.func @reader_first(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [1, 0] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @writer_first(%A: memref<?x16xf32>, %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [0, 1] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @distance_three_reader_first(%A: memref<?x16xf32>,
                                       %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 3] order = [1, 0] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @distance_three_writer_first(%A: memref<?x16xf32>,
                                       %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 3] order = [0, 1] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
