// RUN: tile-opt %s -split-input-file -verify-diagnostics --convert-tile-to-ascend

// What is right but slow is said.

#l1 = #tile.space<l1>
#l0c = #tile.space<l0c>

func.func @may_not_run(%n: index, %c: memref<64x48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #l1>
    %B = tile.alloc : memref<48x32xf16, #l1>
    %C = tile.alloc : memref<64x48xf32, #l0c>
    // expected-remark@+1 {{sums start from a product of zeros, because no gemm is sure to run first}}
    tile.fill %C with %zero : f32, memref<64x48xf32, #l0c>
    scf.for %k = %c0 to %n step %c1 {
      tile.gemm %A, %B, %C {transpose_b} : memref<64x32xf16, #l1>, memref<48x32xf16, #l1>, memref<64x48xf32, #l0c>
    }
    tile.copy %C to %c : memref<64x48xf32, #l0c> to memref<64x48xf32>
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @one_element() {
  %c0 = arith.constant 0 : index
  tile.launch (%i) in [4] threads = 128 {
    %X = tile.alloc : memref<64xf32, #ub>
    %m = tile.alloc : memref<8xf32, #ub>
    tile.map (%j) in [64] {
      %x = memref.load %X[%j] : memref<64xf32, #ub>
      // expected-remark@+1 {{all points read one element, for which the scalar stream waits}}
      %y = memref.load %m[%c0] : memref<8xf32, #ub>
      %z = arith.subf %x, %y : f32
      memref.store %z, %X[%j] : memref<64xf32, #ub>
    }
  }
  return
}

// -----

#l1 = #tile.space<l1>
#l0c = #tile.space<l0c>
#ub = #tile.space<ub>

func.func @mixed(%w: memref<?x64x48xf32>, %c: memref<64x48xf32>) {
  // expected-remark@+1 {{both vector cores of a block compute all of its tiles; each stores half of the rows}}
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #l1>
    %B = tile.alloc : memref<48x32xf16, #l1>
    %C = tile.alloc : memref<64x48xf32, #l0c>
    %U = tile.alloc : memref<64x48xf32, #ub>
    tile.gemm %A, %B, %C {clear, transpose_b} : memref<64x32xf16, #l1>, memref<48x32xf16, #l1>, memref<64x48xf32, #l0c>
    tile.copy %C to %w[%i, 0, 0] : memref<64x48xf32, #l0c> to memref<?x64x48xf32>
    tile.copy %w[%i, 0, 0] to %U : memref<?x64x48xf32> to memref<64x48xf32, #ub>
    tile.copy %U to %c : memref<64x48xf32, #ub> to memref<64x48xf32>
  }
  return
}
