"""Schedules by hand: ``stage`` says how many iterations late a statement runs, ``order`` in which turn of a step."""

import harness
import numpy as np
import tilepipe
import tilepipe.language as T


def gemm_by_hand(M, N, K, stage, order, block_M=64, block_N=64, block_K=32, threads=128):
    """C = A @ B.T; one entry of ``stage`` and ``order`` for each copy and for the product."""

    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_N, block_K), "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), stage=list(stage), order=list(order)):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[bx * block_N, ko * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return kernel


def producer_last(N, block=64, stage=(0, 1, 1), order=(2, 0, 1), threads=64):
    """The next copy is issued after this tile is read: one buffer would do on a machine that copies at once."""

    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=threads):
            a, b = T.alloc_shared((block,), "float32"), T.alloc_fragment((block,), "float32")
            for ko in T.Pipelined(T.ceildiv(N, block), stage=list(stage), order=list(order)):
                T.copy(A[ko * block], a)
                for i in T.Parallel(block):
                    b[i] = a[i] * 2.0
                T.copy(b, B[ko * block])

    return kernel


# The products one and three steps late; the copies apart; A two and B one step ahead; all in one step.
SCHEDULES = (
    ((0, 0, 1), (0, 1, 2)),
    ((0, 0, 3), (1, 2, 0)),
    ((0, 0, 1), (0, 2, 1)),
    ((0, 1, 2), (0, 1, 2)),
    ((0, 0, 0), (0, 1, 2)),
)


def check(target: str) -> None:
    rng = np.random.default_rng(4)
    for stage, order in SCHEDULES:
        for M, N, K in ((64, 64, 160), (40, 65, 33)):
            kernel = tilepipe.compile(gemm_by_hand(M, N, K, stage, order), out_idx=[-1], target=target)
            A, B = harness.integers(rng, M, K), harness.integers(rng, N, K)
            for C in harness.results(kernel, A, B):
                np.testing.assert_array_equal(C, A.astype(np.float32) @ B.astype(np.float32).T)
    for N in (256, 100):
        kernel = tilepipe.compile(producer_last(N), out_idx=[-1], target=target)
        A = rng.standard_normal(N).astype(np.float32)
        for B in harness.results(kernel, A):
            np.testing.assert_array_equal(B, 2 * A)


if __name__ == "__main__":
    harness.main(check)
