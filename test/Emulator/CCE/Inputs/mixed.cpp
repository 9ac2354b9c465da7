// O[t] = A[t] * B^T + X for t < tiles of 32 x 64: the cube core leaves products in
// a workspace of two slots, two vector cores add half a tile each.
extern "C" __global__ __aicore__ void mixed_mix_aic(__gm__ half *A, __gm__ half *B, __gm__ float *W, __gm__ float *X, __gm__ float *O, int64_t tiles, int64_t ffts) {
  __cbuf__ half *aL1 = (__cbuf__ half *)(uintptr_t)0;
  __cbuf__ half *bL1 = (__cbuf__ half *)(uintptr_t)4096;
  __ca__ half *aL0 = (__ca__ half *)(uintptr_t)0;
  __cb__ half *bL0 = (__cb__ half *)(uintptr_t)0;
  __cc__ float *cL0 = (__cc__ float *)(uintptr_t)0;
  set_ffts_base_addr(ffts);
  set_nd_para(1);
  copy_gm_to_cbuf_multi_nd2nz_b16(bL1, B, 0, 1, 64, 64, 0, 64, 64, 1, 0);
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  for (int64_t t = 0; t < tiles; ++t) {
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    copy_gm_to_cbuf_multi_nd2nz_b16(aL1, A + t * 2048, 0, 1, 32, 64, 0, 64, 32, 1, 0);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    for (int64_t i = 0; i < 2; ++i)
      load_cbuf_to_ca(aL0 + i * 1024, aL1, i, 4, 2, 0, 0, false, inc);
    load_cbuf_to_cb(bL0, bL1, 0, 16, 1, 0, 0, false, inc);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    mad(cL0, aL0, bL0, 32, 64, 64, 0, false, false, true);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    if (t >= 2)
      wait_flag_dev(2 + (t & 1));
    copy_matrix_cc_to_gm(W + (t & 1) * 2048, cL0, 0, 64, 32, 64, 32, 0, NoQuant, 0, false, true); // @mixed.py:9:5
    ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | (t & 1) << 8);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  for (int64_t t = tiles < 2 ? 0 : tiles - 2; t < tiles; ++t)
    wait_flag_dev(2 + (t & 1));
  pipe_barrier(PIPE_ALL);
}

extern "C" __global__ __aicore__ void mixed_mix_aiv(__gm__ half *A, __gm__ half *B, __gm__ float *W, __gm__ float *X, __gm__ float *O, int64_t tiles, int64_t ffts) {
  int64_t half0 = get_subblockid() * 1024;
  __ubuf__ float *w = (__ubuf__ float *)(uintptr_t)0;
  __ubuf__ float *x = (__ubuf__ float *)(uintptr_t)8192;
  __ubuf__ float *o = (__ubuf__ float *)(uintptr_t)16384;
  set_ffts_base_addr(ffts);
  set_mask_norm();
  set_vector_mask(~0ull, ~0ull);
  copy_gm_to_ubuf(x, X + half0, 0, 1, 128, 0, 0);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  for (int64_t t = 0; t < tiles; ++t) {
    wait_flag_dev(t & 1);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    copy_gm_to_ubuf(w, W + (t & 1) * 2048 + half0, 0, 1, 128, 0, 0); // @mixed.py:10:5
    ffts_cross_core_sync(PIPE_MTE2, 1 | 2 << 4 | (2 + (t & 1)) << 8);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    vadd(o, w, x, 16, 1, 1, 1, 8, 8, 8);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm(O + t * 2048 + half0, o, 0, 1, 128, 0, 0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  pipe_barrier(PIPE_ALL);
}
