"""Fixtures of all Python tests."""

import pytest


@pytest.fixture
def ctx():
    """A context and an unknown location, both current."""
    # Here, so that tests that need no bindings run without them.
    tilepipe_ir = pytest.importorskip("tilepipe.ir")
    with tilepipe_ir.Context() as context, tilepipe_ir.Location.unknown():
        yield context
