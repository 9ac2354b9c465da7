// RUN: tile-translate %s --split-input-file --tile-to-cce | FileCheck %s

// The text goes by argument order and units of the intrinsics; buffers are
// addresses, constants are folded, and every line has the place it is from.

#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>
#l0b = #tile.space<l0b>
#l0c = #tile.space<l0c>
#ub = #tile.space<ub>

// CHECK: // CCE of dav-2201
// CHECK: --cce-aicore-arch=dav-c220-cube
// CHECK-NOT: dav-c220-vec
// CHECK: extern "C" __global__ __aicore__ void gemm(__gm__ half *A, int64_t A_d0, int64_t A_d1, __gm__ bfloat16_t *C, int32_t arg2) {
ascend.func @gemm(%A: memref<?x?xf16> {ascend.name = "A"}, %C: memref<64x64xbf16> {ascend.name = "C"}, %x: i32)
    attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f16
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  // CHECK: __cbuf__ half *As = (__cbuf__ half *)(uintptr_t)512; // 2x64x64, 16384 bytes
  %As = tile.alloc {name = "As", offset = 512} : memref<2x64x64xf16, #l1>
  // CHECK: __ca__ half *int_1 =
  %A0 = tile.alloc {name = "int", offset = 0} : memref<64x64xf16, #l0a>
  // CHECK: __cb__ half *B0 =
  %B0 = tile.alloc {name = "B0", offset = 0} : memref<64x64xf16, #l0b>
  // CHECK: __cc__ float *C0 =
  %C0 = tile.alloc {name = "C0", offset = 0} : memref<64x64xf32, #l0c>
  // CHECK: set_nd_para(1);
  // CHECK: const int64_t [[N:.*]] = (A_d1 + 63) / 64;
  %n = arith.ceildivui %K, %c64 : index
  // CHECK: for (int64_t i = 0; i < [[N]]; ++i) {
  scf.for %k = %c0 to %n step %c1 {
    // CHECK: const int64_t [[S:.*]] = i % 2;
    %s = arith.remui %k, %c2 : index
    %o = arith.muli %k, %c64 : index
    %as = tile.slot %As[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
    // CHECK: create_cbuf_matrix(As + [[S]] * 4096, 4194308, (half)0.0f); // @{{.+}}:{{[0-9]+}}:5
    ascend.fill_l1 %as[%c0] with %zero repeat %c4 blocks %c64 gap %c0 : f16, memref<64x64xf16, #l1>
    // CHECK: pipe_barrier(PIPE_MTE2);
    ascend.barrier <mte2>
    // CHECK: wait_flag(PIPE_MTE1, PIPE_MTE2, (event_t)[[S]]);
    ascend.wait_flag <mte1> to <mte2> id 0 slot %s of 2
    // CHECK: set_flag(PIPE_MTE1, PIPE_MTE2, (event_t)([[S]] + 2));
    ascend.set_flag <mte1> to <mte2> id 2 slot %s of 2
    // CHECK: copy_gm_to_cbuf_multi_nd2nz_b16(As + [[S]] * 4096, A + i * 64, 0, 1, 64, 64, 0, A_d1, 64, 1, 0);
    ascend.nd2nz %A[%o] to %as[%c0] rows %c64 columns %c64 stride %K pitch %c64
        : memref<?x?xf16>, memref<64x64xf16, #l1>
    // CHECK: load_cbuf_to_ca(int_1 + 64, As + [[S]] * 4096, 0, 4, 4, 0, 0, false, inc);
    ascend.load_l0 %as[%c0] to %A0[%c64] repeat %c4 stride %c4 gap %c0
        : memref<64x64xf16, #l1>, memref<64x64xf16, #l0a>
    // CHECK: load_cbuf_to_cb(B0, As + [[S]] * 4096, 0, 4, 1, 0, 0, true, inc);
    ascend.load_l0 %as[%c0] to %B0[%c0] repeat %c4 stride %c1 gap %c0 transpose
        : memref<64x64xf16, #l1>, memref<64x64xf16, #l0b>
    // CHECK: mad(C0, int_1, B0, 64, 64, 64, 0, false, false, i == 0);
    %first = arith.cmpi eq, %k, %c0 : index
    ascend.mma %C0[%c0], %A0[%c0], %B0[%c0] m %c64 k %c64 n %c64 init %first
        : memref<64x64xf32, #l0c>, memref<64x64xf16, #l0a>, memref<64x64xf16, #l0b>
  }
  // CHECK: copy_matrix_cc_to_gm(C, C0, 0, 64, 64, 64, 64, 0, F322BF16, 1, false, true);
  ascend.fixpipe %C0[%c0] to %C[%c0] m %c64 n %c64 pitch %c64 stride %c64 relu
      : memref<64x64xf32, #l0c>, memref<64x64xbf16>
  ascend.return
}

