"""Mistakes of a newcomer: one clear error each, at its line of the kernel."""

import inspect
import re

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T
from tilepipe import KernelError

CASES = []


def case(match):
    """The kernel that the function returns fails at the line with `# here`."""

    def register(factory):
        CASES.append(pytest.param(factory, match, id=factory.__name__))
        return factory

    return register


@case("unknown name 'A_shard'; did you mean 'A_shared'?")
def misspelt_name():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A_shared = T.alloc_shared((64,), "float32")
            T.copy(A, A_shard)  # here  # noqa: F821

    return k


@case("'T' has no attribute 'alloc_share'; did you mean 'alloc_shared'?")
def misspelt_function():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            T.alloc_share((64,), "float32")  # here

    return k


@case("unknown dtype 'float33'")
def unknown_dtype():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            T.alloc_shared((64,), "float33")  # here

    return k


@case("a kernel returns nothing")
def returns():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            return A  # here

    return k


@case("num_stages is at least 0, got -1")
def negative_stages():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for _ in T.Pipelined(4, num_stages=-1):  # here
                T.fill(A, 0)

    return k


@case("stage and order are given together")
def only_order():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for _ in T.Pipelined(4, order=[0]):  # here
                T.fill(A, 0)

    return k


@case("buffer 'A' has 1 dimension, got 2 indices")
def too_many_indices():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[0, 1] = 0.0  # here

    return k


@case("cannot index a Python list with a value of the kernel")
def list_index():
    table = [1, 2]

    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(2) as bx:
            A[bx] = table[bx]  # here

    return k


@case("arithmetic is on elements; loop over the tile with T.Parallel")
def tile_arithmetic():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((64,), "float32")
            T.copy(a + a, A)  # here

    return k


@case("dimension 0 of a tile is not a constant")
def dynamic_tile():
    n = T.dynamic("n")

    @T.prim_func
    def k(A: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            T.alloc_shared((n,), "float32")  # here

    return k


@case("threads is between 1 and 1024, got 4096")
def too_many_threads():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=4096):  # here
            T.fill(A, 0)

    return k


@case("expected 'with T.Kernel")
def wrong_with():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.serial(64):  # here
            T.fill(A, 0)

    return k


@case("extents of k in 'a' and 'b' do not agree: 32 and 16")
def gemm_shapes():
    @T.prim_func
    def k(A: T.Tensor((64, 32), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((64, 32), "float32"), T.alloc_shared((16, 64), "float32")
            c = T.alloc_fragment((64, 64), "float32")
            T.gemm(a, b, c)  # here

    return k


@case("'b' of T.gemm is a tile, got int")
def gemm_of_a_number():
    @T.prim_func
    def k(A: T.Tensor((64, 32), "float32")):
        with T.Kernel(1):
            T.gemm(A, 3, A)  # here

    return k


@case("is assigned in T.Parallel, whose points run in no order")
def carried_in_parallel():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            total = 0.0
            for i in T.Parallel(64):
                total = total + A[i]  # here
            A[0] = total

    return k


@case("statements are not supported in a kernel")
def try_statement():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            try:  # here
                T.fill(A, 0)
            finally:
                pass

    return k


@case("order")
def duplicate_order():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((16,), "float32")
            for ko in T.Pipelined(4, stage=[0, 1], order=[0, 0]):  # here
                T.copy(A[ko * 16], a)
                T.copy(a, B[ko * 16])

    return k


def marked_line(factory):
    lines, first = inspect.getsourcelines(factory)
    return first + next(i for i, line in enumerate(lines) if "# here" in line)


@pytest.mark.parametrize("factory, match", CASES)
def test_gallery(factory, match):
    with pytest.raises(KernelError, match=re.escape(match) if "|" not in match else match) as caught:
        tilepipe.compile(factory(), target="cpu")
    error = caught.value
    assert error.location is not None and error.location.line == marked_line(factory)
    assert error.location.file == __file__
    text = str(error)
    assert f"{__file__}:{error.location.line}:" in text and "# here" in text and "^" in text


def test_missing_annotation():
    with pytest.raises(KernelError, match="argument 'A' has no type"):

        @T.prim_func
        def k(A):
            pass


def test_outside_of_a_kernel():
    with pytest.raises(KernelError, match="outside of a kernel"):
        T.alloc_shared((4,), "float32")


@T.prim_func
def double(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4, 8), "float32")):
    with T.Kernel(1):
        for i, j in T.Parallel(4, 8):
            B[i, j] = A[i, j] * 2.0


@pytest.mark.parametrize("args, match", [
    ((), "missing A"),
    ((1, 2, 3), "takes 1 arguments"),
    ((np.zeros((4, 8), np.float16),), "dtype float16, the kernel expects float32"),
    ((np.zeros((4, 9), np.float32),), "size 9 in dimension 1, the kernel expects 8"),
    ((np.zeros(4, np.float32),), "has 1 dimensions, the kernel expects 2"),
    ((np.zeros((8, 4), np.float32).T,), "strides"),
    (("text",), "is a tensor"),
])
def test_arguments(args, match):
    kernel = tilepipe.compile(double, out_idx=[1], target="cpu")
    with pytest.raises(KernelError, match=match):
        kernel(*args)


def test_compile_arguments():
    with pytest.raises(KernelError, match="out of range"):
        tilepipe.compile(double, out_idx=[5])
    with pytest.raises(KernelError, match="unknown target 'gpu'"):
        tilepipe.compile(double, target="gpu")
    with pytest.raises(KernelError, match="expected a function with @T.prim_func"):
        tilepipe.compile(lambda: 0)
    with pytest.raises(KernelError, match="unknown stage 'x'"):
        tilepipe.compile(double, target="cpu").ir("x")


def test_jit_compiles_each_variant_once():
    calls = []

    @tilepipe.jit(out_idx=[-1], target="cpu")
    def make(n, scale=1.0):
        calls.append((n, scale))

        @T.prim_func
        def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(1):
                for i in T.Parallel(n):
                    B[i] = A[i] * scale

        return kernel

    first = make(8)
    assert make(8) is first and make(8, 1.0) is first and make(8, scale=2.0) is not first
    assert calls == [(8, 1.0), (8, 2.0)]
    assert (make(8, scale=2.0)(np.ones(8, np.float32)) == 2).all()
