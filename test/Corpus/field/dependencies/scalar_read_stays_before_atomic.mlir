// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// A value read before an atomic update of the same element keeps its old value
// although it is used after it.
// Field case DEP-03.

// CHECK: @scalar_read_stays_before_atomic
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

func.func @scalar_read_stays_before_atomic(%A: memref<?xi32>,
                                           %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %onei = arith.constant 1 : i32
  %n = memref.dim %A, %c0 : memref<?xi32>
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %v = memref.load %A[%k] : memref<?xi32>
    tile.atomic <add> %onei, %A[%k] : i32, memref<?xi32>
    memref.store %v, %out[%k] : memref<?xi32>
  }
  return
}
