// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Every fourth iteration stores the accumulator of a matmul.
// Field case NEST-06.

// CHECK: @accumulator_stored_now_and_then
// CHECK-NEXT: loop: depth 3 stage [0, 0, 3, 3] order [1, 2, 0, 3]
// CHECK-NEXT: versions: As:3 Bs:3

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @accumulator_stored_now_and_then(%A: memref<8x?xf16>,
                                           %B: memref<?x8xf16>,
                                           %out: memref<?x8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<8x8xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<8x8xf16, #shared>
  %acc = tile.alloc {name = "acc"} : memref<8x8xf32, #fragment>
  %K = memref.dim %A, %c1 : memref<8x?xf16>
  %n = arith.divui %K, %c8 : index
  tile.fill %acc with %zero : f32, memref<8x8xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %kk = arith.muli %k, %c8 : index
    tile.copy %A[0, %kk] to %As : memref<8x?xf16> to memref<8x8xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<?x8xf16> to memref<8x8xf16, #shared>
    tile.gemm %As, %Bs, %acc
        : memref<8x8xf16, #shared>, memref<8x8xf16, #shared>, memref<8x8xf32, #fragment>
    %phase = arith.remui %k, %c4 : index
    %fourth = arith.cmpi eq, %phase, %c3 : index
    %row = arith.divui %k, %c4 : index
    scf.if %fourth {
      tile.copy %acc to %out[%row, 0, 0] sizes [8, 8]
          : memref<8x8xf32, #fragment> to memref<?x8x8xf32>
    }
  }
  return
}
