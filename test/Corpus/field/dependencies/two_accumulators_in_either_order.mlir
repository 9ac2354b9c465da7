// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Two accumulators are fed by the same loads; swapping the two statements
// changes nothing.
// Field case DEP-11.

// CHECK: @reduce_then_matmul
// CHECK-NEXT: loop: depth 2 stage [0, 0, 1, 1] order [0, 1, 2, 3]
// CHECK-NEXT: versions: SA:2 SB:2
// CHECK: @matmul_then_reduce
// CHECK-NEXT: loop: depth 2 stage [0, 0, 2, 2] order [3, 1, 0, 2]
// CHECK-NEXT: versions: SA:2 SB:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @reduce_then_matmul(%A: memref<?x16xf32>, %B: memref<?x4xf32>,
                              %sum: memref<16xf32>,
                              %product: memref<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %SA = tile.alloc {name = "SA"} : memref<8x16xf32, #shared>
  %SB = tile.alloc {name = "SB"} : memref<8x4xf32, #shared>
  %s = tile.alloc {name = "s"} : memref<16xf32, #fragment>
  %P = tile.alloc {name = "P"} : memref<16x4xf32, #fragment>
  %K = memref.dim %A, %c0 : memref<?x16xf32>
  %n = arith.ceildivui %K, %c8 : index
  tile.fill %s with %zero : f32, memref<16xf32, #fragment>
  tile.fill %P with %zero : f32, memref<16x4xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %row = arith.muli %k, %c8 : index
    tile.copy %A[%row, 0] to %SA : memref<?x16xf32> to memref<8x16xf32, #shared>
    tile.copy %B[%row, 0] to %SB : memref<?x4xf32> to memref<8x4xf32, #shared>
    tile.reduce <sum> %SA into %s dimension 0
        : memref<8x16xf32, #shared>, memref<16xf32, #fragment>
    tile.gemm %SA, %SB, %P {transpose_a}
        : memref<8x16xf32, #shared>, memref<8x4xf32, #shared>, memref<16x4xf32, #fragment>
  }
  tile.copy %s to %sum : memref<16xf32, #fragment> to memref<16xf32>
  tile.copy %P to %product : memref<16x4xf32, #fragment> to memref<16x4xf32>
  return
}

func.func @matmul_then_reduce(%A: memref<?x16xf32>, %B: memref<?x4xf32>,
                              %sum: memref<16xf32>,
                              %product: memref<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %SA = tile.alloc {name = "SA"} : memref<8x16xf32, #shared>
  %SB = tile.alloc {name = "SB"} : memref<8x4xf32, #shared>
  %s = tile.alloc {name = "s"} : memref<16xf32, #fragment>
  %P = tile.alloc {name = "P"} : memref<16x4xf32, #fragment>
  %K = memref.dim %A, %c0 : memref<?x16xf32>
  %n = arith.ceildivui %K, %c8 : index
  tile.fill %s with %zero : f32, memref<16xf32, #fragment>
  tile.fill %P with %zero : f32, memref<16x4xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %row = arith.muli %k, %c8 : index
    tile.copy %A[%row, 0] to %SA : memref<?x16xf32> to memref<8x16xf32, #shared>
    tile.copy %B[%row, 0] to %SB : memref<?x4xf32> to memref<8x4xf32, #shared>
    tile.gemm %SA, %SB, %P {transpose_a}
        : memref<8x16xf32, #shared>, memref<8x4xf32, #shared>, memref<16x4xf32, #fragment>
    tile.reduce <sum> %SA into %s dimension 0
        : memref<8x16xf32, #shared>, memref<16xf32, #fragment>
  }
  tile.copy %s to %sum : memref<16xf32, #fragment> to memref<16xf32>
  tile.copy %P to %product : memref<16x4xf32, #fragment> to memref<16x4xf32>
  return
}
