"""``C = A @ B.T`` with float16 operands and float32 sums, as the weights of a linear layer are stored."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_nt(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "float16"), T.alloc_shared((block, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(B[bx * block, ko * block], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block, bx * block])  # rounds to float16

    return kernel


def check(num_stages):
    rng = np.random.default_rng(1)
    dynamic = gemm_nt(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 16, 48), (35, 18, 33)):
        a, b = (rng.integers(-4, 5, s).astype(np.float16) for s in ((m, k), (n, k)))
        want = (a.astype(np.float32) @ b.astype(np.float32).T).astype(np.float16)
        for kernel in (gemm_nt(m, n, k, num_stages), dynamic):
            np.testing.assert_array_equal(kernel(a, b), want)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
