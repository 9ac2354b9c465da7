// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --tile-allocate-memory | FileCheck %s --check-prefix=BYTES

// Tiles of different element types share an arena: offsets are bytes, and each
// asynchronous copy lands in its own tile.
// Field case VER-15.

// CHECK: @tiles_of_three_element_types
// CHECK-NEXT: loop: depth 2 stage [0, 0, 0, 2, 2, 2] order [1, 3, 5, 0, 2, 4]
// CHECK-NEXT: versions: Sa:2 Sb:2 Sc:2

// BYTES: "Sa", offset = 0 : i64
// BYTES: "Sb", offset = 256 : i64
// BYTES: "Sc", offset = 768 : i64

#shared = #tile.space<shared>

func.func @tiles_of_three_element_types(%A: memref<?x64xf32>,
                                        %B: memref<?x256xf16>,
                                        %C: memref<?x256xi8>,
                                        %X: memref<?x64xf32>,
                                        %Y: memref<?x256xf16>,
                                        %Z: memref<?x256xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Sa = tile.alloc {name = "Sa"} : memref<64xf32, #shared>
  %Sb = tile.alloc {name = "Sb"} : memref<256xf16, #shared>
  %Sc = tile.alloc {name = "Sc"} : memref<256xi8, #shared>
  %n = memref.dim %A, %c0 : memref<?x64xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %Sa : memref<?x64xf32> to memref<64xf32, #shared>
    tile.copy %B[%k, 0] to %Sb : memref<?x256xf16> to memref<256xf16, #shared>
    tile.copy %C[%k, 0] to %Sc : memref<?x256xi8> to memref<256xi8, #shared>
    tile.copy %Sa to %X[%k, 0] sizes [64] : memref<64xf32, #shared> to memref<?x64xf32>
    tile.copy %Sb to %Y[%k, 0] sizes [256] : memref<256xf16, #shared> to memref<?x256xf16>
    tile.copy %Sc to %Z[%k, 0] sizes [256] : memref<256xi8, #shared> to memref<?x256xi8>
  }
  return
}
