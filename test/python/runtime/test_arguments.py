"""What is wrong with an argument is said before the kernel runs."""

import inspect

import numpy as np
import pytest
import runtime_kernels
import tilepipe
from runtime_kernels import add_into_func, compile_dynamic_matmul, scale_func

F32 = np.float32


@pytest.fixture(scope="module")
def scale():
    return tilepipe.compile(scale_func(), out_idx=[-1])


@pytest.fixture(scope="module")
def matmul():
    return compile_dynamic_matmul()


X = np.ones(40, F32)


@pytest.mark.parametrize("args, kwargs, message", [
    ((), {}, "takes 2 arguments, missing X, s"),
    ((X,), {}, "takes 2 arguments, missing s"),
    ((X, 1.0, X), {}, r"takes 2 arguments \(X, s\), got 3"),
    ((X,), {"s": 1.0, "X": X}, "got argument 'X' twice"),
    ((X, 1.0), {"z": 1}, "has no argument 'z'; it has X, s"),
    ((np.ones(40), 1.0), {}, "argument 'X' has dtype float64, the kernel expects float32"),
    ((np.ones((40, 1), F32), 1.0), {}, "argument 'X' has 2 dimensions, the kernel expects 1"),
    ((np.ones(41, F32), 1.0), {}, "argument 'X' has size 41 in dimension 0, the kernel expects 40"),
    ((X.astype(X.dtype.newbyteorder()), 1.0), {}, "argument 'X' has its bytes in the order of another machine"),
    ((np.ones(80, F32)[::2], 1.0), {}, r"argument 'X' has strides \(2,\), the kernel expects a dense row-major"),
    ((np.ones(40, F32)[::-1], 1.0), {}, r"argument 'X' has strides \(-1,\)"),
    (([1.0] * 40, 1.0), {}, "argument 'X' is a tensor .*, got list"),
    ((X, "2"), {}, "argument 's' is a float32, got str"),
    ((X, X), {}, "argument 's' is a float32, got ndarray"),
])
def test_wrong_arguments(scale, args, kwargs, message):
    with pytest.raises(tilepipe.KernelError, match=message):
        scale(*args, **kwargs)


def test_sizes_that_disagree(matmul):
    with pytest.raises(tilepipe.KernelError, match="size 'k' is 5 in 'A' dimension 1 and 6 in 'B' dimension 0"):
        matmul(np.ones((4, 5), F32), np.ones((6, 7), F32))


def test_transposed_and_sliced_matrices(matmul):
    a = np.ones((8, 8), F32)
    with pytest.raises(tilepipe.KernelError, match=r"argument 'A' has strides \(1, 8\)"):
        matmul(np.ones((8, 8), F32).T, a)
    with pytest.raises(tilepipe.KernelError, match="the kernel expects a dense row-major tensor"):
        matmul(np.ones((8, 16), F32)[:, :8], a)
    # A dimension of size one, and an empty tensor, are dense with any stride.
    assert matmul(np.ones((16, 8), F32)[::16], a).shape == (1, 8)
    assert matmul(np.ones((0, 8), F32), a).shape == (0, 8)


def test_tensors_with_dlpack(scale):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **how):
            return self.array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert (scale(Foreign(X), 2.0) == 2).all()


def test_tensors_that_are_written():
    add = tilepipe.compile(add_into_func())
    assert add.written == {1}
    x = np.arange(40, dtype=F32)
    frozen = x.copy()
    frozen.flags.writeable = False
    with pytest.raises(tilepipe.KernelError, match="argument 'Y' is read-only, the kernel writes to it"):
        add(x, frozen)
    with pytest.raises(tilepipe.KernelError, match="arguments 'X' and 'Y' share memory, the kernel writes to 'Y'"):
        add(x, x)
    with pytest.raises(tilepipe.KernelError, match="share memory, the kernel writes to 'Y'"):
        add(x[1:20], x[:19])
    y = np.ones(40, F32)
    add(frozen, y)
    assert (y == 1 + x).all()
    both = np.ones(40, F32)
    add(both[:20], both[20:])
    assert (both[20:] == 2).all()


def test_scalars_that_do_not_fit():
    import tilepipe.language as T

    @T.prim_func
    def put(a: T.int8, b: T.bfloat16, c: T.bool, A: T.Tensor((1,), "int8"), B: T.Tensor((1,), "bfloat16"),
            C: T.Tensor((1,), "int32")):  # fmt: skip
        with T.Kernel(1):
            A[0], B[0], C[0] = a, b, T.if_then_else(c, 7, 8)

    kernel = tilepipe.compile(put, out_idx=[3, 4, 5])
    assert [float(x[0]) for x in kernel(-128, 1.5, True)] == [-128, 1.5, 7]
    assert [float(x[0]) for x in kernel(np.int64(3), 2, False)] == [3, 2, 8]
    with pytest.raises(tilepipe.KernelError, match="argument 'a' is a int8, which 300 does not fit"):
        kernel(300, 1.5, True)
    with pytest.raises(tilepipe.KernelError, match="argument 'a' is a int8, got float"):
        kernel(1.0, 1.5, True)


def test_one_tensor_read_twice(matmul):
    a = np.eye(8, dtype=F32)
    assert (matmul(a, a) == a).all()


def test_results_are_new_arrays(scale):
    first, second = scale(X, 1.0), scale(X, 2.0)
    assert first is not second and (first == 1).all() and (second == 2).all()


@pytest.mark.parametrize("out_idx, message", [
    ([3], "out_idx 3 is out of range for 3 arguments"),
    ([1], "out_idx 1 names 's', which is not a tensor"),
])
def test_wrong_out_idx(out_idx, message):
    with pytest.raises(tilepipe.KernelError, match=message):
        tilepipe.compile(scale_func(), out_idx=out_idx)


@pytest.mark.parametrize("args, declared, column", [
    ((), "def scale(X", 1),
    ((np.ones(41, F32), 1.0), "def scale(X", "X:"),
    ((X, "2"), "def scale(X", "s:"),
])
def test_errors_of_calls_name_the_call_and_the_declaration(scale, args, declared, column):
    with pytest.raises(tilepipe.KernelError) as caught:
        scale(*args)  # this line
    error = caught.value
    assert error.location.file == __file__
    lines = inspect.getsource(inspect.getmodule(test_wrong_arguments)).splitlines()
    assert "# this line" in lines[error.location.line - 1]
    (note,) = error.notes
    place, source, caret = note.split("\n")
    file, line, at = place.split(": note: ")[0].rsplit(":", 2)
    assert file == runtime_kernels.__file__
    written = inspect.getsource(runtime_kernels).splitlines()[int(line) - 1]
    assert declared in written and source.strip() == written.strip()
    assert caret.index("^") == int(at) + 3
    if isinstance(column, str):
        assert written[int(at) - 1 :].startswith(column)


def test_sizes_that_disagree_are_told_where_the_second_is_declared(matmul):
    with pytest.raises(tilepipe.KernelError) as caught:
        matmul(np.ones((4, 5), F32), np.ones((6, 7), F32))
    assert "argument 'B' is declared here" in caught.value.notes[0]
