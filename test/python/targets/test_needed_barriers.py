"""The kinds of barriers, waits and commits that a sweep over sizes, depths, threads and schedules found to be needless.

Each entry once had a synchronisation that no mutation test noticed.
"""

import functools

import gemm
import gemm_bias_relu
import manual_schedule
import pytest
import row_softmax
import tilepipe
import tilepipe.language as T
import vector_add
from tilepipe.targets import is_built

pytestmark = pytest.mark.skipif(not is_built("cuda"), reason="this build has no target cuda")
BLOCK = {"block_M": 32, "block_N": 32, "block_K": 16, "threads": 128}
by_hand = functools.partial(manual_schedule.gemm_by_hand, 32, 32, 96)
KERNELS = {
    # Iterations of a predicated loop that never use a buffer again.
    "one_trip": lambda: vector_add.vector_add(64, 64, 1, 1, threads=256),
    "as_many_trips_as_slots": lambda: row_softmax.row_softmax(24, 32, 8, 3, 3, threads=128),
    # No copy is asynchronous: rows of K elements are not aligned.
    "copies_at_once": lambda: gemm_bias_relu.gemm_bias_relu(32, 37, 61, num_stages=4, **BLOCK),
    "copies_at_once_order": lambda: manual_schedule.gemm_by_hand(32, 32, 93, (0, 0, 2), (0, 2, 1), **BLOCK),
    # One warp does all of a tile.
    "one_warp_of_two": lambda: manual_schedule.producer_last(219, 32, (0, 0, 1), (0, 1, 2), threads=64),
    "one_warp": lambda: gemm.gemm(32, 40, 96, block_M=32, block_N=32, block_K=16, threads=32),
    # The first reduction of a kernel finds its memory unused.
    "reduction_across_warps": lambda: row_softmax.row_softmax(2, 64, 1, 2, 2, threads=64),
    # Groups that one wait completes, though others stay in flight; guards that a barrier is common to.
    "copies_apart": lambda: by_hand((1, 0, 2), (0, 1, 2), **BLOCK),
    "product_between_copies": lambda: by_hand((0, 0, 2), (0, 2, 1), **BLOCK),
}  # fmt: skip


def check(func):
    kernel = tilepipe.compile(func, out_idx=[-1], target="cuda:sm_80")
    report = kernel.check(seeds=1, mutants=True)
    assert report, repr(report)
    assert report.mutants and not report.undetected, repr(report)
    return kernel.get_kernel_source()


@pytest.mark.parametrize("name", KERNELS)
def test_all_synchronisation_is_needed(name):
    text = check(KERNELS[name]())
    if name.startswith("copies_at_once"):
        assert "cp.async" not in text
    if name == "one_warp":
        assert "bar.sync" not in text and "bar.warp.sync" in text


def two_products(rows, columns, dim, length, threads):
    """Like attention with the same values for each block of keys."""

    @T.prim_func
    def kernel(
        Q: T.Tensor((rows, dim), "float16"),
        K: T.Tensor((length, dim), "float16"),
        V: T.Tensor((columns, dim), "float16"),
        O: T.Tensor((rows, dim), "float32"),
    ):
        with T.Kernel(1, threads=threads):
            q, v = T.alloc_shared((rows, dim), "float16"), T.alloc_shared((columns, dim), "float16")
            k = T.alloc_shared((columns, dim), "float16")
            s, o = (
                T.alloc_fragment((rows, columns), "float32"),
                T.alloc_fragment((rows, dim), "float32"),
            )
            p = T.alloc_fragment((rows, columns), "float16")
            T.copy(Q, q)
            T.copy(V, v)
            T.clear(o)
            for ko in T.Pipelined(length // columns, num_stages=2):
                T.copy(K[ko * columns, 0], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(rows, columns):
                    s[i, j] = T.max(s[i, j], 0.0)
                T.copy(s, p)
                T.gemm(p, v, o)
            T.copy(o, O)

    return kernel


def test_rows_of_a_product_stay_in_their_warps():
    # All warps are along the rows: a warp reads the rows of p that it wrote.
    text = check(two_products(64, 16, 16, 96, 128))
    assert text.count("bar.warp.sync") > 0
    # Two warps write each row.
    assert "bar.warp.sync" not in check(two_products(32, 32, 32, 192, 128))
