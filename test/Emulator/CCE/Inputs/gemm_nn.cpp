// C[m, n] = A[m, k] * B[k, n] with fp16 results and a ReLU: one tile of at most
// 48 x 40 x 56, none of which fractals divide. B goes through the transposing load.
extern "C" __global__ __aicore__ void gemm_nn(__gm__ half *A, __gm__ half *B, __gm__ half *C, int64_t m, int64_t n, int64_t k) {
  __cbuf__ half *aL1 = (__cbuf__ half *)(uintptr_t)0;
  __cbuf__ half *bL1 = (__cbuf__ half *)(uintptr_t)8192;
  __ca__ half *aL0 = (__ca__ half *)(uintptr_t)0;
  __cb__ half *bL0 = (__cb__ half *)(uintptr_t)0;
  __cc__ float *cL0 = (__cc__ float *)(uintptr_t)0;
  int64_t m1 = (m + 15) / 16, n1 = (n + 15) / 16, k1 = (k + 15) / 16;
  copy_gm_to_cbuf_multi_nd2nz_b16(aL1, A, 0, 1, m, k, 0, k, m1 * 16, 1, 0);
  copy_gm_to_cbuf_multi_nd2nz_b16(bL1, B, 0, 1, k, n, 0, n, k1 * 16, 1, 0);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  for (int64_t i = 0; i < m1; ++i)
    load_cbuf_to_ca(aL0 + i * k1 * 256, aL1, i, k1, m1, 0, 0, false, inc);
  // L1 holds [N1][K1][16 k][16 n]; L0B wants [K1][N1][16 n][16 k].
  for (int64_t i = 0; i < k1; ++i)
    load_cbuf_to_cb_transpose(bL0 + i * n1 * 256, bL1, i, n1, k1, 0, inc, 0);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  mad(cL0, aL0, bL0, m, k, n, 0, false, false, true);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1);
  copy_matrix_cc_to_gm(C, cL0, 0, n, m, n, m1 * 16, 0, F322F16, 1, false, true);
  pipe_barrier(PIPE_ALL);
}
