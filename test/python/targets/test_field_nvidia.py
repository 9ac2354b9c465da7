"""Barriers, layouts and copies that other compilers for GPUs got wrong, in kernels of ours: one test for each case."""

import re

import gemm
import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.runtime.arguments import view_of
from tilepipe.targets import is_built
from tilepipe.targets.accelerator import unpacked

if not is_built("cuda"):
    pytest.skip("this build has no target cuda", allow_module_level=True)
NUMBERS = np.random.default_rng(7)


def compiled(func, out_idx=(-1,)):
    return tilepipe.compile(func, out_idx=list(out_idx), target="cuda:sm_80")


def is_right(kernel, *args, **options):
    report = kernel.check(*args, seeds=1, **options)
    assert report, repr(report)


def small(dtype, *shape):
    return NUMBERS.integers(-3, 4, shape).astype(dtype)


def copies(kernel):
    """The sizes in bytes of the asynchronous copies."""
    return [int(size) for size in re.findall(r"cp\.async\.c[ag]\.shared\.global\s[^;]*\], (\d+)", kernel.get_kernel_source())]


def statistics(kernel, *arrays):
    """How often the instructions of a run were executed, and where banks of shared memory conflict."""
    emulation = kernel.emulation()
    program, arguments = emulation.program, [view_of(array, "") for array in arrays]
    (launch,), (function,) = program.launches.of(arguments), program.code.functions
    report = emulation.module.launch(function.name, launch.grid, launch.threads, function.shared_bytes,
                                     unpacked(program.entry.params, arguments), census=True)  # fmt: skip
    assert report, str(report)
    return report.statistics


# WAIT-16: a condition from memory that is the same for all threads keeps the barrier of its branch.


def test_wait16_barrier_in_a_uniform_branch():
    @T.prim_func
    def kernel(mask: T.Tensor((4,), "int32"), V: T.Tensor((4, 128), "float32"), O: T.Tensor((4, 128), "float32")):
        with T.Kernel(4, threads=128) as bx:
            m, s = T.alloc_fragment((1,), "int32"), T.alloc_shared((128,), "float32")
            for i in T.Parallel(128):
                O[bx, i] = 0.0
            m[0] = mask[bx]
            if m[0] >= 0:
                for i in T.Parallel(128):
                    s[i] = V[bx, i] + 1.0
                for i in T.Parallel(128):
                    O[bx, i] = s[127 - i]

    k = compiled(kernel)
    mask = np.array([3, -1, 0, -7], np.int32)
    V = small(np.float32, 4, 128)
    is_right(k, mask, V, np.zeros_like(V))
    report = k.check(mask, V, np.zeros_like(V), seeds=1, mutants=True)
    assert report.mutants and not report.undetected


# WAIT-17, WAIT-20: conditions that differ between threads hold no barrier.


@pytest.mark.parametrize("threads", [96, 128])
def test_wait17_guards_that_cut_warps(threads):
    @T.prim_func
    def kernel(V: T.Tensor((128,), "float32"), O: T.Tensor((128,), "float32"), P: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=threads):
            s, t = T.alloc_shared((128,), "float32"), T.alloc_shared((80,), "float32")
            for i in T.Parallel(128):
                if i < 48 or i >= 80:
                    s[i] = 0.0
                else:
                    s[i] = V[i]
            for i in T.Parallel(128):
                if i < 80:
                    t[i] = V[i] * 2.0
                O[i] = s[127 - i]
            for i in T.Parallel(128):
                if i < 80:
                    P[i] = t[79 - i]
                else:
                    P[i] = -1.0

    k = compiled(kernel, (-2, -1))
    V = small(np.float32, 128)
    report = k.check(V, V * 0, V * 0, seeds=1, mutants=True)
    assert report and not report.undetected, repr(report)
    for policy in ("eager", "late"):
        O, P = k.emulate(V, policy=policy)
        i = np.arange(128)
        np.testing.assert_array_equal(O, np.where((i < 48) | (i >= 80), 0, V)[::-1])
        np.testing.assert_array_equal(P, np.where(i < 80, V[np.maximum(79 - i, 0)] * 2, -1))


