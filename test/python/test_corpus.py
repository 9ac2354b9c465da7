"""The corpus loops under every policy of the planner, and compiled."""

from __future__ import annotations

import pathlib
import re

import pytest
import tile_run

LOOPS = tile_run.ROOT / "test" / "Corpus" / "loops"
CHECK = re.compile(r"^// RUN: tile-run %s --check ?(?:--args='?([^'\n]*)'?)?$", re.MULTILINE)
RUNS = [
    pytest.param(path, match[1] or "", id=path.stem)
    for path in sorted(LOOPS.glob("*.mlir"))
    if (match := CHECK.search(path.read_text()))
]


@pytest.mark.skipif(not tile_run.TILE_RUN.exists(), reason="tile-run is not built")
@pytest.mark.parametrize(("path", "arguments"), RUNS)
def test_loop(path: pathlib.Path, arguments: str) -> None:
    tile_run.call(path, "--check", f"--args={arguments}", tile_run.ALL_FORMS)


@pytest.mark.skipif(not tile_run.TILE_RUN.exists(), reason="tile-run is not built")
@pytest.mark.skipif(tile_run.MODE == "quick", reason="compiles every loop")
@pytest.mark.parametrize(("path", "arguments"), RUNS)
def test_compiled_loop(path: pathlib.Path, arguments: str) -> None:
    tile_run.call(path, "--check", "--jit", "--sanitize=async", f"--args={arguments}")


def test_loops_are_found() -> None:
    assert len(RUNS) == 69
