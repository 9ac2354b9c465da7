"""One GEMM for each matrix of a batch, by the third extent of the grid."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_batched(batch, M, N, K, num_stages=2, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((batch, M, K), "float32"),
        B: T.Tensor((batch, K, N), "float32"),
        C: T.Tensor((batch, M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), batch, threads=128) as (bx, by, bz):
            a, b = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[bz, by * block, ko * block], a)
                T.copy(B[bz, ko * block, bx * block], b)
                T.gemm(a, b, c)
            T.copy(c, C[bz, by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(7)
    dynamic = gemm_batched(*(T.dynamic(s) for s in "bmnk"), num_stages)
    for batch, m, n, k in ((2, 16, 16, 32), (3, 17, 9, 35)):
        a, b = (rng.standard_normal((batch, *s)).astype(np.float32) for s in ((m, k), (k, n)))
        for kernel in (gemm_batched(batch, m, n, k, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, b), a @ b, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
