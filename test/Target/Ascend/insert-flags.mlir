// RUN: tile-opt %s --split-input-file --ascend-insert-flags --ascend-verify-flags | FileCheck %s

#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>
#l0b = #tile.space<l0b>
#l0c = #tile.space<l0c>

// A and B share flags; each version of a buffer has an id in both directions;
// L0C is passed on once; what is pre-set is drained, so that no trip count
// leaves a flag.
// CHECK-LABEL: @gemm
// CHECK-DAG: set_flag <mte1> to <mte2> id 0
// CHECK-DAG: set_flag <mte1> to <mte2> id 1
// CHECK-DAG: set_flag <m> to <mte1> id 0
// CHECK-DAG: set_flag <m> to <mte1> id 1
// CHECK: scf.for
// CHECK: wait_flag <mte1> to <mte2> id 0 slot %[[S:.*]] of 2
// CHECK-NEXT: nd2nz
// CHECK-NEXT: nd2nz
// CHECK-NEXT: set_flag <mte2> to <mte1> id 0 slot %[[S]] of 2
// CHECK: wait_flag <mte2> to <mte1> id 0 slot %[[S]] of 2
// CHECK-NEXT: wait_flag <m> to <mte1> id 0 slot %[[S]] of 2
// CHECK-NEXT: scf.for
// CHECK: load_l0
// CHECK: load_l0
// CHECK-DAG: set_flag <mte1> to <m> id 0 slot %[[S]] of 2
// CHECK-DAG: set_flag <mte1> to <mte2> id 0 slot %[[S]] of 2
// CHECK: wait_flag <mte1> to <m> id 0 slot %[[S]] of 2
// CHECK-NEXT: mma
// CHECK-NEXT: set_flag <m> to <mte1> id 0 slot %[[S]] of 2
// CHECK-NEXT: }
// CHECK-NEXT: set_flag <m> to <fix> id 0
// CHECK-NEXT: wait_flag <m> to <fix> id 0
// CHECK-NEXT: fixpipe
// CHECK-COUNT-4: wait_flag
// CHECK-NEXT: barrier <all>
// CHECK-NEXT: return
ascend.func @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %C, %c1 : memref<?x?xf32>
  %n = arith.ceildivui %K, %c64 : index
  %As = tile.alloc {name = "As"} : memref<2x64x64xf16, #l1>
  %Bs = tile.alloc {name = "Bs"} : memref<2x64x64xf16, #l1>
  %A0 = tile.alloc {name = "A0"} : memref<2x64x64xf16, #l0a>
  %B0 = tile.alloc {name = "B0"} : memref<2x64x64xf16, #l0b>
  %C0 = tile.alloc {name = "C0"} : memref<64x64xf32, #l0c>
  scf.for %k = %c0 to %n step %c1 {
    %s = arith.remui %k, %c2 : index
    %o = arith.muli %k, %c64 : index
    %as = tile.slot %As[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
    %bs = tile.slot %Bs[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
    ascend.nd2nz %A[%o] to %as[%c0] rows %c64 columns %c64 stride %K pitch %c64
        : memref<?x?xf16>, memref<64x64xf16, #l1>
    ascend.nd2nz %B[%o] to %bs[%c0] rows %c64 columns %c64 stride %K pitch %c64
        : memref<?x?xf16>, memref<64x64xf16, #l1>
    %a0 = tile.slot %A0[%s] : memref<2x64x64xf16, #l0a> -> memref<64x64xf16, #l0a>
    %b0 = tile.slot %B0[%s] : memref<2x64x64xf16, #l0b> -> memref<64x64xf16, #l0b>
    scf.for %i = %c0 to %c4 step %c1 {
      %p = arith.muli %i, %c256 : index
      %q = arith.muli %p, %c4 : index
      ascend.load_l0 %as[%p] to %a0[%q] repeat %c4 stride %c4 gap %c0
          : memref<64x64xf16, #l1>, memref<64x64xf16, #l0a>
    }
    ascend.load_l0 %bs[%c0] to %b0[%c0] repeat %c16 stride %c1 gap %c0
        : memref<64x64xf16, #l1>, memref<64x64xf16, #l0b>
    %first = arith.cmpi eq, %k, %c0 : index
    ascend.mma %C0[%c0], %a0[%c0], %b0[%c0] m %c64 k %c64 n %c64 init %first
        : memref<64x64xf32, #l0c>, memref<64x64xf16, #l0a>, memref<64x64xf16, #l0b>
  }
  ascend.fixpipe %C0[%c0] to %C[%c0] m %c64 n %c64 pitch %c64 stride %N
      : memref<64x64xf32, #l0c>, memref<?x?xf32>
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Flags of versions are inside the guards of the predicated form; a buffer that
// is used within one guard is passed on there. The second instruction needs a
// barrier after the first, whose result it reads.
// CHECK-LABEL: @guarded_steps
// CHECK-DAG: set_flag <v> to <mte2> id 0
// CHECK-DAG: set_flag <v> to <mte2> id 1
// CHECK-DAG: set_flag <mte3> to <v> id 0
// CHECK: scf.for
// CHECK: scf.if
// CHECK: wait_flag <v> to <mte2> id 0 slot %[[S:.*]] of 2
// CHECK-NEXT: ascend.load
// CHECK-NEXT: set_flag <mte2> to <v> id 0 slot %[[S]] of 2
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-DAG: wait_flag <mte2> to <v> id 0 slot %[[T:.*]] of 2
// CHECK-DAG: wait_flag <mte3> to <v> id 0
// CHECK: vunary
// CHECK-NEXT: set_flag <v> to <mte2> id 0 slot %[[T]] of 2
// CHECK-NEXT: barrier <v>
// CHECK-NEXT: vunary
// CHECK-NEXT: set_flag <v> to <mte3> id 0
// CHECK-NEXT: wait_flag <v> to <mte3> id 0
// CHECK-NEXT: store
// CHECK-NEXT: set_flag <mte3> to <v> id 0
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-COUNT-3: wait_flag
// CHECK-NEXT: barrier <all>
ascend.func @guarded_steps(%X: memref<?xf32>, %Y: memref<?xf32>, %n: index)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc {name = "x"} : memref<2x64xf32, #ub>
  %y = tile.alloc {name = "y"} : memref<64xf32, #ub>
  %m = arith.addi %n, %c1 : index
  scf.for %t = %c0 to %m step %c1 {
    %g0 = arith.cmpi slt, %t, %n : index
    %i1 = arith.subi %t, %c1 : index
    %g1 = arith.cmpi sge, %i1, %c0 : index
    scf.if %g0 {
      %s = arith.remui %t, %c2 : index
      %v = tile.slot %x[%s] : memref<2x64xf32, #ub> -> memref<64xf32, #ub>
      %o = arith.muli %t, %c64 : index
      ascend.load %X[%o] to %v[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
          : memref<?xf32>, memref<64xf32, #ub>
    }
    scf.if %g1 {
      %s = arith.remui %i1, %c2 : index
      %v = tile.slot %x[%s] : memref<2x64xf32, #ub> -> memref<64xf32, #ub>
      %o = arith.muli %i1, %c64 : index
      ascend.vunary <exp> %y[%c0], %v[%c0] count %c64
          : memref<64xf32, #ub>, memref<64xf32, #ub>
      ascend.vunary <exp> %y[%c0], %y[%c0] count %c64
          : memref<64xf32, #ub>, memref<64xf32, #ub>
      ascend.store %y[%c0] to %Y[%o] rows %c1 columns %c64 stride %c64 pitch %c64
          : memref<64xf32, #ub>, memref<?xf32>
    }
  }
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Both branches end with the same owner, whoever used the buffer in them. A
// kernel that works in place may not load before it has stored; scalar code
// reads what the vector unit has written, and the other way round.
// CHECK-LABEL: @in_place
// CHECK-DAG: set_flag <mte3> to <mte2> id 0
// CHECK-DAG: set_flag <s> to <v> id 0
// CHECK: scf.for
// CHECK: wait_flag <mte3> to <mte2> id 0
// CHECK-NEXT: scf.if
// CHECK-NEXT: ascend.load
// CHECK-NEXT: }
// CHECK-NEXT: set_flag <mte2> to <v> id 0
// CHECK: vreduce
// CHECK-NEXT: set_flag <v> to <s> id 0
// CHECK-NEXT: wait_flag <v> to <s> id 0
// CHECK-NEXT: scalar_load
// CHECK-NEXT: vscalar
// CHECK-NEXT: scalar_store
// CHECK-NEXT: set_flag <s> to <v> id 0
// CHECK-NEXT: barrier <v>
// CHECK-NEXT: scf.if
// CHECK-NEXT: set_flag <v> to <mte3> id 0
// CHECK-NEXT: wait_flag <v> to <mte3> id 0
// CHECK-NEXT: store
// CHECK-NEXT: else
// CHECK-NEXT: vscalar
// CHECK-NEXT: set_flag <v> to <mte3> id 0
// CHECK-NEXT: wait_flag <v> to <mte3> id 0
// CHECK-NEXT: }
// CHECK-NEXT: set_flag <mte3> to <mte2> id 0
// CHECK-NEXT: }
ascend.func @in_place(%X: memref<?xf32>, %n: index, %c: i1)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc {name = "x"} : memref<64xf32, #ub>
  %m = tile.alloc {name = "m"} : memref<8xf32, #ub>
  scf.for %t = %c0 to %n step %c1 {
    %o = arith.muli %t, %c64 : index
    scf.if %c {
      ascend.load %X[%o] to %x[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
          : memref<?xf32>, memref<64xf32, #ub>
    }
    ascend.vreduce <max> %m[%c0], %x[%c0] count %c64 repeat %c1 stride 8 target_stride 1
        : memref<8xf32, #ub>, memref<64xf32, #ub>
    %s = ascend.scalar_load %m[%c0] : memref<8xf32, #ub> -> f32
    ascend.vscalar <muls> %x[%c0], %x[%c0], %s count %c64
        : memref<64xf32, #ub>, memref<64xf32, #ub>, f32
    ascend.scalar_store %s, %m[%c0] : f32, memref<8xf32, #ub>
    scf.if %c {
      ascend.store %x[%c0] to %X[%o] rows %c1 columns %c64 stride %c64 pitch %c64
          : memref<64xf32, #ub>, memref<?xf32>
    } else {
      ascend.vscalar <muls> %x[%c0], %x[%c0], %s count %c64
          : memref<64xf32, #ub>, memref<64xf32, #ub>, f32
    }
  }
  ascend.return
}

// -----

#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>

// Versions whose uses do not take turns, because a tile may be loaded and not
// used, are followed as one buffer: one id, and still right.
// CHECK-LABEL: @unused_tiles
// CHECK: set_flag <mte1> to <mte2> id 0
// CHECK-NOT: slot %{{.*}} of
// CHECK: return
ascend.func @unused_tiles(%A: memref<?x?xf16>, %n: index, %c: i1)
    attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %As = tile.alloc {name = "As"} : memref<2x64x64xf16, #l1>
  %A0 = tile.alloc {name = "A0"} : memref<64x64xf16, #l0a>
  scf.for %k = %c0 to %n step %c1 {
    %s = arith.remui %k, %c2 : index
    %as = tile.slot %As[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
    ascend.nd2nz %A[%k] to %as[%c0] rows %c16 columns %c16 stride %n pitch %c16
        : memref<?x?xf16>, memref<64x64xf16, #l1>
    scf.if %c {
      %at = tile.slot %As[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
      ascend.load_l0 %at[%c0] to %A0[%c0] repeat %c16 stride %c1 gap %c0
          : memref<64x64xf16, #l1>, memref<64x64xf16, #l0a>
    }
  }
  ascend.return
}

// -----

#ub = #tile.space<ub>

// A barrier stands only where there is a hazard: not between writes of separate
// rows, and before the loop where the hazard comes from before it.
// CHECK-LABEL: @rows
// CHECK: vdup
// CHECK-NEXT: barrier <v>
// CHECK-NEXT: scf.for
// CHECK-NOT: barrier
// CHECK: vunary
// CHECK-NOT: barrier
// CHECK: }
// CHECK-NEXT: barrier <v>
// CHECK-NEXT: vunary
// CHECK-NEXT: barrier <all>
ascend.func @rows(%n: index) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc {name = "x"} : memref<8x64xf32, #ub>
  ascend.vdup %x[%c0], %zero count %c512 : memref<8x64xf32, #ub>, f32
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.muli %i, %c64 : index
    ascend.vunary <exp> %x[%o], %x[%o] count %c64
        : memref<8x64xf32, #ub>, memref<8x64xf32, #ub>
  }
  ascend.vunary <abs> %x[%c0], %x[%c0] count %c512
      : memref<8x64xf32, #ub>, memref<8x64xf32, #ub>
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Buffers that the allocator has put on the same bytes are one buffer.
// CHECK-LABEL: @shared_bytes
// CHECK: ascend.load
// CHECK-NEXT: set_flag <mte2> to <mte3> id 0
// CHECK-NEXT: wait_flag <mte2> to <mte3> id 0
// CHECK-NEXT: store
// CHECK-NEXT: set_flag <mte3> to <mte2> id 0
// CHECK-NEXT: wait_flag <mte3> to <mte2> id 0
// CHECK-NEXT: ascend.load
// CHECK-NEXT: set_flag <mte2> to <mte3> id 0
// CHECK-NEXT: wait_flag <mte2> to <mte3> id 0
// CHECK-NEXT: store
// CHECK-NEXT: barrier <all>
ascend.func @shared_bytes(%X: memref<64xf32>, %Y: memref<64xf32>, %Z: memref<64xf32>)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc {name = "x", offset = 0} : memref<64xf32, #ub>
  %y = tile.alloc {name = "y", offset = 128} : memref<64xf32, #ub>
  ascend.load %X[%c0] to %x[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.store %x[%c0] to %Y[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32, #ub>, memref<64xf32>
  ascend.load %X[%c0] to %y[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.store %y[%c0] to %Z[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32, #ub>, memref<64xf32>
  ascend.return
}

// -----

// Tiles go from cube to vector cores through a workspace; in a loop the vector
// cores also say when they have read one.
// CHECK-LABEL: @k_mix_aic
// CHECK-SAME: %[[FFTS:[a-z0-9]+]]: i64 {ascend.name = "tp_ffts_address"})
// CHECK: set_ffts_base %[[FFTS]]
// CHECK: scf.for
// CHECK: cross_wait id 1
// CHECK-NEXT: fixpipe
// CHECK: cross_set <fix> mode 2 id 0
// CHECK: }
// CHECK: cross_wait id 1
// CHECK: barrier <all>
// CHECK-LABEL: @k_mix_aiv
// CHECK: set_ffts_base
// CHECK: cross_set <mte2> mode 2 id 1
// CHECK-NEXT: scf.for
// CHECK: cross_wait id 0
// CHECK: load
// CHECK: cross_set <mte2> mode 2 id 1
ascend.func @k_mix_aic(%W: memref<?xf32> {ascend.workspace}, %n: index)
    attributes {core = #ascend.core<cube>, mix} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %C0 = tile.alloc : memref<16x16xf32, #tile.space<l0c>>
  scf.for %i = %c0 to %n step %c1 {
    ascend.fixpipe %C0[%c0] to %W[%c0] m %c16 n %c16 pitch %c16 stride %c16
        : memref<16x16xf32, #tile.space<l0c>>, memref<?xf32>
  }
  ascend.return
}
ascend.func @k_mix_aiv(%W: memref<?xf32> {ascend.workspace}, %n: index)
    attributes {core = #ascend.core<vector>, mix} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = tile.alloc : memref<16x16xf32, #tile.space<ub>>
  scf.for %i = %c0 to %n step %c1 {
    ascend.load %W[%c0] to %x[%c0] rows %c16 columns %c16 stride %c16 pitch %c16
        : memref<?xf32>, memref<16x16xf32, #tile.space<ub>>
  }
  ascend.return
}

// -----

#ub = #tile.space<ub>

// The vector unit clears a version before it is loaded: it has that version from
// its last use on, so that only the load passes it on, and nothing is pre-set.
// CHECK-LABEL: @cleared_tiles
// CHECK-NOT: flag
// CHECK: scf.for
// CHECK-NOT: flag
// CHECK: vdup
// CHECK-NEXT: }
// CHECK-NEXT: set_flag <v> to <mte2> id 0 slot %[[S:.*]] of 2
// CHECK-NEXT: wait_flag <v> to <mte2> id 0 slot %[[S]] of 2
// CHECK-NEXT: ascend.load
// CHECK-NEXT: set_flag <mte2> to <v> id 0 slot %[[S]] of 2
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK: wait_flag <mte2> to <v> id 0 slot %[[T:.*]] of 2
// What the last iteration wrote to y is complete.
// CHECK-NEXT: barrier <v>
// CHECK-NEXT: vunary
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: barrier <all>
ascend.func @cleared_tiles(%X: memref<?xf32>, %n: index, %c: i1)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc {name = "x"} : memref<2x64xf32, #ub>
  %y = tile.alloc {name = "y"} : memref<64xf32, #ub>
  %m = arith.addi %n, %c1 : index
  scf.for %t = %c0 to %m step %c1 {
    %g0 = arith.cmpi slt, %t, %n : index
    %i1 = arith.subi %t, %c1 : index
    %g1 = arith.cmpi sge, %i1, %c0 : index
    scf.if %g0 {
      %s = arith.remui %t, %c2 : index
      %v = tile.slot %x[%s] : memref<2x64xf32, #ub> -> memref<64xf32, #ub>
      scf.if %c {
        ascend.vdup %v[%c0], %zero count %c64 : memref<64xf32, #ub>, f32
      }
      ascend.load %X[%t] to %v[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
          : memref<?xf32>, memref<64xf32, #ub>
    }
    scf.if %g1 {
      %s = arith.remui %i1, %c2 : index
      %v = tile.slot %x[%s] : memref<2x64xf32, #ub> -> memref<64xf32, #ub>
      ascend.vunary <exp> %y[%c0], %v[%c0] count %c64
          : memref<64xf32, #ub>, memref<64xf32, #ub>
    }
  }
  ascend.return
}

// -----

#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>

// A block past the end of the grid would write in front of b, that is into a; no
// launch has one, so that b and a have nothing to do with each other.
// CHECK-LABEL: @blocks_past_the_grid
// CHECK: nd2nz
// CHECK-NEXT: set_flag <mte2> to <mte1> id 0
// CHECK: wait_flag <mte2> to <mte1> id 0
// CHECK-NEXT: load_l0
// CHECK-NEXT: barrier <all>
ascend.func @blocks_past_the_grid(%A: memref<65x32xf16>) attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c65 = arith.constant 65 : index
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc {name = "a", offset = 0} : memref<64x32xf16, #l1>
  %b = tile.alloc {name = "b", offset = 4096} : memref<64x32xf16, #l1>
  %a0 = tile.alloc {name = "a0", offset = 0} : memref<64x32xf16, #l0a>
  %block = ascend.block_idx
  %start = arith.muli %block, %c64 : index
  %left = arith.subi %c65, %start : index
  %rows = arith.minsi %left, %c64 : index
  %rest = arith.subi %c64, %rows : index
  %place = arith.muli %rows, %c16 : index
  ascend.nd2nz %A[%c0] to %a[%c0] rows %c64 columns %c32 stride %c32 pitch %c64
      : memref<65x32xf16>, memref<64x32xf16, #l1>
  ascend.fill_l1 %b[%place] with %zero repeat %c2 blocks %rest gap %rows : f16, memref<64x32xf16, #l1>
  ascend.load_l0 %a[%c0] to %a0[%c0] repeat %c2 stride %c1 gap %c0
      : memref<64x32xf16, #l1>, memref<64x32xf16, #l0a>
  ascend.return
}
