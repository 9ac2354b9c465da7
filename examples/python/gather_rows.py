"""An embedding: rows of a table, picked by indices that are read ahead of the rows."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gather(N, V, D, num_stages=3, rows=8, block=16):
    @T.prim_func
    def kernel(E: T.Tensor((V, D), "float32"), ids: T.Tensor((N,), "int32"), Y: T.Tensor((N, D), "float32")):
        with T.Kernel(T.ceildiv(D, block), T.ceildiv(N, rows), threads=128) as (bx, by):
            e = T.alloc_shared((1, block), "float32")
            for r in T.Pipelined(T.min(rows, N - by * rows), num_stages=num_stages):
                row = ids[by * rows + r]
                T.copy(E[row, bx * block], e)
                T.copy(e, Y[by * rows + r, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(35)
    dynamic = gather(T.dynamic("n"), T.dynamic("v"), T.dynamic("d"), num_stages)
    for n, v, d in ((16, 10, 32), (13, 50, 21)):
        e, ids = rng.standard_normal((v, d)).astype(np.float32), rng.integers(0, v, n).astype(np.int32)
        for kernel in (gather(n, v, d, num_stages), dynamic):
            np.testing.assert_array_equal(kernel(e, ids), e[ids])
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
