"""Fixtures of all Python tests."""

import pytest

tilepipe_ir = pytest.importorskip("tilepipe.ir")


@pytest.fixture
def ctx():
    """A context and an unknown location, both current."""
    with tilepipe_ir.Context() as context, tilepipe_ir.Location.unknown():
        yield context
