"""The kernels of the chapter on the CPU target, against numpy."""

import importlib.util
import pathlib

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def chapter():
    path = ROOT / "examples" / "python" / "chapter_gemm.py"
    spec = importlib.util.spec_from_file_location("chapter_gemm", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def operands(m, n, k):
    rng = np.random.default_rng(m + n + k)
    return (rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(-4, 5, (n, k)).astype(np.float16))


def product(a, b):
    return a.astype(np.float32) @ b.astype(np.float32).T


@pytest.mark.parametrize("shape", [(64, 64, 32), (64, 64, 64), (128, 192, 256), (70, 65, 33), (1, 1, 1)])
def test_serial_and_pipelined(chapter, shape):
    a, b = operands(*shape)
    assert (chapter.matmul_plain(*shape)(a, b) == product(a, b)).all()
    for stages in (0, 1, 2, 3, 5):
        assert (chapter.matmul(*shape, num_stages=stages)(a, b) == product(a, b)).all()


@pytest.mark.parametrize("k", [32, 64, 160])
def test_manual_schedule(chapter, k):
    a, b = operands(64, 64, k)
    kernel = chapter.matmul_manual(64, 64, k)
    assert (kernel(a, b) == product(a, b)).all()
    planned = kernel.ir("planned")
    for text in ("stage<0, order = 0>", "stage<0, order = 1>", "stage<1, order = 2>", "depth = 2"):
        assert text in planned


def test_num_stages_is_seen_in_the_ir(chapter):
    kernel = chapter.matmul(64, 64, 256)
    assert "num_stages = 3" in kernel.ir("source")
    assert "depth = 3" in kernel.ir("planned") and "versions = 3" in kernel.ir("planned")
    injected = kernel.ir("injected")
    assert "tile.async.copy" in injected and "tile.pipeline" not in injected
    assert "num_stages" not in chapter.matmul(64, 64, 256, num_stages=0).ir("planned")


@pytest.mark.parametrize("n", [32, 64, 256])
def test_order_and_replayed_scalar(chapter, n):
    x = np.arange(n, dtype=np.float32)
    assert (chapter.producer_last(n)(x) == 2 * x).all()


@pytest.mark.parametrize("n", [32, 64, 256])
def test_annotations_that_count_the_replayed_scalar(chapter, n):
    """As older code writes them; the entry of `base` is ignored."""
    x = np.arange(n, dtype=np.float32)
    legacy = chapter.producer_last(n, stage=(0, 0, 1), order=(0, 2, 1))
    assert (legacy(x) == 2 * x).all()
    assert legacy.ir("planned").count("tile.stage = ") == 2


@pytest.mark.parametrize("n", [32, 64, 256])
def test_scalar_of_a_tile(chapter, n):
    x = np.arange(n, dtype=np.float32)
    kernel = chapter.scalar_of_a_tile(n)
    assert (kernel(x) == x + np.repeat(x[::32], 32)).all()


def test_example_runs(chapter, capsys):
    chapter.check_gemms()
    chapter.check_schedules()
    assert "num_stages=3" in capsys.readouterr().out
