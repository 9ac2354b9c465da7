"""``C = A.T @ B``: the gradient of a weight, with the contracted dimension outermost in both operands."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_tn(M, N, K, num_stages=2, block=16):
    @T.prim_func
    def kernel(A: T.Tensor((K, M), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            c = T.alloc_fragment((block, block), "float32")
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                if ko == 0:
                    T.clear(c)
                T.copy(A[ko * block, by * block], a)
                T.copy(B[ko * block, bx * block], b)
                T.gemm(a, b, c, transpose_A=True)
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(2)
    dynamic = gemm_tn(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 32, 48), (17, 5, 50)):
        a, b = (rng.standard_normal(s).astype(np.float32) for s in ((k, m), (k, n)))
        for kernel in (gemm_tn(m, n, k, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, b), a.T @ b, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
