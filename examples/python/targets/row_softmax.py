"""Softmax of rows that fit on chip: while one tile of rows is worked on, the next is on its way."""

import harness
import numpy as np
import tilepipe
import tilepipe.language as T


def row_softmax(M, N, rows=4, tiles=4, num_stages=2, threads=128):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows * tiles), threads=threads) as bx:
            x = T.alloc_shared((rows, N), "float32")
            y = T.alloc_fragment((rows, N), "float32")
            top, total = T.alloc_fragment((rows,), "float32"), T.alloc_fragment((rows,), "float32")
            for t in T.Pipelined(tiles, num_stages=num_stages):
                at = (bx * tiles + t) * rows
                T.copy(X[at, 0], x)
                T.copy(x, y)
                T.reduce_max(y, top, dim=1)
                for i, j in T.Parallel(rows, N):
                    y[i, j] = T.exp(y[i, j] - top[i])
                T.reduce_sum(y, total, dim=1)
                for i, j in T.Parallel(rows, N):
                    y[i, j] = y[i, j] / total[i]
                T.copy(y, Y[at, 0])

    return kernel


def reference(X):
    e = np.exp(X - X.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def check(target: str) -> None:
    rng = np.random.default_rng(3)
    for num_stages in (1, 2, 3):
        for M, N in ((16, 64), (13, 100), (1, 33)):
            kernel = tilepipe.compile(row_softmax(M, N, num_stages=num_stages), out_idx=[-1], target=target)
            X = rng.standard_normal((M, N)).astype(np.float32)
            for Y in harness.results(kernel, X):
                np.testing.assert_allclose(Y, reference(X), rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    harness.main(check)
