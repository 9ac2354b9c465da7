// RUN: tile-opt %s --split-input-file --ascend-insert-flags --verify-diagnostics

#ub = #tile.space<ub>
#l1 = #tile.space<l1>

// Two tiles of four versions would take eight flags: one has them, the other is
// ordered as a whole.
ascend.func @many_versions(%X: memref<?xf32>, %n: index)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{'x' is ordered as one buffer: its 4 versions would take more flags from pipe 'v' to pipe 'mte2' than the 6 that may be used}}
  %x = tile.alloc {name = "x"} : memref<4x64xf32, #ub>
  %y = tile.alloc {name = "y"} : memref<4x64xf32, #ub>
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c4 : index
    %a = tile.slot %x[%s] : memref<4x64xf32, #ub> -> memref<64xf32, #ub>
    %b = tile.slot %y[%s] : memref<4x64xf32, #ub> -> memref<64xf32, #ub>
    ascend.load %X[%i] to %a[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
        : memref<?xf32>, memref<64xf32, #ub>
    ascend.vunary <exp> %a[%c0], %a[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
    ascend.load %X[%i] to %b[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
        : memref<?xf32>, memref<64xf32, #ub>
    ascend.vunary <exp> %b[%c0], %b[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  }
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Two of seven buffers share a flag.
ascend.func @too_many_ids(%X: memref<64xf32>) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{'x0' and 'x1' are ordered as one buffer: each by itself would take more flags from pipe 'mte2' to pipe 'v' than the 6 that may be used}}
  %x0 = tile.alloc {name = "x0"} : memref<64xf32, #ub>
  %x1 = tile.alloc {name = "x1"} : memref<64xf32, #ub>
  %x2 = tile.alloc {name = "x2"} : memref<64xf32, #ub>
  %x3 = tile.alloc {name = "x3"} : memref<64xf32, #ub>
  %x4 = tile.alloc {name = "x4"} : memref<64xf32, #ub>
  %x5 = tile.alloc {name = "x5"} : memref<64xf32, #ub>
  %x6 = tile.alloc {name = "x6"} : memref<64xf32, #ub>
  ascend.load %X[%c0] to %x0[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x0[%c0], %x0[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.load %X[%c0] to %x1[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x1[%c0], %x1[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.load %X[%c0] to %x2[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x2[%c0], %x2[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.load %X[%c0] to %x3[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x3[%c0], %x3[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.load %X[%c0] to %x4[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x4[%c0], %x4[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.load %X[%c0] to %x5[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x5[%c0], %x5[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.load %X[%c0] to %x6[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  ascend.vunary <exp> %x6[%c0], %x6[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.return
}

// -----

ascend.func @flags_are_there() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{is there before flags are inserted}}
  ascend.set_flag <v> to <mte3> id 0
  ascend.return
}

// -----

#ub = #tile.space<ub>

ascend.func @while(%X: memref<?xf32>, %c: i1) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.alloc {name = "x"} : memref<64xf32, #ub>
  // expected-error @+1 {{cannot place flags in 'scf.while': only 'scf.for' and 'scf.if' are supported}}
  scf.while : () -> () {
    ascend.load %X[%c0] to %x[%c0] rows %c1 columns %c1 stride %c1 pitch %c1
        : memref<?xf32>, memref<64xf32, #ub>
    scf.condition(%c)
  } do {
    ascend.vunary <exp> %x[%c0], %x[%c0] count %c1 : memref<64xf32, #ub>, memref<64xf32, #ub>
    scf.yield
  }
  ascend.return
}

// -----

// expected-error @+1 {{has no partner for vector cores with the same arguments}}
ascend.func @alone_mix_aic() attributes {core = #ascend.core<cube>, mix} {
  ascend.return
}

// -----

#ub = #tile.space<ub>

ascend.func @one_sided_mix_aic(%W: memref<?xf32> {ascend.workspace}, %n: index)
    attributes {core = #ascend.core<cube>, mix} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %C0 = tile.alloc : memref<16x16xf32, #tile.space<l0c>>
  // expected-error @+1 {{uses a workspace in a loop, or not, unlike the other kind of core}}
  ascend.fixpipe %C0[%c0] to %W[%c0] m %c16 n %c16 pitch %c16 stride %c16
      : memref<16x16xf32, #tile.space<l0c>>, memref<?xf32>
  ascend.return
}
ascend.func @one_sided_mix_aiv(%W: memref<?xf32> {ascend.workspace}, %n: index)
    attributes {core = #ascend.core<vector>, mix} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = tile.alloc : memref<16x16xf32, #ub>
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{the other use is here}}
    ascend.load %W[%c0] to %x[%c0] rows %c16 columns %c16 stride %c16 pitch %c16
        : memref<?xf32>, memref<16x16xf32, #ub>
  }
  ascend.return
}
