"""`break` and `continue` against the same loops in Python."""

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T
from tilepipe import KernelError

ROWS = np.array([[1, 2, -1, 4, 0, 6, 7, 8], [-1, 1, 1, 1, 1, 1, 1, 1], [1, 0, 1, 0, 1, 0, 1, 9],
                 [0, 0, 0, 0, 0, 0, 0, 0], [5, 5, 5, 5, 5, 5, 5, -1]], np.int32)  # fmt: skip


def same_as_python(body, columns=8, rows=ROWS):
    """Runs ``body(A, B)``, one row each, as a kernel and as Python."""

    inlined = T.macro(body)

    @T.prim_func
    def kernel(A: T.Tensor(rows.shape, "int32"), B: T.Tensor((len(rows), columns), "int32")):
        with T.Kernel(len(rows)) as row:
            a, b = T.alloc_shared((rows.shape[1],), "int32"), T.alloc_shared((columns,), "int32")
            T.copy(A[row, 0], a)
            T.clear(b)
            inlined(a, b)
            T.copy(b, B[row, 0])

    got = tilepipe.compile(kernel, out_idx=[1], target="cpu")(rows)
    want = np.zeros_like(got)
    for a, b in zip(rows, want, strict=True):
        body(a, b)
    assert (got == want).all(), (got, want)


def test_break_of_a_serial_loop():
    def body(A, B):
        total, seen = 0, 0
        for i in range(8):
            if A[i] < 0:
                break
            total += A[i]
            seen = i + 1
        B[0] = total
        B[1] = seen

    same_as_python(body)


def test_continue_of_a_serial_loop():
    def body(A, B):
        total = 0
        for i in range(1, 8, 2):
            if A[i] == 0:
                B[0] += 1
                continue
            total += A[i]
            B[i] = total

    same_as_python(body)


def test_both_in_one_loop():
    def body(A, B):
        for i in range(7, -1, -1):
            if A[i] == 0:
                continue
            elif A[i] > 5:
                if A[i] > 7:
                    B[1] = 1
                    break
                B[2] += 1
            else:
                B[3] += A[i]
                continue
            B[4] += i

    same_as_python(body)


def test_break_of_a_while_loop():
    def body(A, B):
        i = 0
        while i < 8:
            if A[i] < 0:
                break
            i += 1
            if A[i - 1] == 0:
                continue
            B[0] += A[i - 1]
        B[1] = i

    same_as_python(body)


def test_condition_is_not_evaluated_after_a_break():
    """The element behind the last one is not read."""

    def body(A, B):
        i = 0
        while A[i] < 100:
            i += 1
            if i == 8:
                break
        B[0] = i

    same_as_python(body)


def test_loop_without_a_condition():
    def body(A, B):
        i = 0
        while True:
            if i >= 8 or A[i] < 0:
                break
            B[i] = A[i] + 1
            i += 1

    same_as_python(body)


def test_jumps_of_nested_loops():
    def body(A, B):
        for i in range(4):
            if A[i] == 5:
                continue
            for j in range(4, 8):
                if A[j] == A[i]:
                    B[0] += 1
                    break
                if A[j] > 6:
                    continue
                B[1] += A[j]
            else_ = A[i]
            if else_ < 0:
                break
            B[2] += 1

    same_as_python(body)


def test_jumps_that_are_known_while_the_kernel_is_staged():
    flag = True

    def body(A, B):
        for i in range(8):
            if flag:
                B[i] = A[i]
                continue
            B[i] = 7
        for i in range(8):
            if flag:
                break
            B[i] = 9

    same_as_python(body)


def test_statements_after_a_jump_are_dead():
    def body(A, B):
        for i in range(8):
            B[i] = A[i]
            break
            B[i] = 7

    same_as_python(body)


def test_jumps_of_loops_over_python_values():
    def body(A, B):
        for i in [2, 0, 1]:
            if A[i] < 0:
                break
            if A[i] == 0:
                continue
            B[i] = A[i]
        for i in (3, 4, 5):
            if i == 5:
                break
            B[i] = i

    same_as_python(body)


