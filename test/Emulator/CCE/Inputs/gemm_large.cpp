// C[128, 128] = A[128, 64 * tiles] * B[128, 64 * tiles]^T; two versions of L1 and L0.
extern "C" __global__ __aicore__ void gemm_large(__gm__ half *A, __gm__ half *B, __gm__ float *C, int64_t tiles) {
  __cbuf__ half *aL1 = (__cbuf__ half *)(uintptr_t)0;
  __cbuf__ half *bL1 = (__cbuf__ half *)(uintptr_t)32768;
  __ca__ half *aL0 = (__ca__ half *)(uintptr_t)0;
  __cb__ half *bL0 = (__cb__ half *)(uintptr_t)0;
  __cc__ float *cL0 = (__cc__ float *)(uintptr_t)0;
  for (int64_t e = 0; e < 2; ++e) {
    set_flag(PIPE_MTE1, PIPE_MTE2, (event_t)e);
    set_flag(PIPE_M, PIPE_MTE1, (event_t)e);
  }
  for (int64_t k = 0; k < tiles; ++k) {
    event_t e = (event_t)(k & 1);
    int64_t o = (k & 1) * 8192;
    wait_flag(PIPE_MTE1, PIPE_MTE2, e);
    copy_gm_to_cbuf_multi_nd2nz_b16(aL1 + o, A + k * 64, 0, 1, 128, 64, 0, 64 * tiles, 128, 1, 0);
    copy_gm_to_cbuf_multi_nd2nz_b16(bL1 + o, B + k * 64, 0, 1, 128, 64, 0, 64 * tiles, 128, 1, 0);
    set_flag(PIPE_MTE2, PIPE_MTE1, e);
    wait_flag(PIPE_MTE2, PIPE_MTE1, e);
    wait_flag(PIPE_M, PIPE_MTE1, e);
    for (int64_t i = 0; i < 8; ++i)
      load_cbuf_to_ca(aL0 + o + i * 1024, aL1 + o, i, 4, 8, 0, 0, false, inc);
    load_cbuf_to_cb(bL0 + o, bL1 + o, 0, 32, 1, 0, 0, false, inc);
    set_flag(PIPE_MTE1, PIPE_MTE2, e);
    set_flag(PIPE_MTE1, PIPE_M, e);
    wait_flag(PIPE_MTE1, PIPE_M, e);
    mad(cL0, aL0 + o, bL0 + o, 128, 64, 128, 0, false, false, k == 0);
    set_flag(PIPE_M, PIPE_MTE1, e);
  }
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1);
  copy_matrix_cc_to_gm(C, cL0, 0, 128, 128, 128, 128, 0, NoQuant, 0, false, true);
  for (int64_t e = 0; e < 2; ++e) {
    wait_flag(PIPE_MTE1, PIPE_MTE2, (event_t)e);
    wait_flag(PIPE_M, PIPE_MTE1, (event_t)e);
  }
  pipe_barrier(PIPE_ALL);
}
