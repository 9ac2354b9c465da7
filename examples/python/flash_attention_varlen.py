"""Attention over sequences of different lengths, packed one behind the other."""

import itertools

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def attention_varlen(total_length, batch, longest, dim, num_stages=2, block=16):
    """``starts`` holds where each sequence begins, and the end of the last one."""
    scale = dim**-0.5

    @T.prim_func
    def kernel(
        Q: T.Tensor((total_length, dim), "float32"),
        K: T.Tensor((total_length, dim), "float32"),
        V: T.Tensor((total_length, dim), "float32"),
        starts: T.Tensor((batch + 1,), "int32"),
        O: T.Tensor((total_length, dim), "float32"),
    ):
        with T.Kernel(T.ceildiv(longest, block), batch, threads=128) as (bx, b):
            q, k, v = (T.alloc_shared((block, dim), "float32") for _ in range(3))
            s = T.alloc_fragment((block, block), "float32")
            o = T.alloc_fragment((block, dim), "float32")
            top, new, total = (T.alloc_fragment((block,), "float32") for _ in range(3))
            start = starts[b]
            length = starts[b + 1] - start
            if bx * block < length:
                T.copy(Q[start + bx * block, 0], q)
                T.clear(o)
                T.clear(total)
                T.fill(top, -1e30)
                for ko in T.Pipelined(T.ceildiv(length, block), num_stages=num_stages):
                    # Rows of the next sequence come along; they are masked.
                    T.copy(K[start + ko * block, 0], k)
                    T.copy(V[start + ko * block, 0], v)
                    T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                    for i, j in T.Parallel(block, block):
                        s[i, j] = T.if_then_else(ko * block + j < length, s[i, j] * scale, -1e30)
                    T.copy(top, new)
                    T.reduce_max(s, new, dim=1, clear=False)
                    for i in T.Parallel(block):
                        total[i] *= T.exp(top[i] - new[i])
                    for i, j in T.Parallel(block, dim):
                        o[i, j] *= T.exp(top[i] - new[i])
                    for i, j in T.Parallel(block, block):
                        s[i, j] = T.exp(s[i, j] - new[i])
                    T.copy(new, top)
                    T.reduce_sum(s, total, dim=1, clear=False)
                    T.gemm(s, v, o)
                for i, j in T.Parallel(block, dim):
                    if bx * block + i < length:
                        O[start + bx * block + i, j] = o[i, j] / total[i]

    return kernel


def reference(q, k, v):
    scores = q @ k.T * q.shape[-1] ** -0.5
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return p @ v / p.sum(-1, keepdims=True)


def check(num_stages):
    rng = np.random.default_rng(22)
    lengths = [20, 1, 33, 16]
    starts = np.cumsum([0, *lengths]).astype(np.int32)
    total, dim = int(starts[-1]), 8
    q, k, v = (rng.standard_normal((total, dim)).astype(np.float32) for _ in range(3))
    want = np.concatenate([reference(q[a:b], k[a:b], v[a:b]) for a, b in itertools.pairwise(starts)])
    dynamic = attention_varlen(T.dynamic("t"), len(lengths), max(lengths), dim, num_stages)
    for kernel in (attention_varlen(total, len(lengths), max(lengths), dim, num_stages), dynamic):
        np.testing.assert_allclose(kernel(q, k, v, starts), want, rtol=1e-4, atol=1e-5)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
