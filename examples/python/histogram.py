"""A histogram: each block counts into shared bins with atomics, then adds them to the result."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(target="cpu")
def histogram(N, bins, num_stages=3, block=32, tiles=3):
    @T.prim_func
    def kernel(X: T.Tensor((N,), "int32"), H: T.Tensor((bins,), "int32")):
        with T.Kernel(T.ceildiv(N, block * tiles), threads=128) as bx:
            x, counts = T.alloc_shared((block,), "int32"), T.alloc_shared((bins,), "int32")
            T.clear(counts)
            for t in T.Pipelined(tiles, num_stages=num_stages):
                at = (bx * tiles + t) * block
                T.copy(X[at], x)
                for i in T.Parallel(block):
                    if at + i < N:
                        T.atomic_add(counts[x[i]], 1)
            for i in T.Parallel(bins):
                T.atomic_add(H[i], counts[i])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(34)
    dynamic = histogram(T.dynamic("n"), 10, num_stages)
    for n in (96, 211, 1):
        x = rng.integers(0, 10, n).astype(np.int32)
        for kernel in (histogram(n, 10, num_stages), dynamic):
            h = np.zeros(10, np.int32)
            kernel(x, h)
            np.testing.assert_array_equal(h, np.bincount(x, minlength=10))
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
