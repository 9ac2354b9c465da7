"""Causal linear attention in chunks: the state K^T V is carried from chunk to chunk."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def linear_attention(length, dim, num_stages=2, chunk=16):
    @T.prim_func
    def kernel(
        Q: T.Tensor((length, dim), "float32"),
        K: T.Tensor((length, dim), "float32"),
        V: T.Tensor((length, dim), "float32"),
        O: T.Tensor((length, dim), "float32"),
    ):
        with T.Kernel(1, threads=128):
            q, k, v = (T.alloc_shared((chunk, dim), "float32") for _ in range(3))
            s, o = T.alloc_fragment((chunk, chunk), "float32"), T.alloc_fragment((chunk, dim), "float32")
            state = T.alloc_fragment((dim, dim), "float32")
            T.clear(state)
            for ko in T.Pipelined(T.ceildiv(length, chunk), num_stages=num_stages):
                T.copy(Q[ko * chunk, 0], q)
                T.copy(K[ko * chunk, 0], k)
                T.copy(V[ko * chunk, 0], v)
                T.gemm(q, state, o, clear_accum=True)  # all chunks before
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)  # this chunk
                for i, j in T.Parallel(chunk, chunk):
                    s[i, j] = T.if_then_else(j <= i, s[i, j], 0.0)
                T.gemm(s, v, o)
                T.gemm(k, v, state, transpose_A=True)
                T.copy(o, O[ko * chunk, 0])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(26)
    dynamic = linear_attention(T.dynamic("l"), 8, num_stages)
    for length in (64, 43):
        q, k, v = (rng.standard_normal((length, 8)).astype(np.float32) for _ in range(3))
        want = np.tril(q @ k.T) @ v
        for kernel in (linear_attention(length, 8, num_stages), dynamic):
            np.testing.assert_allclose(kernel(q, k, v), want, rtol=1e-3, atol=1e-3)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
