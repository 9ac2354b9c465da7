"""The GEMM of the pipelining chapter, float16 with float32 sums; B as [N, K] or as [K, N]."""

import harness
import numpy as np
import tilepipe
import tilepipe.language as T


def gemm(M, N, K, block_M=64, block_N=64, block_K=32, num_stages=3, threads=128, transpose_B=True):
    """C = A @ B.T, or A @ B."""
    shape_B = (N, K) if transpose_B else (K, N)
    tile_B = (block_N, block_K) if transpose_B else (block_K, block_N)

    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor(shape_B, "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared(tile_B, "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                if transpose_B:
                    T.copy(B[bx * block_N, ko * block_K], B_shared)
                else:
                    T.copy(B[ko * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=transpose_B)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return kernel


def reference(A, B, transpose_B=True):
    return A.astype(np.float32) @ (B.T if transpose_B else B).astype(np.float32)


def check(target: str) -> None:
    rng = np.random.default_rng(0)
    for num_stages in (1, 2, 3, 4):
        for transpose_B in (True, False):
            for M, N, K in ((64, 64, 128), (65, 72, 100)):
                func = gemm(M, N, K, num_stages=num_stages, transpose_B=transpose_B)
                kernel = tilepipe.compile(func, out_idx=[-1], target=target)
                A = harness.integers(rng, M, K)
                B = harness.integers(rng, *((N, K) if transpose_B else (K, N)))
                for C in harness.results(kernel, A, B):
                    np.testing.assert_array_equal(C, reference(A, B, transpose_B))


if __name__ == "__main__":
    harness.main(check)
