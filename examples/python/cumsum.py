"""Running sums of rows longer than a tile: each block of columns starts from the end of the one before."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def cumsum(M, N, num_stages=2, rows=4, block=16):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x, y = T.alloc_shared((rows, block), "float32"), T.alloc_fragment((rows, block), "float32")
            carry = T.alloc_fragment((rows,), "float32")
            T.clear(carry)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                T.cumsum(x, y, dim=1)
                for i, j in T.Parallel(rows, block):
                    y[i, j] += carry[i]
                for i in T.Parallel(rows):
                    carry[i] = y[i, block - 1]
                T.copy(y, Y[bx * rows, ko * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(33)
    dynamic = cumsum(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((4, 64), (7, 53)):
        x = rng.integers(-9, 10, (m, n)).astype(np.float32)
        for kernel in (cumsum(m, n, num_stages), dynamic):
            np.testing.assert_array_equal(kernel(x), np.cumsum(x, 1))
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
