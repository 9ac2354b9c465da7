// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Block-sparse matmul with a mask read in the loop, one buffer.
// Field case NEST-09.

// CHECK: @mask_loaded_in_the_loop
// CHECK-NEXT: loop: depth 1 stage [0, 0, 1] order [1, 2, 0]
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @mask_loaded_in_the_loop(%mask: memref<?xi32>, %A: memref<8x?xf16>,
                                   %B: memref<?x8xf16>, %C: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %zeroi = arith.constant 0 : i32
  %As = tile.alloc {name = "As"} : memref<8x8xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<8x8xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<8x8xf32, #fragment>
  %n = memref.dim %mask, %c0 : memref<?xi32>
  tile.fill %Cl with %zero : f32, memref<8x8xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    %word = memref.load %mask[%k] : memref<?xi32>
    %m = arith.cmpi ne, %word, %zeroi : i32
    %kk = arith.muli %k, %c8 : index
    scf.if %m {
      tile.copy %A[0, %kk] to %As : memref<8x?xf16> to memref<8x8xf16, #shared>
      tile.copy %B[%kk, 0] to %Bs : memref<?x8xf16> to memref<8x8xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<8x8xf16, #shared>, memref<8x8xf16, #shared>, memref<8x8xf32, #fragment>
    }
  }
  tile.copy %Cl to %C : memref<8x8xf32, #fragment> to memref<8x8xf32>
  return
}
