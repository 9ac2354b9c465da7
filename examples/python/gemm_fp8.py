"""float8 (e4m3) operands with a scale for each row and column, summed in float32."""

import ml_dtypes
import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_fp8(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float8_e4m3"),
        B: T.Tensor((N, K), "float8_e4m3"),
        scale_a: T.Tensor((M,), "float32"),
        scale_b: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "float8_e4m3"), T.alloc_shared((block, block), "float8_e4m3")
            sa, sb = T.alloc_shared((block,), "float32"), T.alloc_shared((block,), "float32")
            c = T.alloc_fragment((block, block), "float32")
            T.copy(scale_a[by * block], sa)
            T.copy(scale_b[bx * block], sb)
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(B[bx * block, ko * block], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(block, block):
                c[i, j] *= sa[i] * sb[j]
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(14)
    dynamic = gemm_fp8(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 16, 32), (9, 19, 45)):
        a, b = (rng.standard_normal((s, k)).astype(ml_dtypes.float8_e4m3fn) for s in (m, n))
        sa, sb = (rng.random(s).astype(np.float32) for s in (m, n))
        want = (a.astype(np.float32) @ b.astype(np.float32).T) * np.outer(sa, sb)
        for kernel in (gemm_fp8(m, n, k, num_stages), dynamic):
            got = kernel(a, b, sa, sb)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
