"""A transposition through shared memory, so that both sides are accessed along rows."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def transpose(M, N, num_stages=2, block=16):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float16"), Y: T.Tensor((N, M), "float16")):
        with T.Kernel(T.ceildiv(M, block), threads=128) as bx:
            x, y = T.alloc_shared((block, block), "float16"), T.alloc_shared((block, block), "float16")
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * block, ko * block], x)
                for i, j in T.Parallel(block, block):
                    y[j, i] = x[i, j]
                T.copy(y, Y[ko * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(36)
    dynamic = transpose(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((32, 48), (19, 37)):
        x = rng.standard_normal((m, n)).astype(np.float16)
        for kernel in (transpose(m, n, num_stages), dynamic):
            np.testing.assert_array_equal(kernel(x), x.T)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
