"""Multi-head latent attention, decoding: all heads share a latent cache that is both keys and values."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def mla(heads, length, latent, rope, num_stages=2, block=16):
    scale = (latent + rope) ** -0.5

    @T.prim_func
    def kernel(
        Q: T.Tensor((heads, latent), "float32"),
        Q_rope: T.Tensor((heads, rope), "float32"),
        C: T.Tensor((length, latent), "float32"),
        K_rope: T.Tensor((length, rope), "float32"),
        O: T.Tensor((heads, latent), "float32"),
    ):
        with T.Kernel(1, threads=128):
            q, qr = T.alloc_shared((heads, latent), "float32"), T.alloc_shared((heads, rope), "float32")
            c, kr = T.alloc_shared((block, latent), "float32"), T.alloc_shared((block, rope), "float32")
            s, o = T.alloc_fragment((heads, block), "float32"), T.alloc_fragment((heads, latent), "float32")
            top, new, total = (T.alloc_fragment((heads,), "float32") for _ in range(3))
            T.copy(Q, q)
            T.copy(Q_rope, qr)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for ko in T.Pipelined(T.ceildiv(length, block), num_stages=num_stages):
                T.copy(C[ko * block, 0], c)
                T.copy(K_rope[ko * block, 0], kr)
                T.gemm(q, c, s, transpose_B=True, clear_accum=True)
                T.gemm(qr, kr, s, transpose_B=True)
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.if_then_else(ko * block + j < length, s[i, j] * scale, -1e30)
                T.copy(top, new)
                T.reduce_max(s, new, dim=1, clear=False)
                for i in T.Parallel(heads):
                    total[i] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(heads, latent):
                    o[i, j] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.exp(s[i, j] - new[i])
                T.copy(new, top)
                T.reduce_sum(s, total, dim=1, clear=False)
                T.gemm(s, c, o)  # the same tile again, as values
            for i, j in T.Parallel(heads, latent):
                O[i, j] = o[i, j] / total[i]

    return kernel


def check(num_stages):
    rng = np.random.default_rng(25)
    heads, latent, rope = 8, 16, 4
    dynamic = mla(heads, T.dynamic("l"), latent, rope, num_stages)
    for length in (48, 37):
        q, qr, c, kr = (
            rng.standard_normal(s).astype(np.float32)
            for s in ((heads, latent), (heads, rope), (length, latent), (length, rope))
        )
        p = np.exp((q @ c.T + qr @ kr.T) * (latent + rope) ** -0.5)
        want = p @ c / p.sum(-1, keepdims=True)
        for kernel in (mla(heads, length, latent, rope, num_stages), dynamic):
            np.testing.assert_allclose(kernel(q, qr, c, kr), want, rtol=1e-4, atol=1e-5)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
