"""The benchmarks of the NVIDIA target run, and what they promise holds where NVIDIA's tools are at hand."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

native = pytest.importorskip("tilepipe._load").native
if not hasattr(native, "nvidia"):
    pytest.skip("built without the NVIDIA target", allow_module_level=True)

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"


def run(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / name), *arguments],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_steady_loops_are_short_and_spill_nothing() -> None:
    output = run("nvidia_sass.py", "--check")
    if output.startswith("nothing measured"):
        pytest.skip(output.strip())
    assert "128x128x32, 256 threads" in output


def test_compile_time_is_told_by_step() -> None:
    output = run("ptx_compile_time.py", "--rounds", "2")
    assert output.count("codegen") == 2
