"""The Python blocks of README.md and of the quick start in docs/python.md run as they are."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_first_python_block(page, tmp_path):
    (block, *_) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    program = tmp_path / "quick_start.py"
    program.write_text(block)
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "depth 3" in run.stdout
