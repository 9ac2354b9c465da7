"""``c = a + b``: each block streams a few tiles through on-chip memory, with copies that run ahead."""

import harness
import numpy as np
import tilepipe
import tilepipe.language as T


def vector_add(N, block=256, tiles=4, num_stages=2, threads=128, dtype="float32"):
    @T.prim_func
    def kernel(a: T.Tensor((N,), dtype), b: T.Tensor((N,), dtype), c: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block * tiles), threads=threads) as bx:
            x, y = T.alloc_shared((block,), dtype), T.alloc_shared((block,), dtype)
            z = T.alloc_fragment((block,), dtype)
            for t in T.Pipelined(tiles, num_stages=num_stages):
                at = (bx * tiles + t) * block
                T.copy(a[at], x)
                T.copy(b[at], y)
                for i in T.Parallel(block):
                    z[i] = x[i] + y[i]
                T.copy(z, c[at])

    return kernel


def reference(a, b):
    return a + b


def check(target: str) -> None:
    rng = np.random.default_rng(2)
    for num_stages in (1, 2, 3):
        for N in (1024, 1000, 1):
            kernel = tilepipe.compile(vector_add(N, num_stages=num_stages), out_idx=[-1], target=target)
            a, b = (rng.standard_normal(N).astype(np.float32) for _ in range(2))
            for c in harness.results(kernel, a, b):
                np.testing.assert_array_equal(c, reference(a, b))


if __name__ == "__main__":
    harness.main(check)
