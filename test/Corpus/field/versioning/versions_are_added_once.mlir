// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning --multi-buffer-versioning | FileCheck %s --check-prefix=VERSIONED

// A version dimension is added exactly once: 2 * (8192 + 8192) bytes for these
// tiles.
// Field case VER-03.

// CHECK: @versions_are_added_once
// CHECK-NEXT: loop: depth 2 stage [0, 0, 1] order [0, 1, 2]
// CHECK-NEXT: versions: As:2 Bs:2

// VERSIONED: memref<2x128x32xf16, 
// VERSIONED: memref<2x32x128xf16, 
// VERSIONED: memref<128x128xf32, 

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @versions_are_added_once(%A: memref<128x64xf16>,
                                   %B: memref<64x128xf16>,
                                   %C: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<128x32xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<32x128xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<128x128xf32, #fragment>
  tile.fill %Cl with %zero : f32, memref<128x128xf32, #fragment>
  tile.pipeline %k = %c0 to %c2 step %c1 num_stages = 2 {
    %kk = arith.muli %k, %c32 : index
    tile.copy %A[0, %kk] to %As : memref<128x64xf16> to memref<128x32xf16, #shared>
    tile.copy %B[%kk, 0] to %Bs : memref<64x128xf16> to memref<32x128xf16, #shared>
    tile.gemm %As, %Bs, %Cl
        : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #fragment>
  }
  tile.copy %Cl to %C : memref<128x128xf32, #fragment> to memref<128x128xf32>
  return
}
