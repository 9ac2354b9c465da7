"""float16 activations times int4 weights, two in a byte, with a scale for each row and group of K."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_int4(M, N, K, groups, num_stages=3, block=16):
    """Weights are 0 to 15 and stand for -8 to 7; a group of scales is one block of K."""

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        W: T.Tensor((N, K), "uint4"),
        scale: T.Tensor((N, groups), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "float16"), T.alloc_shared((block, block), "float16")
            w, s = T.alloc_shared((block, block), "uint4"), T.alloc_shared((block, 1), "float32")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(W[bx * block, ko * block], w)
                T.copy(scale[bx * block, ko], s)
                for i, j in T.Parallel(block, block):
                    b[i, j] = (T.float32(w[i, j]) - 8.0) * s[i, 0]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(10)
    dynamic = gemm_int4(*(T.dynamic(s) for s in ("m", "n", "k", "g")), num_stages)
    for m, n, k in ((16, 16, 32), (9, 21, 46)):
        groups = -(-k // 16)
        a, q = rng.integers(-3, 4, (m, k)).astype(np.float16), rng.integers(0, 16, (n, k))
        scale = 2.0 ** rng.integers(-2, 2, (n, groups)).astype(np.float32)
        packed = (q[:, ::2] | q[:, 1::2] << 4).astype(np.uint8)
        want = a.astype(np.float32) @ ((q - 8) * np.repeat(scale, 16, 1)[:, :k]).astype(np.float32).T
        for kernel in (gemm_int4(m, n, k, groups, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, packed, scale), want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
