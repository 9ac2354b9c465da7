// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Two kernels of one module, each with two loads of different size per
// iteration: the counts of one do not leak into the other.
// Field case WAIT-22.

// CHECK: @kernel_16
// CHECK-NEXT: loop: depth 2 stage [0, 0, 2, 2] order [1, 3, 0, 2]
// CHECK-NEXT: versions: SA:2 SB:2
// CHECK: @kernel_24
// CHECK-NEXT: loop: depth 3 stage [0, 0, 3, 3] order [1, 3, 0, 2]
// CHECK-NEXT: versions: SA:3 SB:3

#shared = #tile.space<shared>

func.func @kernel_16(%A: memref<?x16xf32>, %B: memref<?x8xf16>,
                     %X: memref<?x16xf32>, %Y: memref<?x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %SA = tile.alloc {name = "SA"} : memref<16xf32, #shared>
  %SB = tile.alloc {name = "SB"} : memref<8xf16, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %SA : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %B[%k, 0] to %SB : memref<?x8xf16> to memref<8xf16, #shared>
    tile.copy %SA to %X[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
    tile.copy %SB to %Y[%k, 0] sizes [8] : memref<8xf16, #shared> to memref<?x8xf16>
  }
  return
}

func.func @kernel_24(%A: memref<?x24xf32>, %B: memref<?x40xf16>,
                     %X: memref<?x24xf32>, %Y: memref<?x40xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %SA = tile.alloc {name = "SA"} : memref<24xf32, #shared>
  %SB = tile.alloc {name = "SB"} : memref<40xf16, #shared>
  %n = memref.dim %A, %c0 : memref<?x24xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %SA : memref<?x24xf32> to memref<24xf32, #shared>
    tile.copy %B[%k, 0] to %SB : memref<?x40xf16> to memref<40xf16, #shared>
    tile.copy %SA to %X[%k, 0] sizes [24] : memref<24xf32, #shared> to memref<?x24xf32>
    tile.copy %SB to %Y[%k, 0] sizes [40] : memref<40xf16, #shared> to memref<?x40xf16>
  }
  return
}
