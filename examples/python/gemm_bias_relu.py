"""``relu(A @ B + bias)``: the epilogue works on the sums before they leave the block."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def linear_relu(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float32"),
        B: T.Tensor((K, N), "float32"),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a, b = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            c, row = T.alloc_fragment((block, block), "float32"), T.alloc_shared((block,), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a)
                T.copy(B[ko * block, bx * block], b)
                T.gemm(a, b, c)
            T.copy(bias[bx * block], row)
            for i, j in T.Parallel(block, block):
                c[i, j] = T.max(c[i, j] + row[j], 0.0)
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(3)
    dynamic = linear_relu(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 16, 32), (20, 33, 45)):
        a, b, bias = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n), (n,)))
        want = np.maximum(a @ b + bias, 0)
        for kernel in (linear_relu(m, n, k, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, b, bias), want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
