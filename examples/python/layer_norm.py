"""Layer normalisation: sums and sums of squares in one pipelined pass, the result in a second one."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def layer_norm(M, N, num_stages=3, eps=1e-5, rows=4, block=32):
    @T.prim_func
    def kernel(
        X: T.Tensor((M, N), "float32"),
        gamma: T.Tensor((N,), "float32"),
        beta: T.Tensor((N,), "float32"),
        Y: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x, y = T.alloc_shared((rows, block), "float32"), T.alloc_fragment((rows, block), "float32")
            g, b = T.alloc_shared((block,), "float32"), T.alloc_shared((block,), "float32")
            mean, square = T.alloc_fragment((rows,), "float32"), T.alloc_fragment((rows,), "float32")
            T.clear(mean)
            T.clear(square)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)  # zeros behind the end do not count in sums
                for i, j in T.Parallel(rows, block):
                    y[i, j] = x[i, j] * x[i, j]
                T.reduce_sum(x, mean, dim=1, clear=False)
                T.reduce_sum(y, square, dim=1, clear=False)
            for i in T.Parallel(rows):
                mean[i] /= N
                square[i] = T.rsqrt(square[i] / N - mean[i] * mean[i] + eps)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                T.copy(gamma[ko * block], g)
                T.copy(beta[ko * block], b)
                for i, j in T.Parallel(rows, block):
                    y[i, j] = (x[i, j] - mean[i]) * square[i] * g[j] + b[j]
                T.copy(y, Y[bx * rows, ko * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(28)
    dynamic = layer_norm(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((8, 64), (3, 77)):
        x, g, b = (rng.standard_normal(s).astype(np.float32) for s in ((m, n), n, n))
        want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g + b
        for kernel in (layer_norm(m, n, num_stages), dynamic):
            np.testing.assert_allclose(kernel(x, g, b), want, rtol=1e-3, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
