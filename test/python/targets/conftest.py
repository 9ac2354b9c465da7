"""The kernels of examples/python/targets, and which targets this build has."""

import os
import pathlib
import sys

import pytest

pytest.importorskip("tilepipe.ir")
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python" / "targets"
sys.path[:0] = [str(EXAMPLES), str(pathlib.Path(__file__).parent)]

IS_LONG = os.environ.get("TILEPIPE_TEST_MODE") == "long"


@pytest.fixture(autouse=True)
def cache_dir(tmp_path, monkeypatch):
    """Each test compiles for itself."""
    monkeypatch.setenv("TILEPIPE_CACHE_DIR", str(tmp_path / "cache"))
