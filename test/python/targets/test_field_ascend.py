"""Synchronisation that other compilers for Ascend got wrong, in kernels of ours: one test for each case."""

import re

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
import vector_add
from tilepipe.targets import is_built

if not is_built("ascend"):
    pytest.skip("this build has no target ascend", allow_module_level=True)
FLAG = re.compile(r"(set|wait)_flag\(PIPE_(\w+), PIPE_(\w+), (\(event_t\)[^;]*|EVENT_ID\d+)\);")
NUMBERS = np.random.default_rng(7)


def compiled(func, out_idx=(-1,)):
    return tilepipe.compile(func, out_idx=list(out_idx), target="ascend:dav-2201")


def flags(text):
    """(set or wait, from, to, id) of each flag, in order."""
    return [match.groups() for match in FLAG.finditer(text)]


def pairs(text):
    return {(source, target) for _, source, target, _ in flags(text)}


def loop(text):
    """The body of the outermost loop that comes first."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  for ("))
    return "\n".join(lines[first + 1 : lines.index("  }", first)])


def is_right(kernel, *args, **options):
    report = kernel.check(*args, seeds=1, **options)
    assert report, repr(report)
    assert "PIPE_ALL" not in re.sub(r"  pipe_barrier\(PIPE_ALL\);[^\n]*\n}", "", kernel.get_kernel_source())
    assert all(source != target for source, target in pairs(kernel.get_kernel_source()))


def floats(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


# ASC-01: a buffer that was copied in and one that the vector unit has filled meet in one instruction.


def test_asc01_copied_and_filled():
    @T.prim_func
    def kernel(G: T.Tensor((64,), "float32"), R: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            p, q = T.alloc_shared((64,), "float32"), T.alloc_fragment((64,), "float32")
            r = T.alloc_fragment((64,), "float32")
            T.copy(G, p)
            T.fill(q, 2.0)
            for i in T.Parallel(64):
                r[i] = p[i] + q[i]
            T.copy(r, R)

    k = compiled(kernel)
    text = k.get_kernel_source()
    assert [flag[:3] for flag in flags(text)].count(("set", "MTE2", "V")) == 1
    # On this chip the vector unit starts in order, but does not complete in order.
    assert text.count("pipe_barrier(PIPE_V)") == 1
    is_right(k, mutants=True)
    assert not k.check(seeds=1, mutants=True).undetected


# ASC-04, ASC-11: pairs of flags for each slot, and nothing that stops all pipes.


@pytest.mark.parametrize("depth", [2, 3])
def test_asc04_asc11_flags_of_slots(depth):
    k = compiled(vector_add.vector_add(64 * 12, 64, 12, depth))
    body = loop(k.get_kernel_source())
    assert "pipe_barrier" not in body
    assert pairs(body) >= {("MTE2", "V"), ("V", "MTE2"), ("V", "MTE3"), ("MTE3", "V")}
    for kind, source, target, number in flags(body):
        # What is copied in has slots, what is copied out has one.
        assert number.startswith("(event_t)") == ("MTE2" in (source, target)), (kind, source, target, number)
    assert len(re.findall(rf"% {depth};", body)) >= 2
    is_right(k)


# ASC-05: elements of a vector buffer, stored one by one.


def test_asc05_elements_one_by_one():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            u = T.alloc_fragment((8,), "float32")
            T.copy(A, u)
            for i in T.Parallel(8):
                u[i] = u[i] * 2.0
            for i in T.serial(8):
                B[i] = u[i]

    k = compiled(kernel)
    text = k.get_kernel_source()
    assert flags(text)[-2:] == [(kind, "V", "S", "EVENT_ID0") for kind in ("set", "wait")]
    assert not flags(loop(text)) and "pipe_barrier" not in loop(text)
    is_right(k)


# ASC-06: two workspaces, used in one order by the cube core and in the other by the vector cores.


def test_asc06_two_workspaces():
    @T.prim_func
    def kernel(A: T.Tensor((16, 16), "float16"), B: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), "float32"),
               D: T.Tensor((16, 16), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((16, 16), "float16"), T.alloc_shared((16, 16), "float16")
            c, d = T.alloc_fragment((16, 16), "float32"), T.alloc_fragment((16, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.clear(d)
            T.gemm(a, b, c)
            T.gemm(b, a, d)
            for i, j in T.Parallel(16, 16):
                d[i, j] = d[i, j] + 1.0
            T.copy(d, D)
            for i, j in T.Parallel(16, 16):
                c[i, j] = c[i, j] * 2.0
            T.copy(c, C)

    k = compiled(kernel, (-2, -1))
    cube, vector = k.get_kernel_source().split("__DAV_C220_VEC__")
    sets = sorted(re.findall(r"ffts_cross_core_sync\([^;]*\)", cube))
    waits = re.findall(r"wait_flag_dev\((\d+)\)", vector)
    assert len(sets) == len(waits) == len(set(waits)) == 2, (sets, waits)
    is_right(k, mutants=True)


# ASC-09: columns, whose rows are narrower than a block, and a reader between the write and the read that counts.


@pytest.mark.parametrize("M", [1, 2, 7, 8, 9, 16, 17])
def test_asc09_narrow_rows(M):
    @T.prim_func
    def kernel(G: T.Tensor((M, 1), "float32"), H: T.Tensor((M, 1), "float32"), Y: T.Tensor((M, 16), "float32")):
        with T.Kernel(1):
            s, y = T.alloc_shared((M, 1), "float32"), T.alloc_fragment((M, 16), "float32")
            T.copy(G, s)
            T.copy(s, H)
            for i, j in T.Parallel(M, 16):
                y[i, j] = s[i, 0]
            T.copy(y, Y)

    k = compiled(kernel, (-2, -1))
    # What broadcasts waits for the load through the store, which has the tile in between.
    assert pairs(k.get_kernel_source()) >= {("MTE2", "MTE3"), ("MTE3", "V" if M > 1 else "S")}
    bursts = re.findall(r"copy_\w+_align_b32\([^;]*\)", k.get_kernel_source())
    assert len(bursts) == 3 and all(f", 0, 1, {M * 4}, " in burst for burst in bursts[:2]), bursts
    G = floats(M, 1)
    H, Y = k.emulate(G, policy="late")
    np.testing.assert_array_equal(H, G)
    np.testing.assert_array_equal(Y, np.repeat(G, 16, 1))
    if M == 17:
        is_right(k, mutants=True)


def test_asc09_a_column_of_a_matrix_is_refused():
    @T.prim_func
    def kernel(G: T.Tensor((16, 4), "float32"), H: T.Tensor((16, 4), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((16, 1), "float32")
            T.copy(G[0:16, 1:2], s)
            T.copy(s, H[0:16, 2:3])

    with pytest.raises(tilepipe.KernelError, match="rows of 1 elements of float32 in the UB") as caught:
        compiled(kernel).get_kernel_source()
    assert caught.value.location.file == __file__


# ASC-12: the first use of a copy stands in a loop that may not run.


@pytest.mark.parametrize("n", [0, 1, 3])
def test_asc12_loop_that_may_not_run(n):
    @T.prim_func
    def kernel(G: T.Tensor((64,), "float32"), n: T.int32, X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s, x, y = T.alloc_shared((64,), "float32"), T.alloc_fragment((64,), "float32"), T.alloc_fragment((64,), "float32")
            T.clear(x)
            T.copy(G, s)
            for _ in T.serial(n):
                for i in T.Parallel(64):
                    x[i] = s[i] + 1.0
            for i in T.Parallel(64):
                y[i] = s[i] * 0.5
            T.copy(x, X)
            T.copy(y, Y)

    is_right(compiled(kernel, (-2, -1)), floats(64), n, np.zeros(64, np.float32), np.zeros(64, np.float32))


# ASC-13: a slot that is written in either branch.


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_asc13_written_in_either_branch(depth):
    @T.prim_func
    def kernel(A: T.Tensor((6, 64), "float32"), B: T.Tensor((6, 64), "float32"), m: T.int32, C: T.Tensor((6, 64), "float32")):
        with T.Kernel(1):
            s, c = T.alloc_shared((64,), "float32"), T.alloc_fragment((64,), "float32")
            for i in T.Pipelined(6, num_stages=depth):
                if i < m:
                    T.copy(A[i, 0:64], s)
                else:
                    T.copy(B[i, 0:64], s)
                for j in T.Parallel(64):
                    c[j] = s[j] + 1.0
                T.copy(c, C[i, 0:64])

    k = compiled(kernel)
    A, B = floats(6, 64), floats(6, 64)
    for m in (0, 2, 6):
        is_right(k, A, B, m, np.zeros_like(A))


# ASC-14: flags stay with the work of their guard.


@pytest.mark.parametrize("depth", [1, 2])
def test_asc14_guarded_steps(depth):
    @T.prim_func
    def kernel(A: T.Tensor((4, 64), "float32"), r: T.int32, C: T.Tensor((4, 64), "float32")):
        with T.Kernel(1):
            s, c = T.alloc_shared((64,), "float32"), T.alloc_fragment((64,), "float32")
            T.clear(c)
            for i in T.Pipelined(4, num_stages=depth):
                if i < r:
                    T.copy(A[i, 0:64], s)
                    for j in T.Parallel(64):
                        c[j] = c[j] + s[j]
                T.copy(c, C[i, 0:64])

    k = compiled(kernel)
    A = NUMBERS.integers(-4, 5, (4, 64)).astype(np.float32)
    for r in range(5):
        is_right(k, A, r, np.zeros_like(A))


# ASC-15: what was stored is read again, from global memory.


def test_asc15_stored_and_read_again():
    @T.prim_func
    def kernel(A: T.Tensor((4, 64), "float32"), G: T.Tensor((4, 64), "float32"), R: T.Tensor((4, 64), "float32")):
        with T.Kernel(1):
            t, u = T.alloc_fragment((64,), "float32"), T.alloc_shared((64,), "float32")
            for i in T.serial(4):
                T.copy(A[i, 0:64], t)
                for j in T.Parallel(64):
                    t[j] = t[j] + 1.0
                T.copy(t, G[i, 0:64])
                T.copy(G[i, 0:64], u)
                T.copy(u, R[i, 0:64])

    k = compiled(kernel, (-2, -1))
    assert ("MTE3", "MTE2") in pairs(k.get_kernel_source())
    is_right(k, mutants=True)


# ASC-16: more slots than a pair of pipes has flags.


def test_asc16_nine_slots():
    k = compiled(vector_add.vector_add(64 * 24, 64, 24, 9))
    text = k.get_kernel_source()
    assert all(int(number) < 6 for number in re.findall(r"EVENT_ID(\d+)", text))
    assert "(event_t)" not in text
    is_right(k)


# ASC-17: sums that vector cores take in each round of a loop are refused; what the flags of both directions would be
# is tested on the ascend dialect.


@pytest.mark.parametrize("rounds", [1, 6])
def test_asc17_sums_in_a_loop(rounds):
    @T.prim_func
    def kernel(A: T.Tensor((rounds, 16, 16), "float16"), B: T.Tensor((16, 16), "float16"),
               C: T.Tensor((rounds, 16, 16), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((16, 16), "float16"), T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.copy(B, b)
            for k in T.serial(rounds):
                T.copy(A[k, 0:16, 0:16], a)
                T.clear(c)
                T.gemm(a, b, c)
                for i, j in T.Parallel(16, 16):
                    c[i, j] = c[i, j] + 1.0
                T.copy(c, C[k, 0:16, 0:16])

    with pytest.raises(tilepipe.KernelError, match="sums of a gemm that element-wise code uses before the last gemm") as caught:
        compiled(kernel)
    assert caught.value.location.file == __file__


# ASC-18: unrolled steps use one tile again.


@pytest.mark.parametrize("alloc_inside", [False, True])
def test_asc18_unrolled_loop(alloc_inside):
    N, steps = 8192, 19

    @T.prim_func
    def kernel(X: T.Tensor((steps, N), "bfloat16"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1):
            top = T.alloc_fragment((N,), "float32")
            x, wide = T.alloc_shared((N,), "bfloat16"), T.alloc_fragment((N,), "float32")
            T.fill(top, -1000.0)
            for s in T.unroll(steps):
                if alloc_inside:
                    x, wide = T.alloc_shared((N,), "bfloat16"), T.alloc_fragment((N,), "float32")
                T.copy(X[s, 0:N], x)
                for i in T.Parallel(N):
                    wide[i] = T.cast(x[i], "float32")
                    top[i] = T.max(top[i], wide[i])
            T.copy(top, Y)

    k = compiled(kernel)
    assert k.resources.memory["ub"].bytes <= 192 * 1024
    is_right(k)


# ASC-19: more blocks than cores.


@pytest.mark.parametrize("blocks", [1, 2, 24, 48, 128])
def test_asc19_more_blocks_than_cores(blocks):
    @T.prim_func
    def kernel(A: T.Tensor((blocks, 16, 64), "float16"), B: T.Tensor((blocks, 16, 64), "float16"),
               C: T.Tensor((blocks, 16), "float32")):
        with T.Kernel(blocks) as bx:
            a, b = T.alloc_shared((16, 32), "float16"), T.alloc_shared((16, 32), "float16")
            c, top = T.alloc_fragment((16, 16), "float32"), T.alloc_fragment((16,), "float32")
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[bx, 0:16, k * 32 : k * 32 + 32], a)
                T.copy(B[bx, 0:16, k * 32 : k * 32 + 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.reduce_max(c, top, dim=1)
            T.copy(top, C[bx, 0:16])

    k = compiled(kernel)
    A, B = (NUMBERS.integers(-3, 4, (blocks, 16, 64)).astype(np.float16) for _ in range(2))
    wide = np.einsum("bik,bjk->bij", A.astype(np.float32), B.astype(np.float32))
    for policy in ("late", "random"):
        np.testing.assert_array_equal(k.emulate(A, B, policy=policy), wide.max(2))


# DIAG-12: a barrier over all cores is not in the language; saying so is not a crash.


def test_diag12_barrier_without_arguments():
    with pytest.raises(tilepipe.KernelError, match="sync_all") as caught:

        @T.prim_func
        def kernel(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                T.sync_all()
                A[0] = 1.0

        compiled(kernel)
    assert caught.value.location.file == __file__
