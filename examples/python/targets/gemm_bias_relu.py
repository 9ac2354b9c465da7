"""``relu(A @ B + bias)`` in float16: the sums are float32, the epilogue works on them before they leave the block."""

import harness
import numpy as np
import tilepipe
import tilepipe.language as T


def gemm_bias_relu(M, N, K, block_M=64, block_N=64, block_K=32, num_stages=3, threads=128):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            bias_shared = T.alloc_shared((block_N,), "float32")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.copy(bias[bx * block_N], bias_shared)
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[ko * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] = T.max(C_local[i, j] + bias_shared[j], 0.0)
            T.copy(C_local, C[by * block_M, bx * block_N])  # rounds to float16

    return kernel


def reference(A, B, bias):
    return np.maximum(A.astype(np.float32) @ B.astype(np.float32) + bias, 0).astype(np.float16)


def check(target: str) -> None:
    rng = np.random.default_rng(1)
    for num_stages in (1, 3):
        for M, N, K in ((64, 64, 96), (70, 50, 45)):
            kernel = tilepipe.compile(gemm_bias_relu(M, N, K, num_stages=num_stages), out_idx=[-1], target=target)
            A, B = harness.integers(rng, M, K), harness.integers(rng, K, N)
            bias = harness.integers(rng, N, dtype="float32")
            for C in harness.results(kernel, A, B, bias):
                np.testing.assert_array_equal(C, reference(A, B, bias))


if __name__ == "__main__":
    harness.main(check)
