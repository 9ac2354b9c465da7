// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A load whose only reader comes earlier in the body (so it is used in the
// next iteration), plus a normal load; ns=2.
//
//   S = X[0]
//   for i in 0..7:
//     copy Z[i] -> U
//     acc += S + U
//     copy X[i+1] -> S

// CHECK: @copy_used_next_iteration_only
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: U:2

// WAITS: waits: 8 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @copy_used_next_iteration_only(%X: memref<8x64xf32>,
                                         %Z: memref<8x64xf32>,
                                         %Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %U = tile.alloc {name = "U"} : memref<64xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<64xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<64xf32, #fragment>
  tile.copy %X[0, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c7 step %c1 num_stages = 2 {
    tile.copy %Z[%i, 0] to %U : memref<8x64xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %a = memref.load %acc[%j] : memref<64xf32, #fragment>
      %x0 = memref.load %S[%j] : memref<64xf32, #shared>
      %x1 = memref.load %U[%j] : memref<64xf32, #shared>
      %t1 = arith.addf %x0, %x1 : f32
      %sum = arith.addf %a, %t1 : f32
      memref.store %sum, %acc[%j] : memref<64xf32, #fragment>
    }
    %next = arith.addi %i, %c1 : index
    tile.copy %X[%next, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
  }
  tile.copy %acc to %Y : memref<64xf32, #fragment> to memref<64xf32>
  return
}
