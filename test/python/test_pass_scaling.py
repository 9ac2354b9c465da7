"""The pipelining passes stay cheap on large loop bodies."""

from __future__ import annotations

import subprocess
import sys

import pytest
import tile_run


@pytest.mark.skipif(not tile_run.TILE_OPT.exists(), reason="tile-opt is not built")
def test_pass_scaling() -> None:
    # Five thousand statements take a while; the benchmark alone runs them.
    sizes = "100,1000,5000" if tile_run.MODE == "long" else "100,1000"
    run = subprocess.run(
        [sys.executable, str(tile_run.ROOT / "benchmarks" / "pass_scaling.py"), "--check",
         "--tile-opt", str(tile_run.TILE_OPT), "--sizes", sizes],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
