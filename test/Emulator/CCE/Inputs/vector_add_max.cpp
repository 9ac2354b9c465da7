// C = max(A + B, A) in tiles of 1024, two buffers.
extern "C" __global__ __aicore__ void vector_add_max(__gm__ float *A, __gm__ float *B, __gm__ float *C, int64_t tiles) {
  __ubuf__ float *a = (__ubuf__ float *)(uintptr_t)0;
  __ubuf__ float *b = (__ubuf__ float *)(uintptr_t)8192;
  __ubuf__ float *c = (__ubuf__ float *)(uintptr_t)16384;
  set_mask_norm();
  set_vector_mask(~0ull, ~0ull);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  for (int64_t t = 0; t < tiles; ++t) {
    event_t e = (event_t)(t & 1);
    int64_t o = (t & 1) * 1024;
    wait_flag(PIPE_V, PIPE_MTE2, e); // @user.py:3:4
    copy_gm_to_ubuf(a + o, A + t * 1024, 0, 1, 128, 0, 0); // @user.py:4:4
    copy_gm_to_ubuf(b + o, B + t * 1024, 0, 1, 128, 0, 0);
    set_flag(PIPE_MTE2, PIPE_V, e);
    wait_flag(PIPE_MTE2, PIPE_V, e);
    wait_flag(PIPE_MTE3, PIPE_V, e);
    vadd(c + o, a + o, b + o, 16, 1, 1, 1, 8, 8, 8);
    pipe_barrier(PIPE_V);
    vmax(c + o, c + o, a + o, 16, 1, 1, 1, 8, 8, 8);
    set_flag(PIPE_V, PIPE_MTE2, e);
    set_flag(PIPE_V, PIPE_MTE3, e);
    wait_flag(PIPE_V, PIPE_MTE3, e);
    copy_ubuf_to_gm(C + t * 1024, c + o, 0, 1, 128, 0, 0);
    set_flag(PIPE_MTE3, PIPE_V, e);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  pipe_barrier(PIPE_ALL);
}
