// RUN: tile-run %s --entry copy_tail --args 3x4:1..1,_ --print | FileCheck %s --check-prefix=TAIL
// RUN: tile-run %s --entry copy_clip_target --args _:1..1,_:0..0 --print | FileCheck %s --check-prefix=CLIP
// RUN: tile-run %s --entry copy_dims --args _:2..2,_:0..0 --print | FileCheck %s --check-prefix=DIMS
// RUN: tile-run %s --entry copy_convert --print | FileCheck %s --check-prefix=CONVERT
// RUN: tile-run %s --entry gemm --args _:2..2,_:3..3,_:1..1 --print | FileCheck %s --check-prefix=GEMM
// RUN: tile-run %s --entry reduce --args _:0..0 --print | FileCheck %s --check-prefix=REDUCE
// RUN: tile-run %s --entry loops | FileCheck %s --check-prefix=LOOPS
// RUN: tile-run %s --entry foreign --args _:1..1,_:0..0 --print | FileCheck %s --check-prefix=FOREIGN
// RUN: tile-run %s --entry blocks --args _:0..0 --print | FileCheck %s --check-prefix=BLOCKS

// Rows 2 and 3 and columns 3.. lie outside the source: the fill.
// TAIL: argument 1
// TAIL-NEXT: {{\[}}[1, 1, 7, 7],
// TAIL-NEXT: [1, 1, 7, 7],
// TAIL-NEXT: [7, 7, 7, 7]]
func.func @copy_tail(%A: memref<?x?xf32>, %B: memref<3x4xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7.0 : f32
  tile.copy %A[%c1, %c2] to %B fill %seven : f32 : memref<?x?xf32> to memref<3x4xf32>
  return
}

// What lies outside the target is not written, a false guard writes nothing.
// CLIP: argument 1
// CLIP-NEXT: [0, 0, 0, 0, 0, 0, 1, 1]
func.func @copy_clip_target(%A: memref<4xi32>, %B: memref<8xi32>) {
  %c6 = arith.constant 6 : index
  %false = arith.constant false
  %c100 = arith.constant 100 : index
  tile.copy %A to %B[%c6] sizes [4] : memref<4xi32> to memref<8xi32>
  tile.copy %A to %B sizes [4] if %false : memref<4xi32> to memref<8xi32>
  tile.copy %A to %B[%c100] sizes [4] : memref<4xi32> to memref<8xi32>
  return
}

// The region runs over dimensions 0 and 2 of the source, at 1 in dimension 1.
// DIMS: argument 1
// DIMS-NEXT: {{\[}}[2, 2, 2],
// DIMS-NEXT: [2, 2, 2]]
func.func @copy_dims(%A: memref<2x2x3xf16>, %B: memref<2x3xf16>) {
  tile.copy %A[0, 1, 0] to %B dims [0, 2] : memref<2x2x3xf16> to memref<2x3xf16>
  return
}

// CONVERT: [-2, 3, 2048, -128]
func.func @copy_convert(%out: memref<4xf64>) {
  %x = tile.alloc : memref<4xf32>
  %h = tile.alloc : memref<4xf16>
  %i = tile.alloc : memref<4xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = arith.constant -2.75 : f32
  %b = arith.constant 3.25 : f32
  %c = arith.constant 2049.0 : f32
  %d = arith.constant -128.0 : f32
  memref.store %a, %x[%c0] : memref<4xf32>
  memref.store %b, %x[%c1] : memref<4xf32>
  memref.store %c, %x[%c2] : memref<4xf32>
  memref.store %d, %x[%c3] : memref<4xf32>
  // 2049 rounds to 2048 in f16.
  tile.copy %x to %h : memref<4xf32> to memref<4xf16>
  tile.copy %x to %i : memref<4xf32> to memref<4xi8>
  tile.copy %h to %out : memref<4xf16> to memref<4xf64>
  tile.copy %i to %out sizes [2] : memref<4xi8> to memref<4xf64>
  return
}

// 1 + 3 * (2 * 3).
// GEMM: argument 2
// GEMM-NEXT: {{\[}}[19, 19],
// GEMM-NEXT: [19, 19]]
func.func @gemm(%A: memref<3x2xf16>, %B: memref<2x3xf16>, %C: memref<2x2xf32>) {
  tile.gemm %A, %B, %C {transpose_a, transpose_b}
      : memref<3x2xf16>, memref<2x3xf16>, memref<2x2xf32>
  return
}

