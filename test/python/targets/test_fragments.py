"""Fragments of one element, which every thread holds, against numpy."""

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from harness import POLICIES
from tilepipe.targets import is_built, ptxas

pytestmark = pytest.mark.skipif(not is_built("cuda"), reason="this build has no NVIDIA target")


def results(func, *inputs):
    yield tilepipe.compile(func, out_idx=[-1], target="cpu")(*inputs)
    kernel = tilepipe.compile(func, out_idx=[-1], target="cuda:sm_80")
    for policy in POLICIES:
        yield kernel.emulate(*inputs, policy=policy)


def test_a_row_a_block():
    @T.prim_func
    def norm(X: T.Tensor((4, 64), "float32"), Y: T.Tensor((4, 64), "float32")):
        with T.Kernel(4, threads=64) as bx:
            x = T.alloc_shared((1, 32), "float32")
            f = T.alloc_fragment((1, 32), "float32")
            part, largest = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            T.fill(largest, -100)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(X[bx, k * 32], x)
                T.copy(x, f)
                T.reduce_max(f, part, dim=1)
                for i in T.Parallel(1):
                    largest[i] = T.max(largest[i], part[i])
            for k in range(2):
                T.copy(X[bx, k * 32], f)
                for i, j in T.Parallel(1, 32):
                    f[i, j] -= largest[i]
                T.copy(f, Y[bx, k * 32])

    x = np.random.default_rng(1).integers(-50, 50, (4, 64)).astype(np.float32)
    for y in results(norm, x):
        np.testing.assert_array_equal(y, x - x.max(axis=1, keepdims=True))


def test_one_point_of_many():
    @T.prim_func
    def picked(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            one, f = T.alloc_fragment((1,), "float32"), T.alloc_fragment((64,), "float32")
            T.copy(X, f)
            for i in T.Parallel(64):
                if i == 37:
                    one[0] = f[i]
            for i in T.Parallel(64):
                Y[i] = f[i] * one[0]

    x = np.random.default_rng(2).integers(-9, 9, 64).astype(np.float32)
    for y in results(picked, x):
        np.testing.assert_array_equal(y, x * x[37])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "float16"])
def test_sums_by_atomics(dtype):
    @T.prim_func
    def count(X: T.Tensor((128,), "int32"), One: T.Tensor((1,), dtype), H: T.Tensor((8,), dtype)):
        with T.Kernel(2, threads=64) as bx:
            for i in T.Parallel(64):
                T.atomic_add(H[X[bx * 64 + i]], One[0])

    x = np.random.default_rng(3).integers(0, 8, 128).astype(np.int32)
    one, expected = np.ones(1, dtype), np.bincount(x, minlength=8).astype(dtype)
    for target in ("cpu", "cuda:sm_80"):
        kernel = tilepipe.compile(count, target=target)
        for policy in POLICIES:
            h = np.zeros(8, dtype)
            if target == "cpu":
                kernel(x, one, h)
            else:
                kernel.emulate(x, one, h, policy=policy)
            np.testing.assert_array_equal(h, expected)


def test_tiles_of_points():
    @T.prim_func
    def kernel(X: T.Tensor((256, 4), "float32"), Y: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((256,), "float32")
            for i in T.Parallel(256):
                # A thread runs several points; some of them in lockstep.
                v = T.alloc_var("float32")
                v = X[i, 0]
                v = v + 1
                f[i] = v
            for i in T.Parallel(256):
                row, total = T.alloc_local((4,), "float32"), T.alloc_var("float32", 0.0)
                for j in range(4):
                    row[j] = X[i, j] * 2
                for j in range(4):
                    total = total * 3 + row[3 - j]
                Y[i] = total + f[i]

    x = np.random.default_rng(4).integers(-9, 9, (256, 4)).astype(np.float32)
    expected = x @ np.array([2, 6, 18, 54], np.float32) + x[:, 0] + 1
    for y in results(kernel, x):
        np.testing.assert_array_equal(y, expected)
    kernel = tilepipe.compile(kernel, target="cuda:sm_80")
    assert ".local" not in kernel.get_kernel_source()


@pytest.mark.skipif(ptxas.find() is None, reason="ptxas is not at hand")
def test_many_warps_reduce_without_spills():
    @T.prim_func
    def kernel(A: T.Tensor((48, 80), "float32"), C: T.Tensor((80,), "float32")):
        with T.Kernel(1, threads=1024):
            s, c = T.alloc_shared((48, 80), "float32"), T.alloc_fragment((80,), "float32")
            d, least = T.alloc_fragment((48,), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(A, s)
            T.reduce_max(s, c, dim=0)
            T.reduce_sum(s, d, dim=1)
            T.reduce_min(d, least, dim=0)
            for i in T.Parallel(80):
                C[i] = c[i] * least[0]

    x = np.random.default_rng(5).integers(-9, 9, (48, 80)).astype(np.float32)
    for y in results(kernel, x):
        np.testing.assert_array_equal(y, x.max(axis=0) * x.sum(axis=1).min())
    assert tilepipe.compile(kernel, target="cuda:sm_80").resources.spill_bytes == 0


@pytest.mark.skipif(ptxas.find() is None, reason="ptxas is not at hand")
def test_large_fragments_are_given_all_registers():
    # ptxas would aim at 32 registers, and spill 11 kB.
    @T.prim_func
    def kernel(A: T.Tensor((T.dynamic("m"), T.dynamic("k")), "int8"), B: T.Tensor((T.dynamic("n"), T.dynamic("k")), "int8"),
               C: T.Tensor((T.dynamic("m"), T.dynamic("n")), "int32")):  # fmt: skip
        with T.Kernel(T.ceildiv(B.shape[0], 96), T.ceildiv(A.shape[0], 128), threads=64) as (bx, by):
            a, b = T.alloc_shared((128, 16), "int8"), T.alloc_shared((96, 16), "int8")
            c = T.alloc_fragment((128, 96), "int32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(A.shape[1], 16), num_stages=4):
                T.copy(A[by * 128, k * 16], a)
                T.copy(B[bx * 96, k * 16], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 128, bx * 96])

    assert tilepipe.compile(kernel, target="cuda:sm_80").resources.spill_bytes < 2000
