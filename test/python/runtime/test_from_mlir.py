"""`tilepipe.from_mlir`: kernels of other front ends."""

import numpy as np
import pytest
import tilepipe
from runtime_kernels import GEMM
from tilepipe import ir

SCF = """
func.func @scale(%X: memref<?x32xf32>, %s: f32, %Y: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %X, %c0 : memref<?x32xf32>
  %t = tile.alloc {name = "t"} : memref<32xf32, #tile.space<shared>>
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %X[%i, 0] to %t : memref<?x32xf32> to memref<32xf32, #tile.space<shared>>
    tile.map (%j) in [32] {
      %x = memref.load %t[%j] : memref<32xf32, #tile.space<shared>>
      %y = arith.mulf %x, %s : f32
      memref.store %y, %Y[%i, %j] : memref<?x32xf32>
    }
  } {tile.num_stages = 3 : i64}
  return
}
"""


def test_gemm_with_tails():
    kernel = tilepipe.from_mlir(GEMM)
    assert kernel.name == "gemm" and kernel.plan.loops[0].depth == 3
    rng = np.random.default_rng(0)
    for m, n, k in ((1, 1, 1), (16, 32, 48), (37, 21, 53)):
        a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
        c = np.empty((m, n), np.float32)
        kernel(a, b, c)
        np.testing.assert_allclose(c, a @ b, atol=1e-4)
    assert kernel.check(sizes={"arg0.1": 20, "arg1.0": 20, "arg2.0": 33, "arg2.1": 9, "arg0.0": 33, "arg1.1": 9})


def test_loops_of_scf_are_pipelined():
    kernel = tilepipe.from_mlir(SCF)
    assert kernel.plan.loops[0].depth == 3
    x, y = np.arange(7 * 32, dtype=np.float32).reshape(7, 32), np.zeros((7, 32), np.float32)
    kernel(x, 3.0, y)
    assert (y == 3 * x).all()
    kernel(arg0=x, arg2=y, arg1=2.0)
    assert (y == 2 * x).all()


def test_a_module_and_results_by_out_idx():
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(GEMM.replace("?x?xf32", "16x16xf32").replace("%C, %c1 : memref<?x?", "%C, %c1 : memref<16x16"))
        kernel = tilepipe.from_mlir(module, out_idx=-1)
    a = np.eye(16, dtype=np.float32)
    assert (kernel(a, 2 * a) == 2 * a).all()
    assert str(module).startswith("#") or "tile.pipeline" in str(module)


@pytest.mark.parametrize("text, how, message", [
    ("func.func @f(", {}, "error: .*expected"),
    ("func.func @f(%a: memref<4xf32>) { tile.nothing return }", {}, ":1:35: error"),
    ("module {}", {}, "functions with a body are none"),
    (SCF + GEMM, {}, "name the 'entry'; functions with a body are scale, gemm"),
    (SCF, {"entry": "gemm"}, "no function 'gemm' with a body; it has scale"),
    ("func.func @f() -> f32 { %c = arith.constant 1.0 : f32 return %c : f32 }", {}, "'f' returns values"),
    ("func.func @f(%a: memref<4x4xf32, strided<[8, 1]>>) { return }", {}, "argument 'arg0' has type .*dense"),
    ("func.func @f(%a: tensor<4xf32>) { return }", {}, "argument 'arg0' has type tensor<4xf32>; supported are"),
    ("func.func @f(%a: memref<4xi7>) { return }", {}, "argument 'arg0' has type memref<4xi7>"),
])
def test_errors(text, how, message):
    with pytest.raises(tilepipe.KernelError, match=message):
        tilepipe.from_mlir(text, **how)


def test_a_schedule_that_breaks_a_dependence_is_refused_at_its_place():
    wrong = GEMM.replace("num_stages = 3", "stage = [1, 0, 0] order = [0, 1, 2]")
    with pytest.raises(tilepipe.KernelError) as caught:
        tilepipe.from_mlir(wrong)
    assert caught.value.location.line > 20 and caught.value.notes


def test_errors_show_the_line_with_a_caret():
    text = "func.func @f(%a: memref<4xf32>) {\n  %c = arith.constant 0 : index\n  memref.store %a, %a[%c] : memref<4xf32>\n  return\n}"
    with pytest.raises(tilepipe.KernelError) as caught:
        tilepipe.from_mlir(text)
    place = caught.value.location
    assert (place.line, place.column) == (3, 16)
    # In the words of MLIR, as its author wrote it.
    assert str(caught.value).split("\n") == [
        f"{place}: error: use of value '%a' expects different type than prior uses: 'f32' vs 'memref<4xf32>'",
        "      memref.store %a, %a[%c] : memref<4xf32>",
        "                   ^",
        f"{place.file}:1:14: note: prior use here",
        "    func.func @f(%a: memref<4xf32>) {",
        "                 ^",
    ]


def test_errors_of_planning_show_the_line():
    wrong = GEMM.replace("num_stages = 3", "num_stages = -3")
    with pytest.raises(tilepipe.KernelError) as caught:
        tilepipe.from_mlir(wrong)
    lines = str(caught.value).split("\n")
    assert lines[1].strip() == wrong.splitlines()[caught.value.location.line - 1].strip() and lines[2].strip() == "^"


def test_two_texts_are_told_apart():
    first = tilepipe.from_mlir(SCF)
    with pytest.raises(tilepipe.KernelError) as caught:
        tilepipe.from_mlir(GEMM + "\n oops")
    assert "oops" in str(caught.value)
    with pytest.raises(tilepipe.KernelError) as caught:
        first(np.zeros((7, 31), np.float32), 1.0, np.zeros((7, 32), np.float32))
    assert "func.func @scale(%X" in str(caught.value)


NAMED = """
func.func @copy(%X: memref<?xf32> {tile.sizes = ["n"]}, %Y: memref<?xf32> {tile.sizes = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf32>
  tile.launch (%b) in [1] threads = 32 {
    tile.map (%i) in [%n] {
      %x = memref.load %X[%i] : memref<?xf32>
      memref.store %x, %Y[%i] : memref<?xf32>
    }
  }
  return
}
"""


def test_sizes_of_one_name_are_compared():
    """No guard is made for the second one, so the call must not pass another size."""
    copy = tilepipe.from_mlir(NAMED, target="cpu")
    x, y = np.ones(5, np.float32), np.zeros(5, np.float32)
    copy(x, y)
    np.testing.assert_array_equal(y, x)
    with pytest.raises(tilepipe.KernelError, match="'n'"):
        copy(x, np.zeros(4, np.float32))
    fixed = NAMED.replace("%Y: memref<?x", "%Y: memref<5x").replace("%Y[%i] : memref<?x", "%Y[%i] : memref<5x")
    with pytest.raises(tilepipe.KernelError, match="expects 5"):
        tilepipe.from_mlir(fixed, target="cpu")(np.zeros(4, np.float32), y)
