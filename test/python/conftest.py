"""Fixtures of all Python tests."""

import importlib
import os

import pytest
import tile_run


def pytest_sessionstart():
    """Where CI runs, what is not built is an error and not a reason to skip."""
    if not os.environ.get("CI"):
        return
    try:
        importlib.import_module("tilepipe.ir")
    except ImportError as error:
        raise pytest.UsageError(f"the Python package is not built: {error}") from None
    if not tile_run.TILE_RUN.exists():
        raise pytest.UsageError(f"tile-run is not built: no {tile_run.TILE_RUN}")


@pytest.fixture
def ctx():
    """A context and an unknown location, both current."""
    # Here, so that tests that need no bindings run without them.
    tilepipe_ir = pytest.importorskip("tilepipe.ir")
    with tilepipe_ir.Context() as context, tilepipe_ir.Location.unknown():
        yield context
