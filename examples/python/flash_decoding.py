"""Flash decoding: one query, its keys dealt out to several blocks; a second launch puts the parts together."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def decode(heads, length, dim, splits, num_stages=2, block=16):
    scale = dim**-0.5

    @T.prim_func
    def kernel(
        Q: T.Tensor((heads, dim), "float32"),
        K: T.Tensor((length, dim), "float32"),
        V: T.Tensor((length, dim), "float32"),
        part: T.Tensor((splits, heads, dim), "float32"),
        weight: T.Tensor((splits, heads, 2), "float32"),
        O: T.Tensor((heads, dim), "float32"),
    ):
        with T.Kernel(splits, threads=128) as b:
            q = T.alloc_shared((heads, dim), "float32")
            k, v = T.alloc_shared((block, dim), "float32"), T.alloc_shared((block, dim), "float32")
            s, o = T.alloc_fragment((heads, block), "float32"), T.alloc_fragment((heads, dim), "float32")
            top, new, total = (T.alloc_fragment((heads,), "float32") for _ in range(3))
            T.copy(Q, q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for ko in T.Pipelined(T.ceildiv(T.ceildiv(length, block), splits), num_stages=num_stages):
                at = (ko * splits + b) * block
                T.copy(K[at, 0], k)
                T.copy(V[at, 0], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.if_then_else(at + j < length, s[i, j] * scale, -1e30)
                T.copy(top, new)
                T.reduce_max(s, new, dim=1, clear=False)
                for i in T.Parallel(heads):
                    total[i] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(heads, dim):
                    o[i, j] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.if_then_else(at + j < length, T.exp(s[i, j] - new[i]), 0.0)
                T.copy(new, top)
                T.reduce_sum(s, total, dim=1, clear=False)
                T.gemm(s, v, o)
            T.copy(o, part[b, 0, 0])
            for i in T.Parallel(heads):
                weight[b, i, 0] = top[i]
                weight[b, i, 1] = total[i]
        with T.Kernel(heads, threads=128) as h:
            o = T.alloc_fragment((dim,), "float32")
            top = weight[0, h, 0]
            for b in T.serial(1, splits):
                top = T.max(top, weight[b, h, 0])
            total = 0.0
            T.clear(o)
            for b in T.serial(splits):
                factor = T.exp(weight[b, h, 0] - top)
                total += factor * weight[b, h, 1]
                for j in T.Parallel(dim):
                    o[j] += factor * part[b, h, j]
            for j in T.Parallel(dim):
                O[h, j] = o[j] / total

    return kernel


def check(num_stages):
    rng = np.random.default_rng(23)
    heads, dim, splits = 4, 8, 3
    dynamic = decode(heads, T.dynamic("l"), dim, splits, num_stages)
    for length in (96, 75, 5):
        q, k, v = (rng.standard_normal((n, dim)).astype(np.float32) for n in (heads, length, length))
        p = np.exp(q @ k.T * dim**-0.5)
        want = p @ v / p.sum(-1, keepdims=True)
        work = np.zeros((splits, heads, dim), np.float32), np.zeros((splits, heads, 2), np.float32)
        for kernel in (decode(heads, length, dim, splits, num_stages), dynamic):
            np.testing.assert_allclose(kernel(q, k, v, *work), want, rtol=1e-4, atol=1e-5)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
