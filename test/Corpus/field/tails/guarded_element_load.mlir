// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// An element-wise load under a condition reads nothing where the condition is
// false: the source ends at n.
// Field case TAIL-18.

// CHECK: @guarded_element_load
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#fragment = #tile.space<fragment>

func.func @guarded_element_load(%A: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = tile.alloc {name = "f"} : memref<8xf32, #fragment>
  %N = memref.dim %A, %c0 : memref<?xf32>
  %n = arith.ceildivui %N, %c8 : index
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %at = arith.muli %k, %c8 : index
    tile.map (%j) in [8] {
      %i = arith.addi %at, %j : index
      %in = arith.cmpi slt, %i, %N : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf32>
        memref.store %x, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}
