"""Flash attention, forward and causal: one pass over K and V with a running maximum and sum."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def attention(heads, length, dim, causal=True, num_stages=2, block=16):
    scale = dim**-0.5

    @T.prim_func
    def kernel(
        Q: T.Tensor((heads, length, dim), "float32"),
        K: T.Tensor((heads, length, dim), "float32"),
        V: T.Tensor((heads, length, dim), "float32"),
        O: T.Tensor((heads, length, dim), "float32"),
    ):
        with T.Kernel(T.ceildiv(length, block), heads, threads=128) as (bx, h):
            q, k, v = (T.alloc_shared((block, dim), "float32") for _ in range(3))
            s = T.alloc_fragment((block, block), "float32")
            o = T.alloc_fragment((block, dim), "float32")
            top, new, total = (T.alloc_fragment((block,), "float32") for _ in range(3))
            T.copy(Q[h, bx * block, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            # Blocks right of the diagonal are not even loaded.
            blocks = bx + 1 if causal else T.ceildiv(length, block)
            for ko in T.Pipelined(blocks, num_stages=num_stages):
                T.copy(K[h, ko * block, 0], k)
                T.copy(V[h, ko * block, 0], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block, block):
                    seen = ko * block + j < length
                    if causal:
                        seen = seen & (ko * block + j <= bx * block + i)
                    s[i, j] = T.if_then_else(seen, s[i, j] * scale, -1e30)
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
                o[i, j] /= total[i]
            T.copy(o, O[h, bx * block, 0])

    return kernel


def reference(q, k, v, causal):
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return p @ v / p.sum(-1, keepdims=True)


def check(num_stages):
    rng = np.random.default_rng(20)
    kernels = []
    for causal in (False, True):
        dynamic = attention(T.dynamic("h"), T.dynamic("l"), 8, causal, num_stages)
        for heads, length in ((2, 32), (1, 41)):
            q, k, v = (rng.standard_normal((heads, length, 8)).astype(np.float32) for _ in range(3))
            for kernel in (attention(heads, length, 8, causal, num_stages), dynamic):
                np.testing.assert_allclose(kernel(q, k, v), reference(q, k, v, causal), rtol=1e-4, atol=1e-5)
        kernels.append(dynamic)
    return kernels


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