def test_wait20_neighbouring_ifs_with_one_condition():
    @T.prim_func
    def kernel(O: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((64,), "float32")
            for t in T.Parallel(64):
                O[t] = 0.0
            for t in T.Parallel(64):
                if t < 40:
                    s[t] = T.cast(t, "float32")
            for t in T.Parallel(64):
                if t < 40:
                    O[t] = s[39 - t]

    k = compiled(kernel)
    want = np.concatenate([np.arange(40)[::-1], np.zeros(24)])
    for policy in ("eager", "late", "random"):
        np.testing.assert_array_equal(k.emulate(policy=policy), want)
    report = k.check(seeds=1, mutants=True)
    assert report.mutants and not report.undetected


# LAY-01: a layout of a tile that gets versions.


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_lay01_annotated_tile_with_versions(depth):
    @T.prim_func
    def kernel(A: T.Tensor((64, 48 * 6), "float16"), O: T.Tensor((64, 48 * 6), "float16")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((64, 48), "float16")
            T.annotate_layout({s: lambda i, j: i * 48 + j})
            for k in T.Pipelined(6, num_stages=depth):
                T.copy(A[0, k * 48], s)
                for i, j in T.Parallel(64, 48):
                    O[i, k * 48 + j] = s[63 - i, j]

    k = compiled(kernel)
    A = small(np.float16, 64, 48 * 6)
    for policy in ("late", "random"):
        np.testing.assert_array_equal(k.emulate(A, policy=policy), A[::-1])
    assert k.plan.loops[0].depth == depth


# The tiles of a product are swizzled in each of their versions.


@pytest.mark.parametrize("transpose_B", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_swizzled_versions_have_no_bank_conflicts(depth, transpose_B):
    func = gemm.gemm(64, 64, 192, 64, 64, 32, depth, transpose_B=transpose_B)
    k = compiled(func)
    A, B = small(np.float16, 64, 192), small(np.float16, *((64, 192) if transpose_B else (192, 64)))
    assert not statistics(k, A, B, np.zeros((64, 64), np.float32))["bank_conflicts"]


def test_the_census_sees_columns():
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "float32"), O: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((32, 32), "float32")
            T.copy(A, s)
            for i, j in T.Parallel(32, 32):
                O[i, j] = s[j, i]

    A = small(np.float32, 32, 32)
    assert statistics(compiled(kernel), A, A * 0)["bank_conflicts"]


# LAY-04: one tile, read by a product, a reduction and a store.


@pytest.mark.parametrize("depth", [1, 3])
def test_lay04_two_users_of_one_tile(depth):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 64), "float32"), Y: T.Tensor((64,), "float16"),
               D: T.Tensor((64, 128), "float16")):
        with T.Kernel(1, threads=128):
            a, c = T.alloc_shared((64, 32), "float16"), T.alloc_fragment((64, 64), "float32")
            y = T.alloc_fragment((64,), "float16")
            T.clear(c)
            T.fill(y, -1000.0)
            for k in T.Pipelined(4, num_stages=depth):
                T.copy(A[0, k * 32], a)
                T.gemm(a, a, c, transpose_B=True)
                T.reduce_max(a, y, dim=1, clear=False)
                T.copy(a, D[0, k * 32])
            T.copy(c, C)
            T.copy(y, Y)

    k = compiled(kernel, (-3, -2, -1))
    assert "ldmatrix" in k.get_kernel_source()
    A = small(np.float16, 64, 128)
    for policy in ("late", "random"):
        C, Y, D = k.emulate(A, policy=policy)
        np.testing.assert_array_equal(C, A.astype(np.float32) @ A.astype(np.float32).T)
        np.testing.assert_array_equal(Y, A.max(1))
        np.testing.assert_array_equal(D, A)


# LAY-05: a layout that sends several elements to one place is a hint like any other, and aliases nothing.


