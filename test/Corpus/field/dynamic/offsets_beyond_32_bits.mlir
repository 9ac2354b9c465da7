// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning --inject-software-pipeline --tile-to-cpu | FileCheck %s --check-prefix=CPU

// Index arithmetic is done in 64 bits: offsets of this source pass 2^31.
// Field case DYN-06.

// CHECK: @offsets_beyond_32_bits
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

// CPU: llvm.mul {{.*}} : i64

#shared = #tile.space<shared>

func.func @offsets_beyond_32_bits(%A: memref<70000x40000xi8>,
                                  %out: memref<8xi8>) {
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<8xi8, #shared>
  %first = arith.constant 69990 : index
  %end = arith.constant 69999 : index
  tile.pipeline %k = %first to %end step %c1 num_stages = 3 {
    tile.copy %A[%k, 39992] to %S sizes [8] : memref<70000x40000xi8> to memref<8xi8, #shared>
    tile.copy %S to %out : memref<8xi8, #shared> to memref<8xi8>
  }
  return
}
