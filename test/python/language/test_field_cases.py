"""Mistakes of other front ends that ours must not make: one test for each case of its kind."""

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T

b = 1
"""A global with the name of a variable of an enclosing function below."""


def compiled(kernel, out_idx=(-1,)):
    return tilepipe.compile(kernel, out_idx=list(out_idx), target="cpu")


# PY-01: variables that derive from the loop variable, also through others, go where they are used.


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("guarded", [False, True])
def test_py01_variables_derived_from_the_loop_variable(depth, guarded):
    @T.prim_func
    def kernel(ids: T.Tensor((6,), "int32"), ids2: T.Tensor((4,), "int32"), R: T.Tensor((5, 8), "float32"),
               S: T.Tensor((6, 8), "float32")):
        with T.Kernel(1):
            row = T.alloc_shared((1, 8), "float32")
            for i in T.Pipelined(6, num_stages=depth):
                id = ids[i]
                id2 = ids2[id]
                if guarded:
                    T.clear(row)
                    if id2 >= 0:
                        T.copy(R[id2, 0], row)
                else:
                    T.copy(R[id2, 0], row)
                T.copy(row, S[i, 0])

    rng = np.random.default_rng(1)
    ids = rng.integers(0, 4, 6).astype(np.int32)
    ids2 = np.array([3, -1 if guarded else 0, 4, 1], np.int32)
    rows = rng.standard_normal((5, 8)).astype(np.float32)
    want = np.where((ids2[ids] >= 0)[:, None], rows[ids2[ids]], 0)
    np.testing.assert_array_equal(compiled(kernel)(ids, ids2, rows), want)


# PY-03: the condition of a second `if` is computed after the body of the first one.


def test_py03_condition_changed_by_the_first_body():
    @T.prim_func
    def kernel(F: T.Tensor((2,), "int32")):
        with T.Kernel(1):
            if F[0] == 2:
                F[0] = 5
            if F[0] == 2:
                F[1] = 9

    cells = np.array([2, 3], np.int32)
    compiled(kernel, ())(cells)
    assert cells.tolist() == [5, 3]


# PY-04: a name that is bound again inside of an `if` is a variable, for literals as for expressions.


@pytest.mark.parametrize("form", ["literal", "expression", "else", "nested"])
def test_py04_rebinding_inside_an_if(form):
    @T.prim_func
    def kernel(X: T.Tensor((2,), "float32"), Y: T.Tensor((2,), "float32")):
        with T.Kernel(2) as i:
            v = X[i]
            if form == "literal":
                if v > 1:
                    v = 1
            elif form == "expression":
                if v > 1:
                    v = X[i] / X[i]
            elif form == "else":
                if v <= 1:
                    pass
                else:
                    v = 1.0
            else:
                if v > 0:
                    if v > 1:
                        v = 1
            Y[i] = v

    assert compiled(kernel)(np.array([0.5, 2], np.float32)).tolist() == [0.5, 1]


def test_py04_a_literal_first():
    @T.prim_func
    def kernel(X: T.Tensor((2,), "float32"), Y: T.Tensor((2,), "float32")):
        with T.Kernel(2) as i:
            v = 0.0
            if X[i] > 1:
                v = 1.5
            Y[i] = v

    assert compiled(kernel)(np.array([0.5, 2], np.float32)).tolist() == [0, 1.5]


# PY-05: loops keep their step.


@pytest.mark.parametrize("loop", [range, T.serial, T.unroll])
@pytest.mark.parametrize("start, stop, step", [(0, 16, 4), (1, 16, 5), (12, -1, -4), (3, 3, 2), (0, 15, 4)])
def test_py05_steps(loop, start, stop, step):
    @T.prim_func
    def kernel(flag: T.int32, out: T.Tensor((16,), "int32")):
        with T.Kernel(1):
            for i in loop(start, stop, step):
                if flag > 0:  # invariant
                    out[i] = i + 1

    want = np.zeros(16, np.int32)
    for i in range(start, stop, step):
        want[i] = i + 1
    for flag in (1, 0):
        got = np.zeros(16, np.int32)
        compiled(kernel, ())(flag, got)
        assert (got == want * flag).all()


@pytest.mark.parametrize("step", [3, -3])
def test_py05_steps_with_dynamic_bounds(step):
    @T.prim_func
    def kernel(start: T.int32, stop: T.int32, out: T.Tensor((32,), "int32")):
        with T.Kernel(1):
            for i in T.serial(start, stop, step):
                out[i] = out[i] + 1

    run = compiled(kernel, ())
    for start, stop in ((0, 16), (1, 17), (20, 3), (5, 5), (31, 0)):
        got, want = np.zeros(32, np.int32), np.zeros(32, np.int32)
        want[list(range(start, stop, step))] = 1
        run(start, stop, got)
        assert (got == want).all()


@pytest.mark.parametrize("depth", [0, 2, 3])
def test_py05_pipelines_keep_their_start(depth):
    @T.prim_func
    def kernel(A: T.Tensor((8, 4), "int32"), B: T.Tensor((8, 4), "int32")):
        with T.Kernel(1):
            s = T.alloc_shared((1, 4), "int32")
            T.clear(B)
            for i in T.Pipelined(2, 7, num_stages=depth):
                T.copy(A[i, 0], s)
                T.copy(s, B[i, 0])

    a = np.arange(1, 33, dtype=np.int32).reshape(8, 4)
    want = a.copy()
    want[[0, 1, 7]] = 0
    assert (compiled(kernel)(a) == want).all()


# PY-06: names are those of the enclosing function first, in the body and in annotations.


def test_py06_closure_before_global():
    def outer():
        b = 2

        @T.prim_func
        def kernel(A: T.Tensor((b,), "int32"), B: T.Tensor((b,), "int32")):
            with T.Kernel(b) as i:
                B[i] = A[i] + b

        return kernel

    assert b == 1
    kernel = outer()
    assert kernel.params[0].type.shape == (2,)
    assert compiled(kernel)(np.zeros(2, np.int32)).tolist() == [2, 2]


def test_py06_a_name_that_only_annotations_use():
    def outer():
        size = 3

        @T.prim_func
        def kernel(A: "T.Tensor((size,), 'int32')", B: "T.Tensor((size,), 'int32')"):
            with T.Kernel(A.shape[0]) as i:
                B[i] = A[i] + b

        return kernel

    assert compiled(outer())(np.zeros(3, np.int32)).tolist() == [1, 1, 1]


def test_py06_bound_on_one_path_is_not_the_global():
    @T.prim_func
    def kernel(A: T.Tensor((4,), "int32")):
        with T.Kernel(4) as i:
            if A[i] > 0:
                b = 7
            A[i] = b

    with pytest.raises(tilepipe.KernelError, match="'b' is not bound on all paths"):
        compiled(kernel, ())
