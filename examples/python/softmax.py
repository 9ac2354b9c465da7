"""Softmax of long rows: one pipelined pass for maximum and sum, a second one for the result."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def softmax(M, N, num_stages=3, rows=4, block=32):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x, y = T.alloc_shared((rows, block), "float32"), T.alloc_fragment((rows, block), "float32")
            top, new, total = (T.alloc_fragment((rows,), "float32") for _ in range(3))
            T.fill(top, T.min_value("float32"))
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.if_then_else(ko * block + j < N, x[i, j], -T.infinity("float32"))
                T.copy(top, new)
                T.reduce_max(y, new, dim=1, clear=False)
                for i in T.Parallel(rows):
                    total[i] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.exp(y[i, j] - new[i])
                T.copy(new, top)
                T.reduce_sum(y, total, dim=1, clear=False)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.exp(x[i, j] - top[i]) / total[i]
                T.copy(y, Y[bx * rows, ko * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(27)
    dynamic = softmax(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((8, 64), (5, 101), (1, 1)):
        x = (rng.standard_normal((m, n)) * 4).astype(np.float32)
        e = np.exp(x - x.max(1, keepdims=True))
        for kernel in (softmax(m, n, num_stages), dynamic):
            np.testing.assert_allclose(kernel(x), e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
