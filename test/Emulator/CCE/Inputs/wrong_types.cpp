extern "C" __global__ __aicore__ void wrong(__gm__ half *A, __gm__ float *C) {
  __cbuf__ half *aL1 = (__cbuf__ half *)(uintptr_t)0;
  __ca__ half *aL0 = (__ca__ half *)(uintptr_t)0;
  __cb__ half *bL0 = (__cb__ half *)(uintptr_t)0;
  __cc__ float *cL0 = (__cc__ float *)(uintptr_t)0;
  __ubuf__ float *u = (__ubuf__ float *)(uintptr_t)0;
  __ubuf__ half *h = (__ubuf__ half *)(uintptr_t)0;
  // L1 where L0A is needed.
  mad(cL0, aL1, bL0, 16, 16, 16, 0, false, false, true); // expected-error {{no matching function for call to 'mad'}}
  // L0A and L0B exchanged.
  mad(cL0, bL0, aL0, 16, 16, 16, 0, false, false, true); // expected-error {{no matching function for call to 'mad'}}
  // L0B from GM.
  load_cbuf_to_cb(bL0, A, 0, 1, 1, 0, 0, false, inc); // expected-error {{no matching function for call to 'load_cbuf_to_cb'}}
  // Operands of two types.
  vadd(u, h, u, 1, 1, 1, 1, 8, 8, 8); // expected-error {{no matching function for call to 'vadd'}}
  // A fixpipe to UB is of another machine.
  copy_matrix_cc_to_gm(u, cL0, 0, 16, 16, 16, 16, 0, NoQuant, 0, false, true); // expected-error {{no matching function for call to 'copy_matrix_cc_to_gm'}}
  // An argument too many is no place of the call.
  vexp(u, u, 1, 1, 1, 8, 8, 0); // expected-error {{no matching function for call to 'vexp'}}
  copy_gm_to_ubuf(u, u, 0, 1, 1, 0, 0); // expected-error {{no matching function for call to 'copy_gm_to_ubuf'}}
  // expected-note@*:* 0+ {{}}
}
