"""Block-scaled GEMM: int8 operands, a scale for each row (or column) and block of K, two levels of sums."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_scaled(M, N, K, groups, num_stages=3, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "int8"),
        B: T.Tensor((N, K), "int8"),
        scale_a: T.Tensor((M, groups), "float32"),
        scale_b: T.Tensor((N, groups), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "int8"), T.alloc_shared((block, block), "int8")
            sa, sb = T.alloc_shared((block, 1), "float32"), T.alloc_shared((block, 1), "float32")
            part, c = T.alloc_fragment((block, block), "int32"), T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(B[bx * block, ko * block], b)
                T.copy(scale_a[by * block, ko], sa)
                T.copy(scale_b[bx * block, ko], sb)
                T.gemm(a, b, part, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block, block):
                    c[i, j] += part[i, j] * (sa[i, 0] * sb[j, 0])
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(12)
    dynamic = gemm_scaled(*(T.dynamic(s) for s in ("m", "n", "k", "g")), num_stages)
    for m, n, k in ((16, 16, 48), (18, 7, 37)):
        groups = -(-k // 16)
        a, b = (rng.integers(-128, 128, (s, k)).astype(np.int8) for s in (m, n))
        sa, sb = (rng.random((s, groups)).astype(np.float32) for s in (m, n))
        x, y = (q * np.repeat(s, 16, 1)[:, :k].astype(np.float64) for q, s in ((a, sa), (b, sb)))
        for kernel in (gemm_scaled(m, n, k, groups, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, b, sa, sb), x @ y.T, rtol=1e-4, atol=1e-2)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
