// C[64, 64] = A[64, 64 * tiles] * B[64, 64 * tiles]^T; two versions of L1 and L0.
extern "C" __global__ __aicore__ void gemm_nt(__gm__ half *A, __gm__ half *B, __gm__ float *C, int64_t tiles) {
  __cbuf__ half *aL1 = (__cbuf__ half *)(uintptr_t)0;
  __cbuf__ half *bL1 = (__cbuf__ half *)(uintptr_t)16384;
  __ca__ half *aL0 = (__ca__ half *)(uintptr_t)0;
  __cb__ half *bL0 = (__cb__ half *)(uintptr_t)0;
  __cc__ float *cL0 = (__cc__ float *)(uintptr_t)0;
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
  for (int64_t k = 0; k < tiles; ++k) {
    event_t e = (event_t)(k & 1);
    int64_t o = (k & 1) * 4096;
    wait_flag(PIPE_MTE1, PIPE_MTE2, e);
    copy_gm_to_cbuf_multi_nd2nz_b16(aL1 + o, A + k * 64, 0, 1, 64, 64, 0, 64 * tiles, 64, 1, 0); // @gemm.py:7:9
    copy_gm_to_cbuf_multi_nd2nz_b16(bL1 + o, B + k * 64, 0, 1, 64, 64, 0, 64 * tiles, 64, 1, 0); // @gemm.py:8:9
    set_flag(PIPE_MTE2, PIPE_MTE1, e);
    wait_flag(PIPE_MTE2, PIPE_MTE1, e);
    wait_flag(PIPE_M, PIPE_MTE1, e);
    for (int64_t i = 0; i < 4; ++i)
      load_cbuf_to_ca(aL0 + o + i * 1024, aL1 + o, i, 4, 4, 0, 0, false, inc); // @gemm.py:9:9
    load_cbuf_to_cb(bL0 + o, bL1 + o, 0, 16, 1, 0, 0, false, inc); // @gemm.py:9:9
    set_flag(PIPE_MTE1, PIPE_MTE2, e);
    set_flag(PIPE_MTE1, PIPE_M, e);
    wait_flag(PIPE_MTE1, PIPE_M, e);
    mad(cL0, aL0 + o, bL0 + o, 64, 64, 64, 0, false, false, k == 0); // @gemm.py:9:9
    set_flag(PIPE_M, PIPE_MTE1, e);
  }
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1);
  copy_matrix_cc_to_gm(C, cL0, 0, 64, 64, 64, 64, 0, NoQuant, 0, false, true); // @gemm.py:10:5
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
  pipe_barrier(PIPE_ALL);
}
