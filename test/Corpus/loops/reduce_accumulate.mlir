// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Row sums of a streamed matrix: load, widen, reduce, accumulate; ns=3.
//
//   for i in 0..8:
//     copy X[i] -> S
//     f = fp32(S)
//     r = rowsum f
//     acc += r

// CHECK: @reduce_accumulate
// CHECK-NEXT: loop: depth 3 stage [0, 3, 3, 3] order [1, 0, 2, 3]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 6 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @reduce_accumulate(%X: memref<128x32xf16>, %Y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16x32xf16, #shared>
  %f = tile.alloc {name = "f"} : memref<16x32xf32, #fragment>
  %r = tile.alloc {name = "r"} : memref<16xf32, #fragment>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 3 {
    %row = arith.muli %i, %c16 : index
    tile.copy %X[%row, 0] to %S : memref<128x32xf16> to memref<16x32xf16, #shared>
    tile.copy %S to %f : memref<16x32xf16, #shared> to memref<16x32xf32, #fragment>
    tile.reduce <sum> %f into %r dimension 1 {clear}
        : memref<16x32xf32, #fragment>, memref<16xf32, #fragment>
    tile.map (%j) in [16] {
      %a = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %r[%j] : memref<16xf32, #fragment>
      %n = arith.addf %a, %x : f32
      memref.store %n, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %Y : memref<16xf32, #fragment> to memref<16xf32>
  return
}
