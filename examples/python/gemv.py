"""``y = A @ x``: rows in parallel, K in pipelined blocks that are reduced one by one."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemv(M, K, num_stages=3, rows=8, block=32):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float32"), x: T.Tensor((K,), "float32"), y: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            a, part = T.alloc_shared((rows, block), "float32"), T.alloc_shared((block,), "float32")
            sums = T.alloc_fragment((rows,), "float32")
            T.clear(sums)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[bx * rows, ko * block], a)
                T.copy(x[ko * block], part)
                for i, j in T.Parallel(rows, block):
                    a[i, j] = a[i, j] * part[j]
                T.reduce_sum(a, sums, dim=1, clear=False)
            T.copy(sums, y[bx * rows])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(13)
    dynamic = gemv(T.dynamic("m"), T.dynamic("k"), num_stages)
    for m, k in ((16, 64), (13, 75)):
        a, x = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal(k).astype(np.float32)
        for kernel in (gemv(m, k, num_stages), dynamic):
            np.testing.assert_allclose(kernel(a, x), a @ x, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
