"""Grouped-query attention: several heads of Q share one head of K and V."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def attention_gqa(heads, group, kv_heads, length, dim, num_stages=2, block=16):
    scale = dim**-0.5

    @T.prim_func
    def kernel(
        Q: T.Tensor((heads, length, dim), "float16"),
        K: T.Tensor((kv_heads, length, dim), "float16"),
        V: T.Tensor((kv_heads, length, dim), "float16"),
        O: T.Tensor((heads, length, dim), "float32"),
    ):
        with T.Kernel(T.ceildiv(length, block), heads, threads=128) as (bx, h):
            q, k, v = (T.alloc_shared((block, dim), "float16") for _ in range(3))
            s, p = T.alloc_fragment((block, block), "float32"), T.alloc_shared((block, block), "float16")
            o = T.alloc_fragment((block, dim), "float32")
            top, new, total = (T.alloc_fragment((block,), "float32") for _ in range(3))
            T.copy(Q[h, bx * block, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for ko in T.Pipelined(bx + 1, num_stages=num_stages):
                T.copy(K[h // group, ko * block, 0], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block, block):
                    s[i, j] = T.if_then_else(ko * block + j <= bx * block + i, s[i, j] * scale, -1e30)
                T.copy(top, new)
                T.reduce_max(s, new, dim=1, clear=False)
                for i in T.Parallel(block):
                    total[i] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(block, dim):
                    o[i, j] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(block, block):
                    s[i, j] = T.exp(s[i, j] - new[i])
                T.copy(new, top)
                T.copy(s, p)  # the second product is of float16, too
                T.reduce_sum(s, total, dim=1, clear=False)
                T.copy(V[h // group, ko * block, 0], v)
                T.gemm(p, v, o)
            for i, j in T.Parallel(block, dim):
                o[i, j] /= total[i]
            T.copy(o, O[h, bx * block, 0])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(21)
    heads, group, dim = 4, 2, 8
    dynamic = attention_gqa(heads, group, heads // group, T.dynamic("l"), dim, num_stages)
    for length in (32, 27):
        q, k, v = (rng.standard_normal((n, length, dim)).astype(np.float16) for n in (heads, 2, 2))
        kk, vv = (np.repeat(x, group, 0).astype(np.float32) for x in (k, v))
        scores = q.astype(np.float32) @ kk.swapaxes(1, 2) * dim**-0.5
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        want = p @ vv / p.sum(-1, keepdims=True)
        for kernel in (attention_gqa(heads, group, heads // group, length, dim, num_stages), dynamic):
            np.testing.assert_allclose(kernel(q, k, v), want, rtol=1e-2, atol=1e-2)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
