"""RMS normalisation of float16 rows, computed in float32."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def rms_norm(M, N, num_stages=3, eps=1e-6, rows=4, block=32):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float16"), W: T.Tensor((N,), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x, w = T.alloc_shared((rows, block), "float16"), T.alloc_shared((block,), "float16")
            y, norm = T.alloc_fragment((rows, block), "float32"), T.alloc_fragment((rows,), "float32")
            T.clear(norm)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                for i, j in T.Parallel(rows, block):
                    value = T.float32(x[i, j])
                    y[i, j] = value * value
                T.reduce_sum(y, norm, dim=1, clear=False)
            for i in T.Parallel(rows):
                norm[i] = T.rsqrt(norm[i] / N + eps)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                T.copy(W[ko * block], w)
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.float32(x[i, j]) * norm[i] * T.float32(w[j])
                T.copy(y, Y[bx * rows, ko * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(29)
    dynamic = rms_norm(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((8, 64), (7, 90)):
        x, w = rng.standard_normal((m, n)).astype(np.float16), rng.standard_normal(n).astype(np.float16)
        f = x.astype(np.float32)
        want = f / np.sqrt((f * f).mean(1, keepdims=True) + 1e-6) * w.astype(np.float32)
        for kernel in (rms_norm(m, n, num_stages), dynamic):
            np.testing.assert_allclose(kernel(x, w).astype(np.float32), want, rtol=2e-3, atol=2e-3)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
