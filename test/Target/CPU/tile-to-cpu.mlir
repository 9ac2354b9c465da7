// RUN: tile-opt %s --tile-to-cpu | FileCheck %s

// Nothing but the llvm dialect is left, in every memory space.
// CHECK-LABEL: llvm.func @f
// CHECK: llvm.emit_c_interface
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK-NOT: #tile
// CHECK: llvm.func internal @f_block
func.func @f(%A: memref<?x?xf16>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  tile.launch (%x) in [4] threads = 32 {
    %S = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %m = tile.alloc : memref<64xf32, #tile.space<fragment>>
    tile.copy %A[%x, %c0] to %S : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
    tile.reduce <max> %S into %m dimension 1 {clear}
        : memref<64x32xf16, #tile.space<shared>>, memref<64xf32, #tile.space<fragment>>
    tile.map (%i) in [64] {
      %v = memref.load %m[%i] : memref<64xf32, #tile.space<fragment>>
      %e = math.exp %v : f32
      memref.store %e, %m[%i] : memref<64xf32, #tile.space<fragment>>
    }
    tile.copy %m to %B[%x] sizes [64] : memref<64xf32, #tile.space<fragment>> to memref<?xf32>
  }
  return
}
