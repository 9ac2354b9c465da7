"""A grouped GEMM: rows of A belong to groups, ``offsets`` says where each begins; each has its own B."""

import itertools

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_grouped(total, groups, longest, N, K, num_stages=2, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((total, K), "float32"),
        B: T.Tensor((groups, K, N), "float32"),
        offsets: T.Tensor((groups + 1,), "int32"),
        C: T.Tensor((total, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(longest, block), groups, threads=128) as (bx, by, g):
            a, b = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            c = T.alloc_fragment((block, block), "float32")
            first = offsets[g] + by * block
            last = offsets[g + 1]
            if first < last:
                T.clear(c)
                for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                    T.copy(A[first, ko * block], a)
                    T.copy(B[g, ko * block, bx * block], b)
                    T.gemm(a, b, c)
                # The last tile of a group ends before the rows of the next one.
                for i, j in T.Parallel(block, block):
                    if first + i < last and bx * block + j < N:
                        C[first + i, bx * block + j] = c[i, j]

    return kernel


def check(num_stages):
    rng = np.random.default_rng(8)
    sizes = [20, 0, 5, 16]
    offsets = np.cumsum([0, *sizes]).astype(np.int32)
    total, n, k = int(offsets[-1]), 19, 35
    a = rng.standard_normal((total, k)).astype(np.float32)
    b = rng.standard_normal((len(sizes), k, n)).astype(np.float32)
    want = np.concatenate([a[s:e] @ b[g] for g, (s, e) in enumerate(itertools.pairwise(offsets))])
    dynamic = gemm_grouped(T.dynamic("t"), len(sizes), max(sizes), T.dynamic("n"), T.dynamic("k"), num_stages)
    for kernel in (gemm_grouped(total, len(sizes), max(sizes), n, k, num_stages), dynamic):
        np.testing.assert_allclose(kernel(a, b, offsets), want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
