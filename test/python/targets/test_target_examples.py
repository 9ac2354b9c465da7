"""The examples check themselves; on the CPU here, for the other targets in test_matrix.py."""

import importlib
import pathlib

import harness
import pytest

EXAMPLES = pathlib.Path(harness.__file__).parent
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "harness")


@pytest.mark.parametrize("name", NAMES)
def test_on_the_cpu(name):
    importlib.import_module(name).check("cpu")
