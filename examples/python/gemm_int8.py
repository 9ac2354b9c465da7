"""An integer GEMM: int8 operands, int32 sums."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_int8(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "int8"), B: T.Tensor((N, K), "int8"), C: T.Tensor((M, N), "int32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "int8"), T.alloc_shared((block, block), "int8")
            c = T.alloc_fragment((block, block), "int32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(B[bx * block, ko * block], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(5)
    dynamic = gemm_int8(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 16, 64), (13, 30, 41)):
        a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in ((m, k), (n, k)))
        want = a.astype(np.int32) @ b.astype(np.int32).T
        for kernel in (gemm_int8(m, n, k, num_stages), dynamic):
            np.testing.assert_array_equal(kernel(a, b), want)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
