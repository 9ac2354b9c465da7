"""Functions of the language one by one, on the CPU target."""

import math

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T


def compiled(kernel, out_idx=(-1,)):
    return tilepipe.compile(kernel, out_idx=list(out_idx), target="cpu")


X = np.array([0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 0.75, 2.0], np.float32)
FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: 10.0**x, "log": np.log, "log2": np.log2, "log1p": np.log1p,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "atan": np.arctan, "erf": np.vectorize(math.erf), "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "round": np.round, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "abs": np.abs,
}  # fmt: skip


def test_functions_of_one_float():
    names = list(FUNCTIONS)

    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((len(names), 8), "float32")):
        with T.Kernel(8) as i:
            for row, name in enumerate(names):
                B[row, i] = getattr(T, name)(A[i])

    got = compiled(kernel)(X)
    for row, name in enumerate(names):
        np.testing.assert_allclose(got[row], FUNCTIONS[name](X), rtol=1e-5, atol=1e-6, err_msg=name)
        constant = getattr(T, name)(0.75)  # outside of a kernel: a Python number
        assert isinstance(constant, (int, float)) and abs(constant - FUNCTIONS[name](0.75)) < 1e-6, name


def test_functions_of_several():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((5, 8), "float32")):
        with T.Kernel(8) as i:
            B[0, i] = T.clamp(A[i], 0.5, 2)
            B[1, i] = T.fma(A[i], 2.0, 1)
            B[2, i] = T.pow(A[i], 3)
            B[3, i] = T.max(A[i], 1, 2 * A[i] - 2)
            B[4, i] = T.min(A[i], 1.0)

    want = [X.clip(0.5, 2), X * 2 + 1, X**3, np.maximum(np.maximum(X, 1), 2 * X - 2), np.minimum(X, 1)]
    np.testing.assert_allclose(compiled(kernel)(X), want, rtol=1e-6)


def test_predicates_and_quantifiers():
    @T.prim_func
    def kernel(A: T.Tensor((4,), "float32"), B: T.Tensor((5, 4), "int32")):
        with T.Kernel(4) as i:
            B[0, i] = T.isnan(A[i])
            B[1, i] = T.isinf(A[i])
            B[2, i] = T.isfinite(A[i])
            B[3, i] = T.any(A[i] > 5, A[i] < -5)
            B[4, i] = T.all_of([A[i] > 0, A[i] < 5])

    got = compiled(kernel)(np.array([1, np.nan, np.inf, -np.inf], np.float32))
    assert got.tolist() == [[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]]


@pytest.mark.parametrize("name, reference", [
    ("reduce_bitand", np.bitwise_and.reduce), ("reduce_bitor", np.bitwise_or.reduce),
    ("reduce_bitxor", np.bitwise_xor.reduce), ("reduce_prod", np.multiply.reduce),
    ("reduce_sum", np.add.reduce), ("reduce_max", np.maximum.reduce), ("reduce_min", np.minimum.reduce),
])
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_of_integers(name, reference, axis):
    """Also accumulated onto the target, and with the reduced dimension kept."""
    left, kept = (6, 5)[axis], ((1, 6), (5, 1))[axis]

    @T.prim_func
    def kernel(A: T.Tensor((5, 6), "int32"), B: T.Tensor((left,), "int32"), C: T.Tensor(kept, "int32")):
        with T.Kernel(1):
            a, b, c = T.alloc_shared((5, 6), "int32"), T.alloc_fragment((left,), "int32"), T.alloc_fragment(kept, "int32")
            T.copy(A, a)
            T.fill(b, 12)
            T.fill(c, 12)
            getattr(T, name)(a, b, dim=axis, clear=False)
            getattr(T, name)(a, c, dim=axis - 2, clear=False)
            T.copy(b, B)
            T.copy(c, C)

    a = np.random.default_rng(axis).integers(1, 31, (5, 6)).astype(np.int32)
    start = np.full((1, 6) if axis == 0 else (5, 1), 12, np.int32)
    want = reference(np.concatenate([start, a], axis), axis)
    b, c = compiled(kernel, (1, 2))(a)
    assert (b == want).all() and (c == np.expand_dims(want, axis)).all()


def test_any_and_all_of_tiles():
    @T.prim_func
    def kernel(A: T.Tensor((4, 4), "int32"), B: T.Tensor((2, 4), "int32")):
        with T.Kernel(1):
            flags = T.alloc_shared((4, 4), "bool")
            some, every = T.alloc_fragment((4,), "bool"), T.alloc_fragment((4,), "bool")
            for i, j in T.Parallel(4, 4):
                flags[i, j] = A[i, j] > 5
            T.reduce_any(flags, some, dim=1)
            T.reduce_all(flags, every, dim=1)
            for i in T.Parallel(4):
                B[0, i] = some[i]
                B[1, i] = every[i]

    assert compiled(kernel)(np.arange(16, dtype=np.int32).reshape(4, 4)).tolist() == [[0, 1, 1, 1], [0, 0, 1, 1]]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_cumsum(axis, reverse):
    @T.prim_func
    def kernel(A: T.Tensor((3, 4), "int32"), B: T.Tensor((3, 4), "int32")):
        with T.Kernel(1):
            a = T.alloc_shared((3, 4), "int32")
            T.copy(A, a)
            T.cumsum(a, dim=axis, reverse=reverse)
            T.copy(a, B)

    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    want = np.flip(np.cumsum(np.flip(a, axis), axis), axis) if reverse else np.cumsum(a, axis)
    assert (compiled(kernel)(a) == want).all()


def test_local_tiles_of_points():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            for i in T.Parallel(8):
                pair, n = T.alloc_local((2,), "int32"), T.alloc_var("int32", 0)
                pair[0] = A[i]
                pair[1] = pair[0] * 2
                while n * n < pair[1]:
                    n += 1
                B[i] = n

    a = np.arange(8, dtype=np.int32) * 3
    assert (compiled(kernel)(a) == np.ceil(np.sqrt(2 * a))).all()


@pytest.mark.parametrize("shape", [(4,), (1, 4), (4, 1), (1, 1, 4), (1, 4, 1)])
def test_copies_between_ranks(shape):
    @T.prim_func
    def kernel(A: T.Tensor((9,), "int32"), B: T.Tensor((9,), "int32")):
        with T.Kernel(3) as bx:
            s = T.alloc_shared(shape, "int32")
            T.copy(A[bx * 4], s)
            T.copy(s, B[bx * 4])

    a = np.arange(9, dtype=np.int32)
    assert (compiled(kernel)(a) == a).all()


def test_print(capfd):
    @T.prim_func
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1) as bx:
            flags = T.alloc_shared((2, 2), "int8")
            T.fill(flags, -1)
            for i in T.Pipelined(2, num_stages=2):
                T.print(A[i], "100% of A")
            T.print(bx)
            T.print(n > 3, msg="more")
            T.print("text")
            T.print(flags)

    compiled(kernel, ())(np.array([0.5, 1e10, 0, 0], np.float32), 7)
    assert capfd.readouterr().out.splitlines() == [
        "100% of A = 0.5", "100% of A = 1e+10", "0", "more = 1", "text",
        *(f"flags[{i}, {j}] = -1" for i in range(2) for j in range(2)),
    ]
