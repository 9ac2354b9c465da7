"""Cross-entropy of logits: log of the sum of exponentials, minus the logit of the label."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def cross_entropy(M, N, num_stages=3, block=32):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), label: T.Tensor((M,), "int32"), loss: T.Tensor((M,), "float32")):
        with T.Kernel(M, threads=32) as bx:
            x, y = T.alloc_shared((1, block), "float32"), T.alloc_fragment((1, block), "float32")
            top, new, total = (T.alloc_fragment((1,), "float32") for _ in range(3))
            T.fill(top, -1e30)
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx, ko * block], x)
                for i, j in T.Parallel(1, block):
                    y[i, j] = T.if_then_else(ko * block + j < N, x[i, j], -T.infinity("float32"))
                T.copy(top, new)
                T.reduce_max(y, new, dim=1, clear=False)
                for i, j in T.Parallel(1, block):
                    y[i, j] = T.exp(y[i, j] - new[i])
                for i in T.Parallel(1):
                    total[i] *= T.exp(top[i] - new[i])
                T.copy(new, top)
                T.reduce_sum(y, total, dim=1, clear=False)
            loss[bx] = T.log(total[0]) + top[0] - X[bx, label[bx]]

    return kernel


def check(num_stages):
    rng = np.random.default_rng(39)
    dynamic = cross_entropy(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((4, 64), (3, 75)):
        x, label = (rng.standard_normal((m, n)) * 3).astype(np.float32), rng.integers(0, n, m).astype(np.int32)
        want = np.log(np.exp(x).sum(1)) - x[np.arange(m), label]
        for kernel in (cross_entropy(m, n, num_stages), dynamic):
            np.testing.assert_allclose(kernel(x, label), want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
