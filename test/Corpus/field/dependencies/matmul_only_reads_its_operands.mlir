// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Effects belong to the op definition: a matmul never counts as a writer of
// its operands, so tiles that it reads get versions.
// Field case DEP-04.

// CHECK: @matmul_only_reads_its_operands
// CHECK-NEXT: loop: depth 2 stage [0, 0, 1] order [0, 1, 2]
// CHECK-NEXT: versions: As:2 Bs:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @matmul_only_reads_its_operands(%A: memref<8x?xf16>,
                                          %B: memref<?x8xf16>,
                                          %C: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<8x8xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<8x8xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<8x8xf32, #fragment>
  %K = memref.dim %A, %c1 : memref<8x?xf16>
  %n = arith.ceildivui %K, %c8 : index
  tile.fill %Cl with %zero : f32, memref<8x8xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %kk = arith.muli %k, %c8 : index
    tile.copy %A[0, %kk] to %As : memref<8x?xf16> to memref<8x8xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<?x8xf16> to memref<8x8xf16, #shared>
    tile.gemm %As, %Bs, %Cl
        : memref<8x8xf16, #shared>, memref<8x8xf16, #shared>, memref<8x8xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<8x8xf32, #fragment> to memref<8x8xf32>
  return
}
