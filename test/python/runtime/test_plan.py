"""`k.plan`, `k.resources`, `k.ir` and `k.check` say what the compiler did."""

import subprocess
import sys

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from runtime_kernels import GEMM, add_into_func, compile_dynamic_matmul, matmul_func, scale_func


def test_plan_of_a_gemm():
    kernel = tilepipe.compile(matmul_func(64, 64, 128))
    (loop,) = kernel.plan.loops
    assert (loop.depth, loop.is_serial, loop.commits, loop.waits) == (3, False, 3, (2, 1, 0))
    assert [(s.stage, s.order, s.is_async) for s in loop.statements] == [(0, 0, True), (0, 1, True), (2, 2, False)]
    assert loop.statements[0].source == "T.copy(A[by * 32, ko * 16], a)"
    assert loop.statements[2].text == "gemm(a, b, c)"
    assert {b.name: (b.versions, b.bytes, b.space) for b in loop.buffers} == {
        "a": (3, 6144, "shared"), "b": (3, 6144, "shared"), "c": (1, 4096, "fragment"),
    }  # fmt: skip
    assert loop.bytes == {"shared": 12288, "fragment": 4096}
    assert loop.location.file.endswith("runtime_kernels.py")


def test_plan_of_a_serial_loop_has_the_reason():
    @T.prim_func
    def chain(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Pipelined(1, 63, num_stages=3):
                Y[i] = Y[i - 1] + X[i]

    plan = tilepipe.compile(chain).plan
    (loop,) = plan.loops
    assert loop.is_serial and loop.depth == 1 and loop.waits == ()
    remark = (loop.remarks + plan.remarks)[0]
    assert remark.location.file == __file__ and remark.location.line > 0
    assert remark.message in repr(plan) and "serial" in repr(plan)


def test_tables():
    plan = tilepipe.compile(matmul_func(64, 64, 128)).plan
    text = repr(plan)
    assert "T.copy(A[by * 32, ko * 16], a)" in text and "buffer a: 3 x 2048 = 6144 bytes of shared" in text
    page = plan._repr_html_()
    assert page.count("<tr>") == 4 and "T.gemm(a, b, c)" in page
    assert tilepipe.compile(matmul_func(64, 64, 128, stages=0)).plan.loops[0].is_serial
    assert repr(tilepipe.compile(add_into_func()).plan) == "add_into: no pipelined loops"


def test_tables_without_rich():
    script = "import sys; sys.modules['rich'] = None\nfrom tilepipe._tables import Sheet, text\n"
    script += "print(text([Sheet('title', ('a', 'b'), [('1', '[x]')], ['note'])]))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == ["title", " a  b", " 1  [x]", "  note"]


def test_stages_and_resources():
    kernel = tilepipe.compile(matmul_func(64, 64, 128))
    assert "llvm.func" in kernel.get_kernel_source() == kernel.ir("lowered")
    resources = kernel.resources
    assert resources.threads == 128
    assert resources.memory["shared"].bytes == 12288 and resources.memory["fragment"].bytes == 4096
    with pytest.raises(tilepipe.KernelError, match="unknown stage 'ptx'; known are source, planned"):
        kernel.ir("ptx")


def test_check_is_true_where_all_is_right():
    report = compile_dynamic_matmul().check(sizes={"k": 70})
    assert report and report.sizes == {"m": 33, "k": 70, "n": 41}
    assert {r.policy for r in report.runs} == {"eager", "late", "early-write-late-read", "random"}
    assert {r.form for r in report.runs} == {"peeled", "prologue", "predicated"} and len(report.runs) == 21
    assert "right" in repr(report) and "<table>" in report._repr_html_()
    x = np.arange(40, dtype=np.float32)
    assert tilepipe.compile(scale_func()).check(x, 2.0, np.zeros_like(x))
    with pytest.raises(tilepipe.KernelError, match=r"takes all 3 arguments \(X, s, Y\), those of a call, or none, got 1"):
        tilepipe.compile(scale_func()).check(x)
    with pytest.raises(tilepipe.KernelError, match="no dynamic size 'q'"):
        compile_dynamic_matmul().check(sizes={"q": 3})


def test_check_finds_a_wait_that_is_too_loose():
    injected = tilepipe.from_mlir(GEMM).ir("injected")
    assert "pending = 2" in injected
    report = tilepipe.from_mlir(injected.replace("pending = 2", "pending = 3")).check()
    assert not report and report.failures
    assert "wrong in" in repr(report)
    assert tilepipe.from_mlir(injected).check()


def test_check_compares_results():
    kernel = tilepipe.from_mlir(GEMM)
    other = tilepipe.from_mlir(GEMM.replace("constant 0.0", "constant 1.0"))
    kernel.emulation = other.emulation
    report = kernel.check()
    assert not report and len(report.failures) == len(report.runs) == 21
    assert report.failures[0].problem.startswith("'arg2'[0, 0] is ")


def test_check_names_the_first_difference():
    from tilepipe.check import difference

    a, b = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    b[1, 2] = 5
    assert difference(["s", "C"], [1, a], [1, b]) == "'C'[1, 2] is 5.0, the serial kernel has 0.0"
    assert difference(["C"], [a], [a.copy()]) == ""
