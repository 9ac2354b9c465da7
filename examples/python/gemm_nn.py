"""``C = A @ B`` of float32, both operands row-major. Tiles at the edges are filled up with zeros by `T.copy`."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_nn(M, N, K, num_stages=3, block_M=16, block_N=16, block_K=8):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_K), "float32")
            b = T.alloc_shared((block_K, block_N), "float32")
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, ko * block_K], a)
                T.copy(B[ko * block_K, bx * block_N], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block_M, bx * block_N])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(0)
    dynamic = gemm_nn(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((32, 16, 24), (19, 21, 37), (1, 1, 1)):
        a, b = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
        for kernel in (gemm_nn(m, n, k, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, b), a @ b, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
