"""Rotary position embedding: pairs of entries are turned by an angle that grows with the position."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def rope(L, heads, half, num_stages=2, block=8):
    """``half`` is half of the head dimension: entry j and entry j + half are a pair."""

    @T.prim_func
    def kernel(
        X: T.Tensor((L, heads, half * 2), "float32"),
        angle: T.Tensor((L, half), "float32"),
        Y: T.Tensor((L, heads, half * 2), "float32"),
    ):
        with T.Kernel(T.ceildiv(L, block), threads=128) as bx:
            x, y = T.alloc_shared((block, half * 2), "float32"), T.alloc_fragment((block, half * 2), "float32")
            a = T.alloc_shared((block, half), "float32")
            T.copy(angle[bx * block, 0], a)
            for h in T.Pipelined(heads, num_stages=num_stages):
                T.copy(X[bx * block : bx * block + block, h, 0 : half * 2], x)
                for i, j in T.Parallel(block, half):
                    c, s = T.cos(a[i, j]), T.sin(a[i, j])
                    y[i, j] = x[i, j] * c - x[i, j + half] * s
                    y[i, j + half] = x[i, j] * s + x[i, j + half] * c
                T.copy(y, Y[bx * block : bx * block + block, h, 0 : half * 2])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(38)
    half = 4
    dynamic = rope(T.dynamic("l"), T.dynamic("h"), half, num_stages)
    for length, heads in ((16, 4), (13, 3)):
        x = rng.standard_normal((length, heads, 2 * half)).astype(np.float32)
        angle = np.outer(np.arange(length), 10000.0 ** (-np.arange(half) / half)).astype(np.float32)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        a, b = x[..., :half], x[..., half:]
        want = np.concatenate([a * c - b * s, a * s + b * c], -1)
        for kernel in (rope(length, heads, half, num_stages), dynamic):
            np.testing.assert_allclose(kernel(x, angle), want, rtol=1e-4, atol=1e-5)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