def test_lay05_layout_of_many_to_one():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32"), O: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((64,), "float32")
            T.annotate_layout({s: lambda i: i // 2})
            T.copy(A, s)
            for i in T.Parallel(64):
                O[i] = s[63 - i]

    A = small(np.float32, 64)
    np.testing.assert_array_equal(compiled(kernel).emulate(A, policy="late"), A[::-1])


# LAY-07, PERF-08: warps that do not divide the tile, and widths that are odd multiples of the instruction's.


@pytest.mark.parametrize("M, N, threads", [(192, 104, 192), (192, 112, 192), (48, 96, 160), (64, 208, 128), (64, 136, 128), (32, 248, 64)])
def test_lay07_perf08_odd_tiles(M, N, threads):
    k = compiled(gemm.gemm(M, N, 32, M, N, 32, 2, threads))
    A, B = small(np.float16, M, 32), small(np.float16, N, 32)
    np.testing.assert_array_equal(k.emulate(A, B, policy="late"), gemm.reference(A, B))
    assert ("mma.sync" in k.get_kernel_source()) == (N % 16 == 0)


# DIAG-01: barriers are the compiler's; asking for one is an error that names it.


def test_diag01_barrier_of_another_chip():
    with pytest.raises(tilepipe.KernelError, match="alloc_barrier") as caught:

        @T.prim_func
        def kernel(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=32):
                T.alloc_barrier(128)
                A[0] = 1.0

        compiled(kernel)
    assert caught.value.location.file == __file__


# DIAG-02: a serial loop over a fragment that is spread over threads.


def test_diag02_serial_loop_over_a_fragment():
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float16"), S: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            a, b = T.alloc_shared((32, 32), "float16"), T.alloc_shared((32, 32), "float16")
            c, s = T.alloc_fragment((32, 32), "float32"), T.alloc_fragment((32,), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.clear(s)
            T.gemm(a, b, c)
            for j in T.serial(32):
                for i in T.Parallel(32):
                    s[i] = s[i] + c[i, j]
            T.copy(s, S)

    k = compiled(kernel)
    A, B = small(np.float16, 32, 32), small(np.float16, 32, 32)
    want = (A.astype(np.float32) @ B.astype(np.float32)).sum(1)
    np.testing.assert_array_equal(k.emulate(A, B, policy="late"), want)


# PERF-01: guarded copies stay asynchronous.


@pytest.mark.parametrize("depth", [1, 2])
def test_perf01_guarded_copies(depth):
    @T.prim_func
    def kernel(A: T.Tensor((T.dynamic("n"), 64), "float16"), O: T.Tensor((T.dynamic("n"), 64), "float16")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((32, 64), "float16")
            for r in T.Pipelined(T.ceildiv(A.shape[0], 32), num_stages=depth):
                T.copy(A[r * 32, 0], s)
                for i, j in T.Parallel(32, 64):
                    if r * 32 + i < A.shape[0]:
                        O[r * 32 + i, j] = s[i, j] + 1.0

    k = compiled(kernel)
    assert copies(k) and set(copies(k)) == {16}
    is_right(k, sizes={"n": 77})


def test_perf01_guarded_elements():
    """Only `T.copy` is asynchronous: elements one by one are right, and the loop is not overlapped."""

    @T.prim_func
    def kernel(A: T.Tensor((T.dynamic("n"), 64), "float32"), O: T.Tensor((T.dynamic("n"), 64), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((32, 64), "float32")
            for r in T.Pipelined(T.ceildiv(A.shape[0], 32), num_stages=2):
                for i, j in T.Parallel(32, 64):
                    if r * 32 + i < A.shape[0]:
                        s[i, j] = A[r * 32 + i, j]
                for i, j in T.Parallel(32, 64):
                    if r * 32 + i < A.shape[0]:
                        O[r * 32 + i, j] = s[i, j] + 1.0

    k = compiled(kernel)
    assert not copies(k) and not any(statement.is_async for loop in k.plan.loops for statement in loop.statements)
    is_right(k, sizes={"n": 77})


# PERF-03: copies are as wide as the asynchronous instruction, not wider.


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_perf03_widths(dtype):
    @T.prim_func
    def kernel(A: T.Tensor((64, 512), dtype), O: T.Tensor((64, 512), dtype)):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((64, 64), dtype)
            for k in T.Pipelined(8, num_stages=3):
                T.copy(A[0, k * 64], s)
                for i, j in T.Parallel(64, 64):
                    O[i, k * 64 + j] = s[i, j] + 1.0

    k = compiled(kernel)
    assert copies(k) and set(copies(k)) == {16}
    assert all(statement.is_async for statement in k.plan.loops[0].statements[:1])


# PERF-04: barriers of an iteration, each of which is needed.


def attention(steps, depth):
    @T.prim_func
    def kernel(Q: T.Tensor((64, 32), "float16"), K: T.Tensor((steps * 32, 32), "float16"),
               V: T.Tensor((steps * 32, 32), "float16"), O: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=128):
            q, k, v = (T.alloc_shared((rows, 32), "float16") for rows in (64, 32, 32))
            p = T.alloc_shared((64, 32), "float16")
            s, o = T.alloc_fragment((64, 32), "float32"), T.alloc_fragment((64, 32), "float32")
            top, new, total = (T.alloc_fragment((64,), "float32") for _ in range(3))
            T.copy(Q, q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1000.0)
            for ko in T.Pipelined(steps, num_stages=depth):
                T.copy(K[ko * 32, 0], k)
                T.copy(V[ko * 32, 0], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                T.copy(top, new)
                T.reduce_max(s, new, dim=1, clear=False)
                for i, j in T.Parallel(64, 32):
                    s[i, j] = T.exp(s[i, j] - new[i])
                for i in T.Parallel(64):
                    total[i] *= T.exp(top[i] - new[i])
                T.reduce_sum(s, total, dim=1, clear=False)
                for i, j in T.Parallel(64, 32):
                    o[i, j] *= T.exp(top[i] - new[i])
                T.copy(new, top)
                T.copy(s, p)
                T.gemm(p, v, o)
            for i, j in T.Parallel(64, 32):
                o[i, j] /= total[i]
            T.copy(o, O)

    return compiled(kernel)


def executed_barriers(kernel, steps):
    arrays = [small(np.float16, 64, 32), *(small(np.float16, steps * 32, 32) for _ in range(2)), np.zeros((64, 32), np.float32)]
    return statistics(kernel, *arrays)["barriers"] // 4  # warps


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_perf04_barriers_of_an_iteration(depth):
    # K has come; K may be overwritten; parts of the maxima are written; their place is free for sums; those are written;
    # V and p have come; V and p may be overwritten.
    before, after = (executed_barriers(attention(steps, depth), steps) for steps in (6, 7))
    assert after - before == 7
    report = attention(4, depth).check(seeds=1, mutants=True)
    assert report and report.mutants and not report.undetected, repr(report)
