// RUN: tile-run %s --entry two_consumers --check --minimal-waits '--args=_,_,_,0|1|2|3|4|5|8' | FileCheck %s --check-prefix=TWO
// RUN: tile-run %s --entry static --check --minimal-waits '--args=_,_' | FileCheck %s --check-prefix=STATIC
// RUN: tile-run %s --entry two_loops --check --minimal-waits '--args=_,_,0|1|2|5,0|1|3' | FileCheck %s --check-prefix=LOOPS
// RUN: tile-run %s --entry gather --check --minimal-waits --args=_,:0..63,_ | FileCheck %s --check-prefix=GATHER

!G = memref<64x8xf32>
!S = memref<8x8xf32, #tile.space<shared>>
!C = memref<8x8xf32>

// Two groups in each iteration, waited for one after the other: no wait can be
// loosened, and none is missing.
// TWO: 0 can be loosened
func.func @two_consumers(%A: !G, %B: !G, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  %T = tile.alloc {name = "T"} : !S
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.copy %B[%k, 0] to %T : !G to !S
    tile.gemm %S, %S, %C : !S, !S, !C
    tile.gemm %S, %T, %C : !S, !S, !C
  }
  return
}

// STATIC: 0 can be loosened
func.func @static(%A: !G, %C: !C) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %c7 step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  return
}

// The second loop copies into a buffer of the first one, at another depth.
// LOOPS: 0 can be loosened
func.func @two_loops(%A: !G, %C: !C, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  tile.pipeline %k = %c0 to %m step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : !G to !S
    tile.gemm %S, %S, %C : !S, !S, !C
  }
  return
}

// The indices of a gather have been read once its copies are started: the next
// ones may be copied before the rows have arrived.
// GATHER: 0 can be loosened
func.func @gather(%A: !G, %I: memref<64xi32>, %C: !G) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : !S
  %X = tile.alloc {name = "X"} : memref<8xi32, #tile.space<shared>>
  tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
    %o = arith.muli %k, %c8 : index
    tile.copy %I[%o] to %X : memref<64xi32> to memref<8xi32, #tile.space<shared>>
    scf.for %j = %c0 to %c8 step %c1 {
      %r = memref.load %X[%j] : memref<8xi32, #tile.space<shared>>
      %row = arith.index_cast %r : i32 to index
      tile.copy %A[%row, 0] to %S[%j, 0] sizes [1, 8] : !G to !S
    }
    tile.copy %S to %C[%o, 0] sizes [8, 8] : !S to !G
  }
  return
}
