"""The largest entry of each row and where it is (the first, if there are several)."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[1, 2], target="cpu")
def argmax(M, N, num_stages=3, rows=4, block=16):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), best: T.Tensor((M,), "float32"), where: T.Tensor((M,), "int32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x = T.alloc_shared((rows, block), "float32")
            top, at = T.alloc_fragment((rows,), "float32"), T.alloc_fragment((rows,), "int32")
            T.fill(top, -T.infinity("float32"))
            T.clear(at)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                for i in T.Parallel(rows):
                    for j in T.serial(block):
                        if ko * block + j < N and x[i, j] > top[i]:
                            top[i] = x[i, j]
                            at[i] = ko * block + j
            T.copy(top, best[bx * rows])
            T.copy(at, where[bx * rows])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(37)
    dynamic = argmax(T.dynamic("m"), T.dynamic("n"), num_stages)
    for m, n in ((8, 48), (5, 71), (1, 1)):
        x = rng.integers(-50, 0, (m, n)).astype(np.float32)  # below the zeros of a tail
        for kernel in (argmax(m, n, num_stages), dynamic):
            best, where = kernel(x)
            np.testing.assert_array_equal(best, x.max(1))
            np.testing.assert_array_equal(where, x.argmax(1))
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
