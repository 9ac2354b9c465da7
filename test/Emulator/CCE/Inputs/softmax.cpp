// Y[r, :] = softmax(X[r, :]) of rows of at most 512 columns, one row a block. The
// maximum and the sum go through the scalar unit; columns need not divide blocks.
#ifndef TILEPIPE_CCE_EMULATOR
template <typename T> __aicore__ inline T tp_load(__ubuf__ T *p) { return *p; }
#endif
extern "C" __global__ __aicore__ void softmax(__gm__ float *X, __gm__ float *Y, int64_t columns) {
  __ubuf__ float *x = (__ubuf__ float *)(uintptr_t)0;
  __ubuf__ float *part = (__ubuf__ float *)(uintptr_t)2048;
  __ubuf__ float *one = (__ubuf__ float *)(uintptr_t)2112;
  int64_t repeats = (columns + 63) / 64;
  copy_gm_to_ubuf_align_b32(x, X + get_block_idx() * columns, 0, 1, columns * 4, 0, 0, 0, 0); // @softmax.py:3:5
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  set_mask_count();
  set_vector_mask(0, columns);
  vcmax(part, x, repeats, 1, 1, 8, Order_t::ONLY_VALUE); // @softmax.py:4:5
  pipe_barrier(PIPE_V);
  set_vector_mask(0, repeats);
  vcmax(one, part, 1, 1, 1, 8, Order_t::ONLY_VALUE); // @softmax.py:4:5
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  float most = tp_load(one); // @softmax.py:4:5
  set_vector_mask(0, columns);
  vadds(x, x, -most, repeats, 1, 1, 8, 8); // @softmax.py:5:5
  pipe_barrier(PIPE_V);
  vexp(x, x, repeats, 1, 1, 8, 8); // @softmax.py:5:5
  pipe_barrier(PIPE_V);
  vcadd(part, x, repeats, 1, 1, 8, 0); // @softmax.py:6:5
  pipe_barrier(PIPE_V);
  set_vector_mask(0, repeats);
  vcadd(one, part, 1, 1, 1, 8, 0); // @softmax.py:6:5
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  float sum = tp_load(one); // @softmax.py:6:5
  set_vector_mask(0, columns);
  vmuls(x, x, 1.0f / sum, repeats, 1, 1, 8, 8); // @softmax.py:7:5
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  copy_ubuf_to_gm_align_b32(Y + get_block_idx() * columns, x, 0, 1, columns * 4, 0, 0, 0, 0); // @softmax.py:8:5
  pipe_barrier(PIPE_ALL);
}