def test_unrolled_loop():
    @T.prim_func
    def kernel(A: T.Tensor(ROWS.shape, "int32"), B: T.Tensor((len(ROWS),), "int32")):
        with T.Kernel(len(ROWS)) as row:
            total = 0
            for i in T.unroll(8):
                if A[row, i] < 0:
                    break
                total += A[row, i]
            B[row] = total

    want = [sum(r[: np.argmax(r < 0) if (r < 0).any() else None]) for r in ROWS]
    assert tilepipe.compile(kernel, out_idx=[1], target="cpu")(ROWS).tolist() == want


def test_grid_of_loops_is_left_as_one_loop():
    @T.prim_func
    def kernel(A: T.Tensor((5, 8), "int32"), B: T.Tensor((5, 8), "int32")):
        with T.Kernel(1):
            T.clear(B)
            for i, j in T.grid(5, 8):
                if A[i, j] == 0:
                    continue
                if A[i, j] == 9:
                    break
                B[i, j] = A[i, j]

    want = ROWS.copy().reshape(-1)
    want[np.argmax(want == 9) :] = 0
    assert (tilepipe.compile(kernel, out_idx=[1], target="cpu")(ROWS).reshape(-1) == want).all()


def test_continue_skips_a_point_of_parallel():
    @T.prim_func
    def kernel(A: T.Tensor((5, 8), "int32"), B: T.Tensor((5, 8), "int32")):
        with T.Kernel(1):
            for i, j in T.Parallel(5, 8):
                B[i, j] = -5
                if A[i, j] <= 0:
                    continue
                B[i, j] = A[i, j]

    got = tilepipe.compile(kernel, out_idx=[1], target="cpu")(ROWS)
    assert (got == np.where(ROWS <= 0, -5, ROWS)).all()


@pytest.mark.parametrize("stages", [0, 1, 2, 3])
def test_continue_of_a_pipelined_loop(stages):
    @T.prim_func
    def kernel(A: T.Tensor((12, 16), "float32"), M: T.Tensor((12,), "int32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            a, total = T.alloc_shared((16,), "float32"), T.alloc_fragment((16,), "float32")
            T.clear(total)
            for i in T.Pipelined(12, num_stages=stages):
                T.copy(A[i, 0], a)
                if M[i] == 0:
                    continue
                for j in T.Parallel(16):
                    total[j] += a[j]
            T.copy(total, B)

    compiled = tilepipe.compile(kernel, out_idx=[2], target="cpu")
    rng = np.random.default_rng(5)
    a, mask = rng.integers(-9, 9, (12, 16)).astype(np.float32), rng.integers(0, 2, 12).astype(np.int32)
    assert (compiled(a, mask) == (a * mask[:, None]).sum(0)).all()
    assert compiled.check(a, mask, np.zeros(16, np.float32))


def test_trip_counts_that_are_known_when_called():
    n = T.dynamic("n")

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), limit: T.int32, B: T.Tensor((1,), "int32")):
        with T.Kernel(1):
            B[0] = -1
            for i in T.serial(n):
                if A[i] > limit:
                    B[0] = i
                    break

    compiled = tilepipe.compile(kernel, out_idx=[2], target="cpu")
    for size in (0, 1, 5, 100):
        a = np.arange(size, dtype=np.int32)
        assert [compiled(a, limit)[0] for limit in (-1, 3, 200)] == [0 if size else -1, 4 if size > 4 else -1, -1]


def test_a_loop_that_never_ends():
    @T.prim_func
    def kernel(A: T.Tensor((4,), "int32")):
        with T.Kernel(1):
            while True:
                A[0] = 1

    with pytest.raises(KernelError, match="a loop whose condition is constant never ends; leave it with 'break'"):
        tilepipe.compile(kernel, target="cpu")
