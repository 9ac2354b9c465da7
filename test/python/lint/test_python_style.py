"""The Python of this repository is typed and lint-clean; rules are in pyproject.toml."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]


def run(*command, cwd=ROOT, **environment):
    return subprocess.run([sys.executable, "-m", *command], cwd=cwd, text=True, capture_output=True,
                          env={**os.environ, **environment})  # fmt: skip


def test_types():
    pytest.importorskip("mypy", reason="mypy is not installed")
    package = pytest.importorskip("tilepipe._native", reason="the native module is not built")
    # The package as it is built, with its generated modules and stubs.
    folder = pathlib.Path(package.__file__).parents[1]
    done = run("mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / ".mypy_cache"),
               cwd=folder, MYPYPATH=str(folder))  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff():
    pytest.importorskip("ruff", reason="ruff is not installed")
    done = run("ruff", "check", "--no-cache", ".")
    assert done.returncode == 0, done.stdout + done.stderr