// -----

#ub = #tile.space<ub>

// Masks are set where they change; row copies are in bytes and blocks.
// CHECK: dav-c220-vec
// CHECK: tp_load(__ubuf__ T *p)
// CHECK: inline int64_t tp_min(
// CHECK: inline uint64_t tp_mask_low(
// CHECK-LABEL: void vector(
ascend.func @vector(%X: memref<?x?xf32> {ascend.name = "X"}, %n: index, %r: index)
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c70 = arith.constant 70 : index
  %c72 = arith.constant 72 : index
  %neg = arith.constant 0xFF800000 : f32
  %N = memref.dim %X, %c1 : memref<?x?xf32>
  %x = tile.alloc {name = "x", offset = 0} : memref<8x72xf32, #ub>
  %h = tile.alloc {name = "h", offset = 4096} : memref<8x72xf16, #ub>
  %m = tile.alloc {name = "m", offset = 8192} : memref<8xf32, #ub>
  %b = tile.alloc {name = "b", offset = 8448} : memref<8x8xf32, #ub>
  %bits = tile.alloc {name = "bits", offset = 9216} : memref<64xi8, #ub>
  // 70 columns of 4 bytes: 9 blocks a row, as many as the pitch has.
  // CHECK: copy_gm_to_ubuf_align_b32(x, X + [[O:.*]], 0, 5, 280, 0, 0, (X_d1 - 70) * 4, 0);
  %o = arith.muli %r, %N : index
  ascend.load %X[%o] to %x[%c0] rows %c5 columns %c70 stride %N pitch %c72
      : memref<?x?xf32>, memref<8x72xf32, #ub>
  // CHECK: copy_ubuf_to_gm_align_b32(X + [[O]], x, 0, 5, tp_min(arg1, 64) * 4, 0, 0, 9 - (tp_min(arg1, 64) + 7) / 8, (X_d1 - tp_min(arg1, 64)) * 4);
  %w = arith.minsi %n, %c64 : index
  ascend.store %x[%c0] to %X[%o] rows %c5 columns %w stride %N pitch %c72
      : memref<8x72xf32, #ub>, memref<?x?xf32>
  // CHECK: set_mask_count();
  // CHECK-NEXT: set_vector_mask(0, 70);
  // CHECK-NEXT: vexp(x, x, 1, 1, 1, 8, 8);
  ascend.vunary <exp> %x[%c0], %x[%c0] count %c70 : memref<8x72xf32, #ub>, memref<8x72xf32, #ub>
  // The mask stays.
  // CHECK-NEXT: vconv_f322f16r(h, x, 1, 1, 1, 4, 8);
  ascend.vconvert <rint> %h[%c0], %x[%c0] count %c70 : memref<8x72xf16, #ub>, memref<8x72xf32, #ub>
  // CHECK-NEXT: set_mask_norm();
  // CHECK-NEXT: set_vector_mask(0, 0x7ull);
  // CHECK-NEXT: vadds(x + 64, x, -__builtin_inff(), 5, 1, 1, 9, 9);
  ascend.vscalar <adds> %x[%c64], %x[%c0], %neg count %c3 repeat %c5 blocks [1, 1] repeats [9, 9]
      : memref<8x72xf32, #ub>, memref<8x72xf32, #ub>, f32
  // CHECK-NEXT: set_vector_mask(tp_mask_high(arg1), tp_mask_low(arg1));
  // CHECK-NEXT: vcmax(m, x, 8, 1, 1, 9, Order_t::ONLY_VALUE);
  ascend.vreduce <max> %m[%c0], %x[%c0] count %n repeat %c8 stride 9 target_stride 1
      : memref<8xf32, #ub>, memref<8x72xf32, #ub>
  // CHECK-NEXT: vcgadd(m, x, 1, 1, 1, 9);
  ascend.vreduce <sum> %m[%c0], %x[%c0] count %n repeat %c1 stride 9 target_stride 1 by_block
      : memref<8xf32, #ub>, memref<8x72xf32, #ub>
  // CHECK-NEXT: vbrcb((__ubuf__ uint32_t *)b, (__ubuf__ uint32_t *)m, 1, 8, 1);
  ascend.vbroadcast %b[%c0], %m[%c0] repeat %c1 : memref<8x8xf32, #ub>, memref<8xf32, #ub>
  // CHECK: vsub(x, x, b, 8, 1, 1, 0, 9, 9, 1);
  ascend.vbinary <sub> %x[%c0], %x[%c0], %b[%c0] count %c64 repeat %c8 blocks [1, 1, 0] repeats [9, 9, 1]
      : memref<8x72xf32, #ub>, memref<8x72xf32, #ub>, memref<8x8xf32, #ub>
  // CHECK: vcmpv_lt((__ubuf__ uint8_t *)bits, x, x, 8, 1, 1, 1, 8, 8, 8);
  ascend.vcompare <lt> %bits[%c0], %x[%c0], %x[%c0] repeat %c8
      : memref<64xi8, #ub>, memref<8x72xf32, #ub>, memref<8x72xf32, #ub>
  // The bits go through a register.
  // CHECK: for (int64_t r = 0; r < 8; ++r) {
  // CHECK-NEXT: if (r > 0)
  // CHECK-NEXT: pipe_barrier(PIPE_V);
  // CHECK-NEXT: set_cmpmask(bits + r * 8);
  // CHECK-NEXT: pipe_barrier(PIPE_V);
  // CHECK-NEXT: vsel(x + r * 64, x + r * 64, x + r * 64, 1, 1, 1, 1, 8, 8, 8);
  ascend.vselect %x[%c0], %bits[%c0], %x[%c0], %x[%c0] repeat %c8
      : memref<8x72xf32, #ub>, memref<64xi8, #ub>, memref<8x72xf32, #ub>, memref<8x72xf32, #ub>
  // CHECK: const float s = tp_load(m + 1);
  %s = ascend.scalar_load %m[%c1] : memref<8xf32, #ub> -> f32
  // CHECK: tp_store(m + 3, (float)(s + s));
  %t = arith.addf %s, %s : f32
  ascend.scalar_store %t, %m[%c3] : f32, memref<8xf32, #ub>
  ascend.return
}

