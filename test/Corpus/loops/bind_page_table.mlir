// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check --args=_,:0..7
// RUN: tile-run %s --minimal-waits --args=_,:0..7 | FileCheck %s --check-prefix=WAITS

// A page number read from a global table selects the row to load; ns=3.
//
//   for i in 0..8:
//     page = table[i]
//     copy KV[page] -> S
//     acc += rowsum(S)

// CHECK: @bind_page_table
// CHECK-NEXT: loop: depth 3 stage [0, 3, 3, 3] order [1, 0, 2, 3]
// CHECK-NEXT: versions: S:3

// WAITS: waits: 6 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @bind_page_table(%KV: memref<128x32xf16>, %table: memref<8xi32>,
                           %Y: memref<16xf32>) {
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
    %entry = memref.load %table[%i] : memref<8xi32>
    %page = arith.index_cast %entry : i32 to index
    %row = arith.muli %page, %c16 : index
    tile.copy %KV[%row, 0] to %S : memref<128x32xf16> to memref<16x32xf16, #shared>
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
