// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{has argument 0 in 'ub', but arguments are global memory}}
ascend.func @func_p1_space(%x: memref<64xf32, #tile.space<ub>>) attributes {core = #ascend.core<vector>} {
  ascend.return
}

// -----

// expected-error @+1 {{is of a mixed kernel, but its name does not end in '_mix_aic'}}
ascend.func @func_p2() attributes {core = #ascend.core<cube>, mix} {
  ascend.return
}

// -----

// expected-error @+1 {{has unknown argument attribute 'ascend.scratch'}}
ascend.func @argument_attribute(%n: index {ascend.scratch}) attributes {core = #ascend.core<cube>} {
  ascend.return
}

// -----

// expected-error @+1 {{has 'ascend.workspace' on argument 0, which is not a memref}}
ascend.func @workspace_scalar(%n: index {ascend.workspace}) attributes {core = #ascend.core<cube>} {
  ascend.return
}

// -----

ascend.func @nd2nz_p1(%A: memref<?xf16>, %n: index) attributes {core = #ascend.core<cube>} {
  %a = tile.alloc : memref<64x64xf16, #tile.space<ub>>
  // expected-error @+1 {{expects its target in 'l1', got 'ub'}}
  ascend.nd2nz %A[%n] to %a[%n] rows %n columns %n stride %n pitch %n
      : memref<?xf16>, memref<64x64xf16, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @load_l0_p1(%n: index) attributes {core = #ascend.core<cube>} {
  %a = tile.alloc : memref<64x64xf16, #tile.space<l1>>
  %b = tile.alloc : memref<64x64xf16, #tile.space<ub>>
  // expected-error @+1 {{expects its target in 'l0a' or 'l0b', got 'ub'}}
  ascend.load_l0 %a[%n] to %b[%n] repeat %n stride %n gap %n
      : memref<64x64xf16, #tile.space<l1>>, memref<64x64xf16, #tile.space<ub>>
  ascend.return
}

// -----

// Fractals are whole.
ascend.func @load_l0_fractals(%n: index) attributes {core = #ascend.core<cube>} {
  %a = tile.alloc : memref<64x64xf16, #tile.space<l1>>
  %b = tile.alloc : memref<20x20xf16, #tile.space<l0a>>
  // expected-error @+1 {{expects its target to be a multiple of 512 bytes, got 800}}
  ascend.load_l0 %a[%n] to %b[%n] repeat %n stride %n gap %n
      : memref<64x64xf16, #tile.space<l1>>, memref<20x20xf16, #tile.space<l0a>>
  ascend.return
}

// -----

ascend.func @load_l0_p2(%n: index) attributes {core = #ascend.core<cube>} {
  %a = tile.alloc : memref<64x64xf32, #tile.space<l1>>
  %b = tile.alloc : memref<64x64xf32, #tile.space<l0b>>
  // expected-error @+1 {{transposes elements of 2 bytes only, got 'f32'}}
  ascend.load_l0 %a[%n] to %b[%n] repeat %n stride %n gap %n transpose
      : memref<64x64xf32, #tile.space<l1>>, memref<64x64xf32, #tile.space<l0b>>
  ascend.return
}

// -----

ascend.func @mma_p2(%n: index, %i: i1) attributes {core = #ascend.core<cube>} {
  %a = tile.alloc : memref<64x64xf16, #tile.space<l0a>>
  %b = tile.alloc : memref<64x64xf16, #tile.space<l0b>>
  %c = tile.alloc : memref<64x64xf16, #tile.space<l0c>>
  // expected-error @+1 {{cannot multiply 'f16' and 'f16' into 'f16'; supported are f16, bf16 or f32 into f32, and i8 into i32}}
  ascend.mma %c[%n], %a[%n], %b[%n] m %n k %n n %n init %i
      : memref<64x64xf16, #tile.space<l0c>>, memref<64x64xf16, #tile.space<l0a>>,
        memref<64x64xf16, #tile.space<l0b>>
  ascend.return
}

// -----

ascend.func @fixpipe_p1(%C: memref<?xi32>, %n: index) attributes {core = #ascend.core<cube>} {
  %c = tile.alloc : memref<64x64xf32, #tile.space<l0c>>
  // expected-error @+1 {{cannot convert 'f32' to 'i32'; supported are f32 to f32, f16 or bf16, and i32 to i32}}
  ascend.fixpipe %c[%n] to %C[%n] m %n n %n pitch %n stride %n
      : memref<64x64xf32, #tile.space<l0c>>, memref<?xi32>
  ascend.return
}

// -----

ascend.func @load_p1(%X: memref<?xf32>, %n: index) attributes {core = #ascend.core<vector>} {
  %x = tile.alloc : memref<64xf16, #tile.space<ub>>
  // expected-error @+1 {{expects equal element types, got 'f32' and 'f16'}}
  ascend.load %X[%n] to %x[%n] rows %n columns %n stride %n pitch %n
      : memref<?xf32>, memref<64xf16, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @vunary_p1(%n: index) attributes {core = #ascend.core<vector>} {
  %x = tile.alloc : memref<64xbf16, #tile.space<ub>>
  // expected-error @+1 {{expects elements of f16 or f32, got 'bf16'}}
  ascend.vunary <exp> %x[%n], %x[%n] count %n
      : memref<64xbf16, #tile.space<ub>>, memref<64xbf16, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @vbinary_p2(%n: index) attributes {core = #ascend.core<vector>} {
  %x = tile.alloc : memref<64xf32, #tile.space<ub>>
  // expected-error @+1 {{expects 3 strides, got 2}}
  ascend.vbinary <add> %x[%n], %x[%n], %x[%n] count %n repeat %n blocks [1, 1] repeats [8, 8, 8]
      : memref<64xf32, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>,
        memref<64xf32, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @vscalar_p1(%n: index, %s: f16) attributes {core = #ascend.core<vector>} {
  %x = tile.alloc : memref<64xf32, #tile.space<ub>>
  // expected-error @+1 {{expects a scalar of type 'f32', got 'f16'}}
  ascend.vscalar <adds> %x[%n], %x[%n], %s count %n
      : memref<64xf32, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>, f16
  ascend.return
}

// -----

// What loses bits must say how.
ascend.func @vconvert_p2(%n: index) attributes {core = #ascend.core<vector>} {
  %x = tile.alloc : memref<64xf32, #tile.space<ub>>
  %y = tile.alloc : memref<64xbf16, #tile.space<ub>>
  // expected-error @+1 {{cannot convert 'f32' to 'bf16' with rounding 'none'}}
  ascend.vconvert <none> %y[%n], %x[%n] count %n
      : memref<64xbf16, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @vreduce_p2(%n: index) attributes {core = #ascend.core<vector>} {
  %x = tile.alloc : memref<64xf32, #tile.space<ub>>
  // expected-error @+1 {{expects a target stride from 1 to 65535, got 0}}
  ascend.vreduce <max> %x[%n], %x[%n] count %n repeat %n stride 8 target_stride 0
      : memref<64xf32, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @set_flag_p1() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{orders pipe 'v' with itself; that takes an 'ascend.barrier'}}
  ascend.set_flag <v> to <v> id 0
  ascend.return
}

// -----

ascend.func @set_flag_p2() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{expects ids from 0 to 7, got 8 to 8}}
  ascend.set_flag <v> to <mte2> id 8
  ascend.return
}

// -----

ascend.func @wait_flag_p2_slots(%n: index) attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{expects ids from 0 to 7, got 6 to 8}}
  ascend.wait_flag <v> to <mte2> id 6 slot %n of 3
  ascend.return
}

// -----

ascend.func @barrier_p1() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{cannot wait for pipe 's', which is in order}}
  ascend.barrier <s>
  ascend.return
}

// -----

ascend.func @cross_set_p2() attributes {core = #ascend.core<cube>} {
  // expected-error @+1 {{expects ids from 0 to 10, got 11 to 11}}
  ascend.cross_set <fix> mode 2 id 11
  ascend.return
}
