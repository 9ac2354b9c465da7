"""float16 activations times int8 weights with a scale and a zero point for each column."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_weight_int8(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        W: T.Tensor((K, N), "int8"),
        scale: T.Tensor((N,), "float32"),
        zero: T.Tensor((N,), "int8"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "float16"), T.alloc_shared((block, block), "float16")
            w = T.alloc_shared((block, block), "int8")
            s, z = T.alloc_shared((block,), "float32"), T.alloc_shared((block,), "int8")
            c = T.alloc_fragment((block, block), "float32")
            T.copy(scale[bx * block], s)
            T.copy(zero[bx * block], z)
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(W[ko * block, bx * block], w)
                for i, j in T.Parallel(block, block):
                    b[i, j] = T.cast(w[i, j], "int32") - T.cast(z[j], "int32")
                T.gemm(a, b, c)
            for i, j in T.Parallel(block, block):
                c[i, j] *= s[j]
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(11)
    dynamic = gemm_weight_int8(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 32, 32), (5, 19, 39)):
        a, w = rng.integers(-3, 4, (m, k)).astype(np.float16), rng.integers(-128, 128, (k, n)).astype(np.int8)
        zero, scale = rng.integers(-8, 8, n).astype(np.int8), rng.random(n).astype(np.float32)
        want = a.astype(np.float32) @ (w.astype(np.float32) - zero) * scale
        for kernel in (gemm_weight_int8(m, n, k, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, w, scale, zero), want, rtol=1e-4, atol=1e-3)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
