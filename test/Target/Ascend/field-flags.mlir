// RUN: tile-opt %s --split-input-file --ascend-insert-flags --ascend-verify-flags | FileCheck %s

#ub = #tile.space<ub>
#l1 = #tile.space<l1>

// ASC-07: bytes count, not names or first addresses: the second half of p is the
// first half of q, and r has the same addresses in another memory.
// CHECK-LABEL: @overlap
// CHECK:      ascend.load
// CHECK-NEXT: set_flag <mte2> to <v> id 0
// CHECK-NEXT: ascend.copy_to_l1
// CHECK-NEXT: wait_flag <mte2> to <v> id 0
// CHECK-NEXT: ascend.vdup
// CHECK-NOT:  _flag
// CHECK:      barrier <all>
// CHECK-NEXT: return
ascend.func @overlap(%X: memref<64xf32>, %Y: memref<64xf32>)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %p = tile.alloc {name = "p", offset = 0} : memref<64xf32, #ub>
  %q = tile.alloc {name = "q", offset = 128} : memref<64xf32, #ub>
  %r = tile.alloc {name = "r", offset = 0} : memref<64xf32, #l1>
  ascend.load %X[%c0] to %p[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.copy_to_l1 %Y[%c0] to %r[%c0] bursts %c1 blocks %c8 gaps %c0, %c0
      : memref<64xf32>, memref<64xf32, #l1>
  ascend.vdup %q[%c0], %zero count %c64 : memref<64xf32, #ub>, f32
  ascend.return
}

// -----

#ub = #tile.space<ub>
#l1 = #tile.space<l1>

// The same addresses in two memories alone need no flag.
// CHECK-LABEL: @two_memories
// CHECK-NOT:  _flag
// CHECK:      barrier <all>
// CHECK-NEXT: return
ascend.func @two_memories(%Y: memref<64xf32>) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %q = tile.alloc {name = "q", offset = 0} : memref<64xf32, #ub>
  %r = tile.alloc {name = "r", offset = 0} : memref<64xf32, #l1>
  ascend.copy_to_l1 %Y[%c0] to %r[%c0] bursts %c1 blocks %c8 gaps %c0, %c0
      : memref<64xf32>, memref<64xf32, #l1>
  ascend.vdup %q[%c0], %zero count %c64 : memref<64xf32, #ub>, f32
  ascend.return
}

// -----

#ub = #tile.space<ub>

// DIAG-12: a barrier of all pipes has no operands; it is kept where it is, on
// its kind of core.
// CHECK-LABEL: @barrier_mix_aic
// CHECK-NEXT:  barrier <all>
// CHECK:       return
// CHECK-LABEL: @barrier_mix_aiv
// CHECK-NOT:   barrier <all>
// CHECK:       ascend.vdup
// CHECK-NEXT:  barrier <all>
// CHECK-NEXT:  return
ascend.func @barrier_mix_aic(%n: index) attributes {core = #ascend.core<cube>, mix} {
  ascend.barrier <all>
  ascend.return
}
ascend.func @barrier_mix_aiv(%n: index) attributes {core = #ascend.core<vector>, mix} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc {name = "x"} : memref<64xf32, #ub>
  ascend.vdup %x[%c0], %zero count %c64 : memref<64xf32, #ub>, f32
  ascend.return
}
