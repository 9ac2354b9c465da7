"""Sum, maximum and minimum of a whole tensor: blocks reduce their part, atomics put the parts together."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(target="cpu")
def reduce_all(N, num_stages=3, block=32, tiles=3):
    @T.prim_func
    def kernel(X: T.Tensor((N,), "int32"), R: T.Tensor((3,), "int32")):
        with T.Kernel(T.ceildiv(N, block * tiles), threads=128) as bx:
            x = T.alloc_shared((1, block), "int32")
            low, high = T.alloc_fragment((1, block), "int32"), T.alloc_fragment((1, block), "int32")
            r = [T.alloc_fragment((1,), "int32") for _ in range(3)]
            T.clear(r[0])
            T.fill(r[1], T.min_value("int32"))
            T.fill(r[2], T.max_value("int32"))
            for t in T.Pipelined(tiles, num_stages=num_stages):
                at = (bx * tiles + t) * block
                T.copy(X[at], x)
                for i, j in T.Parallel(1, block):
                    high[i, j] = T.if_then_else(at + j < N, x[i, j], T.min_value("int32"))
                    low[i, j] = T.if_then_else(at + j < N, x[i, j], T.max_value("int32"))
                T.reduce_sum(x, r[0], dim=1, clear=False)
                T.reduce_max(high, r[1], dim=1, clear=False)
                T.reduce_min(low, r[2], dim=1, clear=False)
            T.atomic_add(R[0], r[0][0])
            T.atomic_max(R[1], r[1][0])
            T.atomic_min(R[2], r[2][0])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(32)
    dynamic = reduce_all(T.dynamic("n"), num_stages)
    for n in (192, 205, 1):
        x = rng.integers(-1000, 1000, n).astype(np.int32)
        for kernel in (reduce_all(n, num_stages), dynamic):
            r = np.array([0, np.iinfo(np.int32).min, np.iinfo(np.int32).max], np.int32)
            kernel(x, r)
            assert r.tolist() == [x.sum(), x.max(), x.min()]
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
