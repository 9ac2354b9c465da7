"""Split-K: the blocks of one tile share its contraction and add their parts with atomics."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(target="cpu")
def gemm_split_k(M, N, K, splits, num_stages=2, block=16):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), splits, threads=128) as (bx, by, bz):
            a, b = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            # Blocks of K are dealt out like cards: bz, bz + splits, ...
            for ko in T.Pipelined(T.ceildiv(T.ceildiv(K, block), splits), num_stages=num_stages):
                at = (ko * splits + bz) * block
                T.copy(A[by * block, at], a)
                T.copy(B[at, bx * block], b)
                T.gemm(a, b, c)
            T.atomic_add(C[by * block, bx * block], c)

    return kernel


def check(num_stages):
    rng = np.random.default_rng(6)
    dynamic = gemm_split_k(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), 3, num_stages)
    for m, n, k in ((16, 16, 96), (19, 20, 70)):
        a, b = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
        for kernel in (gemm_split_k(m, n, k, 3, num_stages), dynamic):
            c = np.zeros((m, n), np.float32)  # the caller clears what is added to
            kernel(a, b, c)
            np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
