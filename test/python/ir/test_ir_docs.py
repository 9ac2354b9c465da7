"""The program of docs/python-ir.md runs."""

import pathlib
import re

import pytest

pytest.importorskip("tilepipe.ir")
from tilepipe.targets import is_built

TEXT = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "python-ir.md").read_text()


def test_programs_run(capsys, ctx):
    first, second = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {}
    exec(first, names)
    text = capsys.readouterr().out
    assert "tile.async.copy" in text and "tile.pipeline" not in text
    # The second one asks for the numbers of an NVIDIA chip.
    if not is_built("cuda"):
        return
    exec(second, names)
    assert names["sm_80"].name == "sm_80"
