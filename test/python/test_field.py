"""The field cases: right values for every depth, trip count and completion policy."""

from __future__ import annotations

import copy
import pathlib

import pytest
import tile_run
from field_references import CASES, Case

FIELD = tile_run.ROOT / "test" / "Corpus" / "field"
RUNS = [
    pytest.param(case, entry, depth, id=f"{case.file}-{entry}" + (f"-depth{depth}" if depth else ""))
    for case in CASES
    for entry in case.entries()
    for depth in (case.depths or (0,))
]

pytestmark = pytest.mark.skipif(not tile_run.TILE_RUN.exists(), reason="tile-run is not built")


@pytest.mark.parametrize(("case", "entry", "depth"), RUNS)
def test_field(case: Case, entry: str, depth: int, tmp_path: pathlib.Path) -> None:
    text = (FIELD / f"{case.file}.mlir").read_text()
    program = tmp_path / "program.mlir"
    program.write_text(tile_run.with_depth(text, depth) if case.depths else text)
    sets = [list(arguments) for arguments in case.inputs]
    if depth == (case.depths or (0,))[0]:
        expected = copy.deepcopy(sets)
        for arguments in expected:
            case.reference(*arguments)
        for got, want in zip(tile_run.execute(program, sets, tmp_path, f"--entry={entry}"), expected, strict=True):
            tile_run.compare(got, want)
    tile_run.call(program, tile_run.save(sets, tmp_path), f"--entry={entry}", "--check", "--sanitize=async,uninitialized", tile_run.ALL_FORMS)


def test_every_case_is_run() -> None:
    """Programs without a reference are compiled only, or end in an error."""
    # The source of this one takes 2.8 GB.
    run = {case.file for case in CASES} | {"dynamic/offsets_beyond_32_bits"}
    for path in FIELD.rglob("*.mlir"):
        name = path.relative_to(FIELD).with_suffix("").as_posix()
        assert name in run or "-verify-diagnostics" in path.read_text(), name
