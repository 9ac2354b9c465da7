"""Loops whose iterations meet in the scalar unit, in global memory, or past the end of a tensor: on Ascend, in the
emulator with its detectors."""

import re

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.targets import is_built

if not is_built("ascend"):
    pytest.skip("this build has no target ascend", allow_module_level=True)
TARGET = "ascend:dav-2201"
ROWS = np.arange(7 * 16, dtype=np.float32).reshape(7, 16) % 11


def is_right(func, expected, *inputs):
    """Rows that are not written stay zero."""
    kernel = tilepipe.compile(func, target=TARGET)
    for policy in ("eager", "late", "early-write-late-read", "random"):
        result = np.zeros_like(expected)
        kernel.emulate(*inputs, result, policy=policy)
        np.testing.assert_array_equal(result, expected)
    report = kernel.check(*inputs, np.zeros_like(expected), seeds=1)
    assert report, repr(report)
    return kernel


@pytest.mark.parametrize("num_stages", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_carried_scalar(num_stages, dtype):
    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), B: T.Tensor((8, 16), "float32")):
        with T.Kernel(1) as _:
            a = T.alloc_shared((16,), "float32")
            total = T.cast(1, dtype)
            for i in T.Pipelined(7, num_stages=num_stages):
                T.copy(A[i, 0], a)
                total = total + 3
                for x in T.Parallel(16):
                    a[x] = a[x] + total
                T.copy(a, B[i, 0])
            T.fill(a, T.cast(total, "float32"))
            T.copy(a, B[7, 0])

    sums = np.float32(1) + 3 * np.arange(1, 9, dtype=np.float32)
    expected = np.vstack([ROWS + sums[:7, None], np.full((1, 16), sums[6])]).astype(np.float32)
    is_right(kernel, expected, ROWS)


def test_scalar_between_stages():
    """A number of one stage that another one uses has versions of its own."""

    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), B: T.Tensor((7, 16), "float32")):
        with T.Kernel(1) as _:
            a, b = T.alloc_shared((16,), "float32"), T.alloc_shared((16,), "float32")
            for i in T.Pipelined(7, stage=[0, 1, 1, 2, 2], order=[0, 1, 2, 3, 4]):
                T.copy(A[i, 0], a)
                x = a[3]
                for j in T.Parallel(16):
                    b[j] = a[j] + 1
                for j in T.Parallel(16):
                    b[j] = b[j] * x
                T.copy(b, B[i, 0])

    kernel = is_right(kernel, (ROWS + 1) * ROWS[:, 3:4], ROWS)
    assert re.search(r"^  float \w+\[2\];", kernel.get_kernel_source(), re.M)


@pytest.mark.parametrize("num_stages", [0, 2, 3])
def test_rows_of_a_table_with_elements_of_it(num_stages):
    """An element of global memory in vector code: each version of it starts a block of its own."""

    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), index: T.Tensor((7,), "int32"), B: T.Tensor((7, 16), "float32")):
        with T.Kernel(1) as _:
            a = T.alloc_shared((16,), "float32")
            for i in T.Pipelined(7, num_stages=num_stages):
                T.copy(A[index[i], 0], a)
                for x in T.Parallel(16):
                    a[x] += index[i]
                T.copy(a, B[i, 0])

    index = np.array([3, 0, 6, 6, 1, 2, 5], np.int32)
    is_right(kernel, ROWS[index] + index[:, None].astype(np.float32), ROWS, index)


