// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A tile is loaded from one of two tensors depending on parity; ns=2.
//
//   for k in 0..8:
//     if k even: copy A -> S else: copy B -> S
//     acc += S

// CHECK: @if_else_copy
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

// WAITS: waits: 4 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @if_else_copy(%A: memref<8x64xf32>, %B: memref<8x64xf32>,
                        %Y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<64xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<64xf32, #fragment>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %parity = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %parity, %c0 : index
    scf.if %even {
      tile.copy %A[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    } else {
      tile.copy %B[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    }
    tile.map (%j) in [64] {
      %a = memref.load %acc[%j] : memref<64xf32, #fragment>
      %x0 = memref.load %S[%j] : memref<64xf32, #shared>
      %sum = arith.addf %a, %x0 : f32
      memref.store %sum, %acc[%j] : memref<64xf32, #fragment>
    }
  }
  tile.copy %acc to %Y : memref<64xf32, #fragment> to memref<64xf32>
  return
}
