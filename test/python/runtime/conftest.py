"""Each test has a disk cache of its own."""

import pathlib
import sys

import pytest

pytest.importorskip("tilepipe.ir")
sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(autouse=True)
def cache_dir(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("TILEPIPE_CACHE_DIR", str(folder))
    monkeypatch.delenv("TILEPIPE_DISABLE_CACHE", raising=False)
    return folder
