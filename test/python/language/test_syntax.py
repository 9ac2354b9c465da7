"""Python in kernels: what is computed while a kernel is staged, and what becomes part of it."""

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T

X = np.arange(8, dtype=np.float32)


def run(kernel, *args, out_idx=(-1,)):
    return tilepipe.compile(kernel, out_idx=list(out_idx), target="cpu")(*args)


def twice_and_one(value):
    return value * 2 + 1


def test_python_values():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((10,), "float32")):
        with T.Kernel(1):
            items = [A[0], A[1], A[2]]
            table = {"x": A[3]}
            a, (b, c) = 1, (2, A[4])
            x = y = A[6]
            B[0] = items[0] + items[2] + table["x"] + c + a + b
            B[1] = sum([n for n in (1, 2, 3)])
            B[2] = max(A[1], A[2]) + min(A[3], 1.0) + abs(A[5] - 10)
            B[3] = int(A[3]) // 2
            B[4] = len(items)
            B[5] = f"{3}" == "3"
            B[6] = x + y
            B[7] = (lambda v: v + 1)(2)
            B[8] = sum([A[i] for i in range(8)])
            B[9] = twice_and_one(A[7])

    assert run(kernel, X).tolist() == [12, 6, 8, 1, 3, 1, 12, 3, 28, 15]


def test_what_goes_into_a_tuple_is_read_at_once():
    """As in Python: what is stored later does not change it. It still names the start of a region."""

    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((12,), "float32")):
        with T.Kernel(1):
            t = T.alloc_shared((8,), "float32")
            T.copy(A, t)
            t[0], t[1], t[2] = t[1], t[2], t[0]
            x, y = T.alloc_var("float32", 5), T.alloc_var("float32", 6)
            x, y = y, x
            items, table = [t[4], y], {"five": t[5]}
            t[4], t[5], y = 100, 200, 300
            B[0], B[1], B[2] = t[0], t[1], t[2]
            B[3], B[4], B[5], B[6] = x, items[1], items[0], table["five"]
            starts = [A[6], A[1]]
            T.copy(starts[0], B[7:9])
            T.copy(starts[1], B[9:11])
            B[11] = t[4]

    assert run(kernel, X).tolist() == [1, 2, 0, 6, 5, 4, 5, 6, 7, 1, 2, 100]


def test_a_swap_of_rows():
    @T.prim_func
    def kernel(A: T.Tensor((2, 8), "float32"), B: T.Tensor((2, 8), "float32")):
        with T.Kernel(1):
            t = T.alloc_shared((2, 8), "float32")
            T.copy(A, t)
            for i in T.Parallel(8):
                t[0, i], t[1, i] = t[1, i], t[0, i]
            T.copy(t, B)

    rows = np.stack([X, X + 10])
    assert run(kernel, rows).tolist() == rows[::-1].tolist()


def test_comprehensions_over_values_of_the_kernel():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), n: T.int32, B: T.Tensor((6,), "float32")):
        with T.Kernel(1):
            i = 5
            B[0] = sum(n * i for i in range(4))
            B[1] = sum([A[i + j] * n for i in range(3) for j in (1, 2) if i != j])
            B[2] = tuple(k + n for k in (1, 2))[1]
            B[3] = {k: n * v for k, v in enumerate((4, 5))}[1]
            B[4] = i
            B[5] = n**3

    assert run(kernel, X, 3).tolist() == [18, 3 * (1 + 2 + 3 + 3), 5, 15, 5, 27]


def test_lambdas_over_values_of_the_kernel():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), n: T.int32, B: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            scaled = lambda x, y: x * n + y  # noqa: E731
            for i in T.Parallel(8):
                B[i] = scaled(A[i], i)
            B[0] = max([3, 1, 2], key=lambda v: -v)

    assert run(kernel, X, 3).tolist() == [1, 4, 8, 12, 16, 20, 24, 28]


def test_loops_over_python_values():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(8) as i:
            for row, factor in enumerate([2.0, 3.0]):
                B[row, i] = A[i] * factor
            for row, name in {2: "exp2", 3: "sqrt"}.items():
                B[row, i] = getattr(T, name)(A[i])

    np.testing.assert_allclose(run(kernel, X), [X * 2, X * 3, 2**X, np.sqrt(X)], rtol=1e-6)


def test_grids_of_loops():
    @T.prim_func
    def kernel(A: T.Tensor((4, 2), "float32"), B: T.Tensor((2, 4), "float32"), S: T.Tensor((1,), "float32")):
        with T.Kernel(1):
            total = 0.0
            for i, j in T.grid(4, 2):
                B[j, i] = A[i, j]
                total += A[i, j]
            for i in T.vectorized(4):
                B[0, i] += 1
            S[0] = total

    b, s = run(kernel, X.reshape(4, 2), out_idx=(1, 2))
    assert (b == X.reshape(4, 2).T + [[1], [0]]).all() and s[0] == 28


def test_branches():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(8) as i:
            if A[i] == 0:
                B[i] = 10
            elif A[i] in (2, 3):
                B[i] = 20
            elif not 4 <= A[i] < 6 and A[i] not in [7]:
                B[i] = 30 if A[i] > 1 or A[i] == 1 else 31
            else:
                B[i] = 40

    assert run(kernel, X.astype(np.int32)).tolist() == [10, 30, 20, 20, 40, 40, 30, 40]


def test_macros_with_statements():
    @T.macro
    def store(target, i, value):
        if value > 3:
            target[i] = value
        else:
            target[i] = 0

    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(8) as i:
            store(B, i, A[i])

    assert run(kernel, X).tolist() == [0, 0, 0, 0, 4, 5, 6, 7]


def test_defaults():
    """Without a type a default is a constant; with one it is what callers may leave out."""

    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), scale: T.float32 = 2.0, rows=(0, 8), step=2):
        with T.Kernel(1):
            T.clear(B)
            for i in T.serial(rows[0], rows[1], step):
                B[i] = A[i] * scale

    assert [p.name for p in kernel.params] == ["A", "B", "scale"]
    compiled = tilepipe.compile(kernel, out_idx=[1], target="cpu")
    want = np.where(X % 2 == 0, X, 0)
    assert (compiled(X) == want * 2).all() and (compiled(X, 5.0) == want * 5).all()


def test_values_carried_by_loops():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            total, n = 0.0, 0
            for i in range(8):
                total += A[i]
                for j in range(2):
                    total = total + j
            for i in T.serial(4):
                n = n + i
            T.clear(B)
            B[n] = total

    assert run(kernel, X).tolist() == [0] * 6 + [36, 0]


def test_names_of_pipelined_loops_nest():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((2,), "float32")
            for i in T.Pipelined(2, num_stages=2):
                for j in T.Pipelined(2, num_stages=2):
                    T.copy(A[i * 4 + j * 2 : i * 4 + j * 2 + 2], s)
                    T.copy(s[:], B[i * 4 + j * 2])

    assert (run(kernel, X) == X).all()


def test_formats_of_strings():
    names = []

    def keep(name):
        names.append(name)

    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            keep(f"{3.14159:.2f}|{'x'!r}|{5:>{4}}|{8}")
            T.clear(A)

    kernel.script()
    assert names == ["3.14|'x'|   5|8"]
