"""Unsigned integers and bool: what the compiler's signless integers would read as signed."""

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe import KernelError
from tilepipe.targets import is_built

TARGETS = ["cpu", *(["cuda:sm_80"] if is_built("cuda") else [])]


def run(func, target, *inputs):
    kernel = tilepipe.compile(func, out_idx=[-1], target=target)
    return kernel(*inputs) if target == "cpu" else kernel.emulate(*inputs, policy="late")


def draw(dtype, *shape):
    rng = np.random.default_rng(7)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return rng.integers(0, 250, shape).astype(dtype)
    return rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


CONVERSIONS = [
    ("uint8", "int32"), ("uint8", "float16"), ("uint8", "uint32"), ("uint16", "float32"), ("uint32", "float32"),
    ("bool", "int32"), ("bool", "float32"), ("float32", "uint8"), ("int32", "bool"), ("uint32", "uint8"), ("int8", "uint16"),
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("a", "b"), CONVERSIONS)
def test_copies_convert(a, b, target):
    @T.prim_func
    def kernel(X: T.Tensor((2, 20, 20), a), Y: T.Tensor((20, 20), b)):
        with T.Kernel(2, threads=32) as bx:
            f, g = T.alloc_shared((16, 16), a), T.alloc_fragment((16, 16), b)
            T.copy(X[1, bx * 16, 0], f)
            T.copy(f, g)
            T.copy(g, Y[bx * 16, 0])
            # Between a tensor and a tile, over the edge of both sides of the tensor.
            T.copy(X[1, bx * 16, 16], g)
            T.copy(X[1, bx * 16, 16], f)
            T.copy(f, Y[bx * 16, 16])

    x = draw(a, 2, 20, 20)
    np.testing.assert_array_equal(run(kernel, target, x), x[1].astype(b))


def reduction(kind, a, b, clear):
    @T.prim_func
    def kernel(X: T.Tensor((8, 40), a), Y: T.Tensor((8,), b)):
        with T.Kernel(1, threads=64):
            f, r = T.alloc_fragment((8, 40), a), T.alloc_fragment((8,), b)
            T.copy(X, f)
            T.fill(r, 5)
            T.reduce(f, r, kind, 1, clear)
            T.copy(r, Y)

    return kernel


REDUCTIONS = [
    ("max", "uint8", "uint8", np.max), ("min", "uint16", "uint16", np.min), ("max", "uint32", "uint32", np.max),
    ("absmax", "uint8", "uint8", np.max), ("sum", "uint8", "int32", np.sum), ("sum", "uint8", "float32", np.sum),
    ("sum", "uint16", "uint32", np.sum), ("sum", "bool", "int32", np.sum), ("max", "int8", "int8", np.max),
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize(("kind", "a", "b", "reference"), REDUCTIONS)
def test_reductions(kind, a, b, reference, clear, target):
    x = draw(a, 8, 40)
    expected = reference(x, axis=1).astype(b)
    if not clear:
        expected = {"max": np.maximum, "absmax": np.maximum, "min": np.minimum, "sum": np.add}[kind](expected, np.array(5, b))
    np.testing.assert_array_equal(run(reduction(kind, a, b, clear), target, x), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "bool", "int8"])
def test_absolute_values(dtype, target):
    @T.prim_func
    def kernel(X: T.Tensor((32,), dtype), Y: T.Tensor((32,), dtype)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(32):
                Y[i] = T.abs(X[i])

    X = draw(dtype, 32) if dtype != "int8" else np.arange(-16, 16).astype(np.int8)
    np.testing.assert_array_equal(run(kernel, target, X), np.abs(X))


def test_what_is_refused():
    with pytest.raises(KernelError, match=r"the max of uint64 is not supported; use int64"):
        tilepipe.compile(reduction("max", "uint64", "uint64", True), target="cpu")

    @T.prim_func
    def product(A: T.Tensor((16, 16), "uint8"), C: T.Tensor((16, 16), "int32")):
        with T.Kernel(1):
            a, c = T.alloc_shared((16, 16), "uint8"), T.alloc_fragment((16, 16), "int32")
            T.copy(A, a)
            T.gemm(a, a, c)
            T.copy(c, C)

    with pytest.raises(KernelError, match=r"operand 'a' of T.gemm is uint8, which cannot be multiplied into int32; T.copy it to a tile of int32"):
        tilepipe.compile(product, target="cpu")

    @T.prim_func
    def largest(A: T.Tensor((16,), "uint32"), C: T.Tensor((1,), "uint32")):
        with T.Kernel(1):
            for i in T.Parallel(16):
                T.atomic_max(C[0], A[i])

    with pytest.raises(KernelError, match=r"T.atomic_max is not defined for uint32; use a signed type"):
        tilepipe.compile(largest, target="cpu")
