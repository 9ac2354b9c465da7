// RUN: tile-opt %s --split-input-file --ascend-verify-flags --verify-diagnostics

#ub = #tile.space<ub>

// Nothing orders the vector unit after the load.
ascend.func @race(%X: memref<64xf32>) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc {name = "x"} : memref<64xf32, #ub>
  // expected-note @+1 {{the other access is here}}
  ascend.load %X[%c0] to %x[%c0] rows %c1 columns %c64 stride %c64 pitch %c64
      : memref<64xf32>, memref<64xf32, #ub>
  // expected-error @+1 {{on pipe 'v' accesses 'x' without order after pipe 'mte2'}}
  ascend.vunary <exp> %x[%c0], %x[%c0] count %c64 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Only the first half is read again, so that the second half needs no barrier.
ascend.func @no_barrier() attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc {name = "x"} : memref<64xf32, #ub>
  %y = tile.alloc {name = "y"} : memref<64xf32, #ub>
  // expected-note @+1 {{the write is here}}
  ascend.vdup %x[%c0], %zero count %c32 : memref<64xf32, #ub>, f32
  ascend.vdup %x[%c32], %zero count %c32 : memref<64xf32, #ub>, f32
  // expected-error @+1 {{accesses 'x' before an earlier write on the same pipe 'v' is complete; a barrier is missing}}
  ascend.vunary <exp> %y[%c0], %x[%c0] count %c32 : memref<64xf32, #ub>, memref<64xf32, #ub>
  ascend.return
}

// -----

// One id for two versions: the second set may come before the first wait has
// happened, as nothing holds the load back.
ascend.func @double_set(%n: index) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{may be set again before the wait for it has happened (mte2 to v, id 0)}}
    ascend.set_flag <mte2> to <v> id 0
    // expected-note @+1 {{the wait is here}}
    ascend.wait_flag <mte2> to <v> id 0
  }
  ascend.return
}

// -----

ascend.func @set_twice(%n: index) attributes {core = #ascend.core<vector>} {
  // expected-note @+1 {{it was set here}}
  ascend.set_flag <mte2> to <v> id 0
  // expected-error @+1 {{is set again before the wait for it (mte2 to v, id 0)}}
  ascend.set_flag <mte2> to <v> id 0
  ascend.return
}

// -----

ascend.func @no_set() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{waits for a flag that is not set (mte2 to v, id 1)}}
  ascend.wait_flag <mte2> to <v> id 1
  ascend.return
}

// -----

// Right for every trip count but 0.
ascend.func @unbalanced(%n: index) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      ascend.set_flag <mte2> to <v> id 0
    }
  }
  // expected-error @+1 {{waits for a flag that is not set (mte2 to v, id 0)}}
  ascend.wait_flag <mte2> to <v> id 0
  ascend.return
}

// -----

// Left over where the trip count is not even.
ascend.func @residual(%n: index) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %s, %c0 : index
    scf.if %even {
      // expected-error @+1 {{leaves its flag set at the end of the kernel (mte2 to v, id 0)}}
      ascend.set_flag <mte2> to <v> id 0
    } else {
      ascend.wait_flag <mte2> to <v> id 0
      ascend.set_flag <v> to <mte2> id 0
      ascend.wait_flag <v> to <mte2> id 0
    }
  }
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Constants must fit the fields of the instruction.
ascend.func @limits(%X: memref<?xf32>) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c65 = arith.constant 65 : index
  %c256 = arith.constant 256 : index
  %x = tile.alloc {name = "x"} : memref<256x64xf32, #ub>
  // expected-error @+1 {{expects 'repeat' from 0 to 255, got 256}}
  ascend.vunary <exp> %x[%c0], %x[%c0] count %c0 repeat %c256 blocks [1, 1] repeats [8, 8]
      : memref<256x64xf32, #ub>, memref<256x64xf32, #ub>
  // expected-error @+1 {{expects 'count' from 0 to 64, got 65}}
  ascend.vunary <exp> %x[%c0], %x[%c0] count %c65 repeat %c0 blocks [1, 1] repeats [8, 8]
      : memref<256x64xf32, #ub>, memref<256x64xf32, #ub>
  ascend.return
}

// -----

// A single row would be read as a vector.
ascend.func @one_row() attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4096 = arith.constant 4096 : index
  %true = arith.constant true
  %A0 = tile.alloc : memref<16x16xf16, #tile.space<l0a>>
  %B0 = tile.alloc : memref<16x16xf16, #tile.space<l0b>>
  %C0 = tile.alloc : memref<16x16xf32, #tile.space<l0c>>
  // expected-error @+1 {{expects 'm' from 2 to 4095, got 1}}
  ascend.mma %C0[%c0], %A0[%c0], %B0[%c0] m %c1 k %c16 n %c4096 init %true
      : memref<16x16xf32, #tile.space<l0c>>, memref<16x16xf16, #tile.space<l0a>>,
        memref<16x16xf16, #tile.space<l0b>>
  ascend.return
}

// -----

ascend.func @one_kind(%n: index) attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{is in a kernel for one kind of core}}
  ascend.cross_set <mte2> mode 2 id 0
  ascend.return
}

// -----

ascend.func @k_mix_aic(%c: i1) attributes {core = #ascend.core<cube>, mix} {
  // expected-note @+1 {{the branch is here}}
  scf.if %c {
    // expected-error @+1 {{is inside of a branch that the other kind of core may not take}}
    ascend.cross_set <fix> mode 2 id 0
  }
  ascend.return
}
ascend.func @k_mix_aiv(%c: i1) attributes {core = #ascend.core<vector>, mix} {
  ascend.cross_wait id 0
  ascend.return
}

// -----

ascend.func @k_mix_aic() attributes {core = #ascend.core<cube>, mix} {
  // expected-error @+1 {{signals id 0, which the other kind of core does not wait for}}
  ascend.cross_set <fix> mode 2 id 0
  ascend.return
}
ascend.func @k_mix_aiv() attributes {core = #ascend.core<vector>, mix} {
  ascend.return
}

// -----

ascend.func @k_mix_aic() attributes {core = #ascend.core<cube>, mix} {
  // expected-error @+1 {{waits for id 1, which the other kind of core does not signal}}
  ascend.cross_wait id 1
  ascend.return
}
ascend.func @k_mix_aiv() attributes {core = #ascend.core<vector>, mix} {
  ascend.return
}

// -----

ascend.func @k_mix_aic(%n: index) attributes {core = #ascend.core<cube>, mix} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{signals id 0 at 1 places, in other loops or not as often as it is waited for}}
    ascend.cross_set <fix> mode 2 id 0
  }
  ascend.return
}
ascend.func @k_mix_aiv(%n: index) attributes {core = #ascend.core<vector>, mix} {
  // expected-note @+1 {{waited for here, at 1 places}}
  ascend.cross_wait id 0
  ascend.return
}

// -----

// expected-remark @+1 {{loops run so long that flags are proven for the first control paths only: 1}}
ascend.func @long_loop() attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9999999 = arith.constant 9999999 : index
  scf.for %i = %c0 to %c9999999 step %c1 {
    ascend.barrier <v>
  }
  ascend.return
}