// REDUCE: [6, 0, 3, 0, 0, 9, 3, 4]
func.func @reduce(%out: memref<8xi32>) {
  %x = tile.alloc : memref<1x4xi32>
  %y = tile.alloc : memref<1x1xi32>
  %c0 = arith.constant 0 : index
  %four = arith.constant 4 : i32
  tile.map (%i) in [4] {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %x[%c0, %i] : memref<1x4xi32>
  }
  tile.reduce <sum> %x into %y dimension 1 {clear} : memref<1x4xi32>, memref<1x1xi32>
  tile.copy %y to %out sizes [1] dims [1] : memref<1x1xi32> to memref<8xi32>
  tile.reduce <max> %x into %y dimension 1 {clear} : memref<1x4xi32>, memref<1x1xi32>
  tile.copy %y to %out[2] sizes [1] : memref<1x1xi32> to memref<8xi32>
  tile.reduce <sum> %x into %y dimension 1 : memref<1x4xi32>, memref<1x1xi32>
  tile.copy %y to %out[5] sizes [1] : memref<1x1xi32> to memref<8xi32>
  tile.reduce <absmax> %x into %y dimension 1 {clear} : memref<1x4xi32>, memref<1x1xi32>
  tile.copy %y to %out[6] sizes [1] : memref<1x1xi32> to memref<8xi32>
  tile.fill %out[7] sizes [1] with %four : i32, memref<8xi32>
  return
}

// LOOPS: result 0: 56
// LOOPS: result 1: 6
// LOOPS: result 2: 8
func.func @loops() -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %minus3 = arith.constant -3 : index
  // 10, 7, 4, 1: iterations 0 to 3.
  %r:2 = tile.pipeline %i = %c10 to %c0 step %minus3
      iter_args(%a = %c0, %b = %c0) -> (index, index) {
    %n = tile.iteration %i
    %x = arith.addi %b, %n : index
    %y = arith.muli %n, %i : index
    %z = arith.addi %a, %y : index
    %z2 = arith.addi %z, %i : index
    %z3 = arith.addi %z2, %n : index
    tile.yield %z3, %x : index, index
  }
  %big = arith.addi %r#0, %c10 : index
  %w = scf.while (%v = %c1) : (index) -> index {
    %less = arith.cmpi slt, %v, %r#1 : index
    scf.condition(%less) %v : index
  } do {
  ^bb0(%v: index):
    %d = arith.muli %v, %c2 : index
    scf.yield %d : index
  }
  return %big, %r#1, %w : index, index, index
}

// FOREIGN: argument 1
// FOREIGN-NEXT: {{\[}}[5, 3],
// FOREIGN-NEXT: [3, 3]]
func.func @foreign(%A: memref<2x3xf32>, %C: memref<2x2xf32>) {
  %B = memref.alloc() : memref<3x2xf32>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  linalg.fill ins(%one : f32) outs(%B : memref<3x2xf32>)
  linalg.matmul ins(%A, %B : memref<2x3xf32>, memref<3x2xf32>) outs(%C : memref<2x2xf32>)
  %s = memref.subview %C[0, 0] [1, 1] [1, 1] : memref<2x2xf32> to memref<1x1xf32, strided<[2, 1]>>
  %v = vector.transfer_read %s[%c0, %c0], %one : memref<1x1xf32, strided<[2, 1]>>, vector<2xf32>
  %t = arith.addf %v, %v : vector<2xf32>
  %e = vector.extract %t[1] : f32 from vector<2xf32>
  %x = memref.atomic_rmw addf %e, %s[%c0, %c0] : (f32, memref<1x1xf32, strided<[2, 1]>>) -> f32
  memref.dealloc %B : memref<3x2xf32>
  return
}

// Each block has its own buffer; global atomics are shared.
// BLOCKS: [0, 1, 2, 0, 1, 2]
func.func @blocks(%out: memref<6xi32>) {
  tile.launch (%bx, %by) in [2, 3] threads = 32 {
    %b = tile.alloc : memref<1xi32>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %v = arith.index_cast %by : index to i32
    memref.store %v, %b[%c0] : memref<1xi32>
    %l = memref.load %b[%c0] : memref<1xi32>
    %x = arith.muli %bx, %c3 : index
    %i = arith.addi %x, %by : index
    tile.atomic <add> %l, %out[%i] : i32, memref<6xi32>
  }
  return
}
