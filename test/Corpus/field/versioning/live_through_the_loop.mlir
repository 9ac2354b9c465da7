// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning --inject-software-pipeline --tile-allocate-memory | FileCheck %s --check-prefix=BYTES

// A buffer that is written in front of the loop and read in each iteration
// lives through the loop: its memory is not reused by tiles of the body.
// Field case VER-11.

// CHECK: @live_through_the_loop
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: Q:2

// BYTES: "P", offset = 0 : i64
// BYTES: "Q", offset = 64 : i64
// BYTES: "R", offset = 192 : i64

#shared = #tile.space<shared>

func.func @live_through_the_loop(%A: memref<?x16xf32>,
                                 %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %P = tile.alloc {name = "P"} : memref<16xf32, #shared>
  %Q = tile.alloc {name = "Q"} : memref<16xf32, #shared>
  %R = tile.alloc {name = "R"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %P with %one : f32, memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %Q : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %q = memref.load %Q[%j] : memref<16xf32, #shared>
      %p = memref.load %P[%j] : memref<16xf32, #shared>
      %r = arith.addf %q, %p : f32
      memref.store %r, %R[%j] : memref<16xf32, #shared>
    }
    tile.copy %R to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
