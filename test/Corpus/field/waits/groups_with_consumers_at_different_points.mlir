// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning --inject-software-pipeline | FileCheck %s --check-prefix=WAIT

// Two groups are committed in each iteration and consumed at different points:
// waits count groups. In the steady state 5 groups may be pending before the
// use of A and 4 before that of B; then 3 and 2, then 1 and 0.
// Field case WAIT-01.

// CHECK: @groups_with_consumers_at_different_points
// CHECK-NEXT: loop: depth 3 stage [0, 0, 2, 2] order [0, 1, 2, 3]
// CHECK-NEXT: versions: As:3 Bs:3

// WAIT: scf.for
// WAIT: tile.async.wait {{.*}} pending = 5
// WAIT: tile.async.wait {{.*}} pending = 4
// WAIT: }
// WAIT: tile.async.wait {{.*}} pending = 3
// WAIT: tile.async.wait {{.*}} pending = 2
// WAIT: tile.async.wait {{.*}} pending = 1
// WAIT: tile.async.wait {{.*}} pending = 0

#shared = #tile.space<shared>

func.func @groups_with_consumers_at_different_points(%A: memref<5x16xf32>,
                                                     %B: memref<5x16xf32>,
                                                     %X: memref<5x16xf32>,
                                                     %Y: memref<5x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %As = tile.alloc {name = "As"} : memref<16xf32, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %c5 step %c1 stage = [0, 0, 2, 2] order = [0, 1, 2, 3] {
    tile.copy %A[%k, 0] to %As : memref<5x16xf32> to memref<16xf32, #shared>
    tile.copy %B[%k, 0] to %Bs : memref<5x16xf32> to memref<16xf32, #shared>
    tile.copy %As to %X[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<5x16xf32>
    tile.copy %Bs to %Y[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<5x16xf32>
  }
  return
}