// -----

// Values that loops and branches carry become variables; unsigned operations on
// what may be negative are unsigned.
// CHECK-LABEL: void control(int64_t arg0, int64_t arg1)
ascend.func @control(%a: index, %b: index) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // CHECK: int64_t carried = arg0;
  // CHECK: int64_t carried_1 = arg1;
  // CHECK: for (int64_t i = 0; i < arg0; i += 3) {
  // CHECK: const int64_t v = (int64_t)((uint64_t)(carried - i) % 3);
  // CHECK: const auto next = carried_1;
  // CHECK: const auto next_1 = v;
  // CHECK: carried = next;
  // CHECK: carried_1 = next_1;
  %r:2 = scf.for %i = %c0 to %a step %c3 iter_args(%x = %a, %y = %b) -> (index, index) {
    %d = arith.subi %x, %i : index
    %m = arith.remui %d, %c3 : index
    ascend.set_flag <mte2> to <v> id 0 slot %m of 3
    ascend.wait_flag <mte2> to <v> id 0 slot %m of 3
    scf.yield %y, %m : index, index
  }
  // CHECK: int64_t chosen;
  // CHECK: if (carried < carried_1) {
  // CHECK: chosen = carried;
  // CHECK: } else {
  // CHECK: chosen = 3;
  %c = arith.cmpi slt, %r#0, %r#1 : index
  %z = scf.if %c -> (index) {
    scf.yield %r#0 : index
  } else {
    scf.yield %c3 : index
  }
  // CHECK: for (int64_t i_1 = 0; i_1 < chosen; ++i_1) {
  scf.for %i = %c0 to %z step %c1 {
    ascend.barrier <v>
  }
  ascend.return
}

// -----

// One file for both kinds of cores.
// CHECK: #if defined(TILEPIPE_CCE_EMULATOR) || defined(__DAV_C220_CUBE__)
// CHECK-NEXT: extern "C" __global__ __aicore__ void k_mix_aic(int64_t arg0)
// CHECK: set_ffts_base_addr((uint64_t)arg0);
// CHECK: ffts_cross_core_sync(PIPE_FIX, 801);
// CHECK: wait_flag_dev(4);
// CHECK: #endif
// CHECK: #if defined(TILEPIPE_CCE_EMULATOR) || defined(__DAV_C220_VEC__)
// CHECK-NEXT: void k_mix_aiv(
// CHECK: #endif
ascend.func @k_mix_aic(%a: i64) attributes {core = #ascend.core<cube>, mix} {
  ascend.set_ffts_base %a
  ascend.cross_set <fix> mode 2 id 3
  ascend.cross_wait id 4
  ascend.return
}
ascend.func @k_mix_aiv(%a: i64) attributes {core = #ascend.core<vector>, mix} {
  ascend.return
}
