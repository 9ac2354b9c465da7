"""The kernels of examples/mlir against independent numpy programs."""

from __future__ import annotations

import copy
import pathlib

import pytest
import tile_run
from example_references import EXAMPLES

FOLDER = tile_run.ROOT / "examples" / "mlir"
pytestmark = pytest.mark.skipif(not tile_run.TILE_RUN.exists(), reason="tile-run is not built")


@pytest.mark.parametrize("backend", ["--interpret", "--jit"])
@pytest.mark.parametrize(("name", "reference", "sets", "tolerance"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_example(name, reference, sets, tolerance, backend, tmp_path: pathlib.Path) -> None:
    program = FOLDER / f"{name}.mlir"
    expected = copy.deepcopy(sets)
    for arguments in expected:
        reference(*arguments)
    for got, want in zip(tile_run.execute(program, sets, tmp_path, backend), expected, strict=True):
        tile_run.compare(got, want, tolerance)
    forms = tile_run.ALL_FORMS if backend == "--interpret" else "--sanitize=async"
    tile_run.call(program, tile_run.save(sets, tmp_path), "--check", backend, forms)


def test_every_example_is_run() -> None:
    assert {path.stem for path in FOLDER.glob("*.mlir")} == {name for name, *_ in EXAMPLES}
