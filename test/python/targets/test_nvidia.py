"""PTX: what the assembler says of it, and what a call and the resources say."""

import pathlib

import gemm
import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.runtime import cuda
from tilepipe.targets import Issue, is_built, ptxas
from vector_add import vector_add

pytestmark = pytest.mark.skipif(not is_built("cuda"), reason="this build has no NVIDIA target")
needs_ptxas = pytest.mark.skipif(ptxas.find() is None, reason="ptxas is not at hand")


@needs_ptxas
@pytest.mark.parametrize("threads", [128, 256])
@pytest.mark.parametrize("transpose_B", [True, False])
def test_a_large_tile_spills_nothing(threads, transpose_B):
    func = gemm.gemm(1024, 1024, 1024, 128, 128, 32, 3, threads, transpose_B)
    kernel = tilepipe.compile(func, out_idx=[-1], target="cuda:sm_80")
    resources = kernel.resources
    assert resources.threads == threads
    assert resources.spill_bytes == 0 and 0 < resources.registers <= 255 and resources.code_bytes > 0
    shared = resources.memory["shared"]
    assert 3 * 2 * 128 * 32 * 2 <= shared.bytes <= shared.capacity == 163 * 1024


def test_without_ptxas(monkeypatch):
    monkeypatch.setattr(ptxas, "find", lambda tool="ptxas": None)
    kernel = tilepipe.compile(vector_add(256), out_idx=[-1], target="cuda")
    assert kernel.resources.registers is kernel.resources.spill_bytes is kernel.resources.code_bytes is None
    with pytest.raises(tilepipe.KernelError, match="ptxas is neither on PATH"):
        ptxas.assemble(kernel.get_kernel_source(), "sm_80")


@needs_ptxas
def test_what_ptxas_refuses_is_told():
    with pytest.raises(tilepipe.KernelError, match="ptxas refuses the kernel"):
        ptxas.assemble(".version 8.0\n.target sm_80\nwhat is this", "sm_80")


def test_source_and_stages():
    kernel = tilepipe.compile(vector_add(256), out_idx=[-1], target="cuda:sm_80")
    assert ".target sm_80" in kernel.get_kernel_source()
    assert "tile.target" not in kernel.ir("source") and "sm_80" in kernel.ir("planned")
    assert "tile.async.copy" in kernel.ir("injected")
    assert "llvm.func" in kernel.ir("lowered") or "gpu.module" in kernel.ir("lowered")


def test_a_call_without_a_device(monkeypatch):
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    kernel = tilepipe.compile(vector_add(256), out_idx=[-1], target="cuda:sm_80")
    a = np.ones(256, np.float32)
    with pytest.raises(tilepipe.KernelError, match=r"no device for it; k\.emulate\(\.\.\.\) runs it in the emulator"):
        kernel(a, a)
    assert (kernel.emulate(a, a) == 2).all()


def test_the_disk_cache_keeps_ptx(monkeypatch):
    from tilepipe import cache

    first = tilepipe.compile(vector_add(256), target="cuda:sm_80")
    hits = cache.statistics.hits
    again = tilepipe.compile(vector_add(256), target="cuda:sm_80")
    assert cache.statistics.hits == hits + 1
    assert again.get_kernel_source() == first.get_kernel_source()
    assert tilepipe.compile(vector_add(256), target="cpu").get_kernel_source() != first.get_kernel_source()


def test_an_issue_names_both_lines():
    func = gemm.gemm(32, 32, 64, 32, 32, 16, 2, 64)
    kernel = tilepipe.compile(func, out_idx=[-1], target="cuda:sm_80")
    mutants = kernel.emulation("peeled").mutants()
    barrier = next(changed for mutant, changed in mutants if "bar" in mutant.text)
    kernel.emulation = lambda form=None: barrier
    report = kernel.check(seeds=1)
    assert not report and report.issues
    issue = next(i for i in report.issues if i.location)
    assert isinstance(issue, Issue) and issue.line and issue.text
    assert issue.location.file.endswith("gemm.py")
    assert "gemm.py:" in repr(report)


@T.prim_func
def without_a_block(A: T.Tensor((64,), "float32")):  # no kernel: there is no T.Kernel
    A[0] = 1


@T.prim_func
def error_function(A: T.Tensor((64,), "float64")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(64):
            A[i] = T.erf(A[i])  # T.erf has neither an instruction nor an approximation for float64 on NVIDIA


@T.prim_func
def sometimes(A: T.Tensor((64,), "float32"), n: T.int32):
    if n > 3:
        with T.Kernel(1, threads=32):  # T.Kernel: cannot be lowered to NVIDIA: whether it runs depends on the host
            for i in T.Parallel(64):
                A[i] = 0


@T.prim_func
def grid_of_data(A: T.Tensor((64,), "int32")):
    with T.Kernel(A[0], threads=32):  # extent 0 of the grid does not follow from the sizes and scalars of the arguments
        for i in T.Parallel(64):
            A[i] = 0


@pytest.mark.parametrize("func", [without_a_block, error_function, sometimes, grid_of_data], ids=lambda func: func.name)
def test_what_is_refused(func):
    with pytest.raises(tilepipe.KernelError) as caught:
        tilepipe.compile(func, target="cuda:sm_80").emulate(np.ones(64, np.int32))
    place = caught.value.location
    line = pathlib.Path(__file__).read_text().splitlines()[place.line - 1]
    assert place.file == __file__ and line.split("  # ")[1] in str(caught.value)


def test_more_groups_in_flight_than_sixty_four():
    """A barrier follows each wait that others' data comes with, however many groups may stay in flight."""
    tiles, rows = 12, 9

    @T.prim_func
    def kernel(A: T.Tensor((rows, 16), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=64) as _:
            parts = [T.alloc_shared((16,), "float32") for _ in range(tiles)]
            total = T.alloc_fragment((16,), "float32")
            T.clear(total)
            for i in T.Pipelined(rows, num_stages=7):
                for part in parts:
                    T.copy(A[i, 0], part)
                for part in parts:
                    for x in T.Parallel(16):
                        total[x] += part[x]
            T.copy(total, B)

    A = np.arange(rows * 16, dtype=np.float32).reshape(rows, 16) % 7
    compiled = tilepipe.compile(kernel, out_idx=[-1], target="cuda:sm_80")
    assert "cp.async.wait_group \t83" in compiled.get_kernel_source()
    for policy in ("late", "early-write-late-read"):
        np.testing.assert_array_equal(compiled.emulate(A, policy=policy), tiles * A.sum(0))
