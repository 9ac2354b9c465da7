"""Each kernel of examples/python against numpy: serial and pipelined, static and dynamic, with tails."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("tilepipe.ir")

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if "def check(num_stages" in path.read_text())


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_thirty():
    assert len(NAMES) >= 30


@pytest.mark.parametrize("num_stages", [0, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_matches_numpy(name, num_stages):
    kernels = load(name).check(num_stages)
    assert kernels
    for kernel in kernels:
        # The loops that were checked are those that were asked for.
        assert ("schedule = " in kernel.ir("planned")) == (num_stages > 0)
    if num_stages == 3:
        # However late the copies complete.
        assert kernels[0].check()


def test_runs_as_a_program():
    result = subprocess.run([sys.executable, FOLDER / "transpose.py"], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "ok\n"
