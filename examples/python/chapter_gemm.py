"""The GEMM of the pipelining chapter: serial, pipelined, and with schedules by hand.

    python examples/python/chapter_gemm.py

Each kernel computes C = A @ B.T on the CPU target and is compared with numpy.
"""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1])
def matmul_plain(M, N, K, block_M=64, block_N=64, block_K=32, dtype="float16", accum_dtype="float32"):
    """No pipeline: each iteration copies, then computes."""

    @T.prim_func
    def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)

            T.clear(C_local)
            for ko in T.serial(T.ceildiv(K, block_K)):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[bx * block_N, ko * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)

            T.copy(C_local, C[by * block_M, bx * block_N])

    return kernel


@tilepipe.jit(out_idx=[-1])
def matmul(
    M: int, N: int, K: int, block_M: int = 64, block_N: int = 64, block_K: int = 32,
    num_stages: int = 3, threads: int = 128, dtype: str = "float16", accum_dtype: str = "float32",
):
    """Only `num_stages`: the compiler decides stages and order."""

    @T.prim_func
    def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[bx * block_N, ko * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return kernel


@tilepipe.jit(out_idx=[-1])
def matmul_manual(
    M, N, K, block_M=64, block_N=64, block_K=32, stage=(0, 0, 1), order=(0, 1, 2), dtype="float16",
):
    """A schedule by hand: one entry for each statement with an effect, in source order."""

    @T.prim_func
    def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), stage=stage, order=order):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[bx * block_N, ko * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return kernel


@tilepipe.jit(out_idx=[-1])
def producer_last(N, BK=32, stage=(0, 1), order=(1, 0)):
    """The next producer is issued after this consumer; `base` is replayed and has no entry."""

    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=BK):
            A_shared = T.alloc_shared((BK,), "float32")
            for ko in T.Pipelined(T.ceildiv(N, BK), stage=list(stage), order=list(order)):
                base: T.int32 = ko * BK
                T.copy(A[base], A_shared)
                for tx in T.Parallel(BK):
                    B[base + tx] = A_shared[tx] * 2.0

    return kernel


@tilepipe.jit(out_idx=[-1])
def scalar_of_a_tile(N, BK=32):
    """`value` is read from a tile that the loop writes: it is a statement of its own."""

    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=BK):
            A_shared = T.alloc_shared((BK,), "float32")
            for ko in T.Pipelined(T.ceildiv(N, BK), stage=[0, 0, 1], order=[0, 1, 2]):
                base: T.int32 = ko * BK
                T.copy(A[base], A_shared)
                value: T.float32 = A_shared[0]
                for tx in T.Parallel(BK):
                    B[base + tx] = A_shared[tx] + value

    return kernel


def check_gemms() -> None:
    rng = np.random.default_rng(0)
    M, N, K = 128, 192, 256
    A = rng.standard_normal((M, K)).astype(np.float16)
    B = rng.standard_normal((N, K)).astype(np.float16)
    expected = A.astype(np.float32) @ B.astype(np.float32).T
    for name, kernel in (
        ("serial", matmul_plain(M, N, K)),
        ("num_stages=3", matmul(M, N, K)),
        ("num_stages=0", matmul(M, N, K, num_stages=0)),
        ("stage=[0,0,1]", matmul_manual(M, N, K)),
    ):
        worst = np.abs(kernel(A, B) - expected).max()
        print(f"{name:14} largest difference from numpy {worst:.4f}")
        assert worst < 0.05


def check_schedules() -> None:
    x = np.arange(256, dtype=np.float32)
    assert (producer_last(256)(x) == 2 * x).all()
    assert (scalar_of_a_tile(256)(x) == x + np.repeat(x[::32], 32)).all()
    print("manual schedules: as numpy")


if __name__ == "__main__":
    check_gemms()
    check_schedules()
