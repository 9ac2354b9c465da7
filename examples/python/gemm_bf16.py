"""A GEMM of bfloat16 with float32 sums and a bfloat16 result."""

import ml_dtypes
import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_bf16(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((K, N), "bfloat16"), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), T.bfloat16), T.alloc_shared((block, block), T.bfloat16)
            c = T.alloc_fragment((block, block), T.float32)
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(B[ko * block, bx * block], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(4)
    dynamic = gemm_bf16(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 32, 32), (18, 31, 43)):
        a, b = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((m, k), (k, n)))
        want = (a.astype(np.float32) @ b.astype(np.float32)).astype(ml_dtypes.bfloat16)
        for kernel in (gemm_bf16(m, n, k, num_stages), dynamic):
            assert (kernel(a, b) == want).all()
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