PLACES = {
    "in_pairs": lambda i, index: i // 2,
    "one_place": lambda i, index: i - i,
    "by_a_table": lambda i, index: index[i],
    "back_and_forth": lambda i, index: i * (6 - i) // 3,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("num_stages", [0, 2, 4])
def test_rows_that_are_stored_again(place, num_stages):
    """The last store counts, though MTE3 does not complete in order."""
    find = PLACES[place]

    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), index: T.Tensor((7,), "int32"), B: T.Tensor((7, 16), "float32")):
        with T.Kernel(1) as _:
            a = T.alloc_shared((16,), "float32")
            for i in T.Pipelined(7, num_stages=num_stages):
                T.copy(A[i, 0], a)
                T.copy(a, B[find(i, index), 0])

    index = np.array([3, 0, 3, 3, 1, 0, 5], np.int32)
    expected = np.zeros_like(ROWS)
    for i in range(7):
        expected[find(i, index)] = ROWS[i]
    is_right(kernel, expected, ROWS, index)


@pytest.mark.parametrize("distance", [1, 2])
def test_two_stores_that_meet_in_another_iteration(distance):
    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), B: T.Tensor((9, 16), "float32")):
        with T.Kernel(1) as _:
            a, b = T.alloc_shared((16,), "float32"), T.alloc_shared((16,), "float32")
            T.fill(b, 50)
            for i in T.Pipelined(7, num_stages=3):
                T.copy(A[i, 0], a)
                T.copy(a, B[i, 0])
                T.copy(b, B[i + distance, 0])

    expected = np.zeros((9, 16), np.float32)
    for i in range(7):
        expected[i], expected[i + distance] = ROWS[i], 50
    is_right(kernel, expected, ROWS)


def test_tiles_that_overlap():
    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), B: T.Tensor((10, 16), "float32")):
        with T.Kernel(1) as _:
            a = T.alloc_shared((4, 16), "float32")
            for i in T.Pipelined(6, num_stages=2):
                T.copy(A[i, 0], a)
                T.copy(a, B[i, 0])

    expected = np.zeros((10, 16), np.float32)
    for i in range(6):
        expected[i : i + 4] = np.vstack([ROWS, np.zeros((4, 16), np.float32)])[i : i + 4]
    is_right(kernel, expected, ROWS)


def test_stores_side_by_side_take_no_barriers():
    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), B: T.Tensor((7, 32), "float32")):
        with T.Kernel(1) as _:
            a = T.alloc_shared((16,), "float32")
            for i in T.Pipelined(7, num_stages=2):
                T.copy(A[i, 0], a)
                T.copy(a, B[i, 0])
                T.copy(a, B[i, 16])

    kernel = is_right(kernel, np.hstack([ROWS, ROWS]), ROWS)
    assert "pipe_barrier(PIPE_MTE3)" not in kernel.get_kernel_source()


@pytest.mark.parametrize("num_stages", [1, 3])
def test_loop_that_runs_past_its_tensor(num_stages):
    """Rows that are not there are filled by vector code, which also writes the tile otherwise: for a trip count
    that is known when the kernel is called, and larger than any that flags depend on."""

    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), n: T.int32, B: T.Tensor((16,), "float32")):
        with T.Kernel(1) as _:
            a = T.alloc_shared((16,), "float32")
            T.fill(a, 9)
            for i in T.Pipelined(n, num_stages=num_stages):
                T.copy(A[i, 0], a)
                T.fill(a, 2)
            T.copy(a, B)

    for n in (0, 1, 7, 10):
        is_right(kernel, np.full(16, 2 if n else 9, np.float32), ROWS, n)


@pytest.mark.parametrize("num_stages", [0, 2, 3])
def test_more_tiles_than_flags(num_stages):
    """There are eight flags for two pipes; tiles share them."""
    count = 11

    @T.prim_func
    def kernel(A: T.Tensor((7, 16), "float32"), B: T.Tensor((7, 16), "float32")):
        with T.Kernel(1) as _:
            tiles = [T.alloc_shared((16,), "float32") for _ in range(count)]
            for i in T.Pipelined(7, num_stages=num_stages):
                for tile in tiles:
                    T.copy(A[i, 0], tile)
                for tile in tiles[1:]:
                    for x in T.Parallel(16):
                        tiles[0][x] = tiles[0][x] + tile[x]
                T.copy(tiles[0], B[i, 0])

    is_right(kernel, ROWS * count, ROWS)
