"""Decoding with a paged cache: a table says which page holds which keys of a sequence."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def paged(batch, heads, dim, pages, page, width, num_stages=2):
    """``table`` is [batch, width]; all heads of a sequence share its keys."""
    scale = dim**-0.5

    @T.prim_func
    def kernel(
        Q: T.Tensor((batch, heads, dim), "float32"),
        K: T.Tensor((pages, page, dim), "float32"),
        V: T.Tensor((pages, page, dim), "float32"),
        table: T.Tensor((batch, width), "int32"),
        lengths: T.Tensor((batch,), "int32"),
        O: T.Tensor((batch, heads, dim), "float32"),
    ):
        with T.Kernel(batch, threads=128) as b:
            q = T.alloc_shared((heads, dim), "float32")
            k, v = T.alloc_shared((page, dim), "float32"), T.alloc_shared((page, dim), "float32")
            s, o = T.alloc_fragment((heads, page), "float32"), T.alloc_fragment((heads, dim), "float32")
            top, new, total = (T.alloc_fragment((heads,), "float32") for _ in range(3))
            length = lengths[b]
            T.copy(Q[b, 0, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for ko in T.Pipelined(T.ceildiv(length, page), num_stages=num_stages):
                at = table[b, ko]  # the address of a later iteration is known early: it is replayed
                T.copy(K[at, 0, 0], k)
                T.copy(V[at, 0, 0], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(heads, page):
                    s[i, j] = T.if_then_else(ko * page + j < length, s[i, j] * scale, -1e30)
                T.copy(top, new)
                T.reduce_max(s, new, dim=1, clear=False)
                for i in T.Parallel(heads):
                    total[i] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(heads, dim):
                    o[i, j] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(heads, page):
                    s[i, j] = T.exp(s[i, j] - new[i])
                T.copy(new, top)
                T.reduce_sum(s, total, dim=1, clear=False)
                T.gemm(s, v, o)
            for i, j in T.Parallel(heads, dim):
                O[b, i, j] = o[i, j] / total[i]

    return kernel


def check(num_stages):
    rng = np.random.default_rng(24)
    heads, dim, page, width = 4, 8, 8, 5
    lengths = np.array([40, 3, 17], np.int32)
    pages = len(lengths) * width
    table = rng.permutation(pages).astype(np.int32).reshape(-1, width)
    q = rng.standard_normal((len(lengths), heads, dim)).astype(np.float32)
    k, v = (rng.standard_normal((pages, page, dim)).astype(np.float32) for _ in range(2))
    want = np.empty_like(q)
    for b, length in enumerate(lengths):
        kk, vv = (x[table[b]].reshape(-1, dim)[:length] for x in (k, v))
        p = np.exp(q[b] @ kk.T * dim**-0.5)
        want[b] = p @ vv / p.sum(-1, keepdims=True)
    dynamic = paged(T.dynamic("b"), heads, dim, T.dynamic("p"), page, T.dynamic("w"), num_stages)
    for kernel in (paged(len(lengths), heads, dim, pages, page, width, num_stages), dynamic):
        np.testing.assert_allclose(kernel(q, k, v, table, lengths), want, rtol=1e-4, atol=1e-5)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
