"""Assertions in kernels: one that does not hold ends its block, and the call says where it stands."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T
from tilepipe import KernelError
from tilepipe.targets import is_built


def failing(kernel, *args):
    with pytest.raises(KernelError) as caught:
        kernel(*args)
    return caught.value


def blocks(statement):
    @T.prim_func
    def kernel(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(8) as b:
            s = T.alloc_shared((4096,), "int32")  # on the heap
            T.clear(s)
            B[b] = 1
            statement(A[b])
            B[b] = 2 + s[0]

    return tilepipe.compile(kernel, target="cpu")


@T.macro
def by_function(value):
    T.device_assert(value == 0, "is 0")


@T.macro
def by_statement(value):
    assert value == 0, "is 0"


@pytest.mark.parametrize("statement", [by_function, by_statement])
def test_the_block_ends_and_others_go_on(statement):
    kernel = blocks(statement)
    a, b = np.arange(8, dtype=np.int32) % 3 // 2, np.zeros(8, np.int32)
    error = failing(kernel, a, b)
    assert (b == 2 - a).all()
    assert error.message == "assertion failed: is 0"
    assert error.location.file == __file__ and "value == 0" in str(error) and "^" in str(error)
    # The next run is as the first: nothing was left behind.
    for _ in range(300):
        failing(kernel, a, b)
    b[:] = 0
    kernel(np.zeros(8, np.int32), b)
    assert (b == 2).all()


def test_is_a_runtime_error_too():
    with pytest.raises(RuntimeError, match="assertion failed: is 0"):
        blocks(by_statement)(np.ones(8, np.int32), np.zeros(8, np.int32))


def test_many_threads():
    kernel = blocks(by_function)
    wrong = []

    def run(seed):
        a = np.random.default_rng(seed).integers(0, 2, 8).astype(np.int32)
        b = np.zeros(8, np.int32)
        for _ in range(30):
            try:
                kernel(a, b)
                failed = False
            except KernelError:
                failed = True
            if failed != bool(a.any()) or not (b == 2 - a).all():
                wrong.append((a, b.copy()))

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_inside_of_loops():
    @T.prim_func
    def kernel(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(1):
            for i in T.serial(4):
                for j in T.Parallel(8):
                    assert A[i, j] >= 0, f"row {'i'}"
                    B[i, j] = T.sqrt(A[i, j])

    a, b = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)
    a[2, 3] = -1
    error = failing(tilepipe.compile(kernel, target="cpu"), a, b)
    assert error.message == "assertion failed: row i"
    assert (b[:2] == 1).all() and (b[3] == 0).all() and b[2, 3] == 0


def test_outside_of_blocks():
    n = T.dynamic("n")

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32")):
        assert n % 4 == 0, "a multiple of 4"
        with T.Kernel(n) as i:
            A[i] = 1

    compiled, a = tilepipe.compile(kernel, target="cpu"), np.zeros(6, np.int32)
    assert failing(compiled, a).message == "assertion failed: a multiple of 4" and (a == 0).all()
    compiled(a[:4])
    assert (a[:4] == 1).all()


@pytest.mark.parametrize("stages", [0, 2, 3])
def test_copies_in_flight_are_no_second_error(stages):
    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1):
            s = T.alloc_shared((8,), "int32")
            for k in T.Pipelined(8, num_stages=stages):
                T.copy(A[k * 8], s)
                T.device_assert(s[0] < 40, "below 40")
                T.copy(s, B[k * 8])

    compiled, a = tilepipe.compile(kernel, target="cpu"), np.arange(64, dtype=np.int32)
    b = np.zeros(64, np.int32)
    assert str(failing(compiled, a, b)).count("error:") == 1
    assert (b[:40] == a[:40]).all() and (b[40:] == 0).all()
    # There is nothing to compare with where the serial kernel fails.
    assert failing(compiled.check, a, b).message == "assertion failed: below 40"
    assert compiled.check(a % 40, b)


def test_the_place_is_the_callers_even_from_a_cache(tmp_path):
    program = """
import numpy as np, tilepipe, tilepipe.language as T
{lines}
@T.prim_func
def kernel(A: T.Tensor((4,), "int32")):
    with T.Kernel(1):
        assert A[0] == 0, "first is 0"
try:
    tilepipe.compile(kernel, target="cpu")(np.ones(4, np.int32))
except tilepipe.KernelError as error:
    print(error.location)
"""
    environment = {**os.environ, "TILEPIPE_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    for lines in (0, 5, 0, 5):  # two programs, each twice
        path = tmp_path / f"program_{lines}.py"
        path.write_text(program.format(lines="\n" * lines))
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120, env=environment)
        assert done.stdout == f"{path}:{7 + lines}:9\n", done.stderr


@pytest.mark.skipif(not is_built("cuda"), reason="the target is not part of this build")
def test_emitted_ptx():
    """The emulator knows the driver's function for assertions, and stops there."""

    @T.prim_func
    def kernel(A: T.Tensor((4,), "int32"), B: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=32) as b:
            assert A[b] < 7, "below 7"
            B[b] = A[b] + 1

    compiled, a, b = tilepipe.compile(kernel, target="cuda:sm_80"), np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    compiled.emulate(a, b)
    assert (b == a + 1).all()
    error = failing(compiled.emulate, a + 4, b)
    assert "an assertion does not hold" in error.message
    assert error.location.file == __file__ and "below 7" in str(error)


@pytest.mark.skipif(not is_built("cuda"), reason="the target is not part of this build")
def test_prints_are_for_the_cpu():
    @T.prim_func
    def kernel(A: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=32) as b:
            T.print(A[b], "value")

    with pytest.raises(KernelError, match="T.print is for target 'cpu', this is 'cuda:sm_80'") as caught:
        tilepipe.compile(kernel, target="cuda:sm_80")
    assert 'T.print(A[b], "value")' in str(caught.value)
