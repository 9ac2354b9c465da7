"""The examples check themselves; their kernels run on all targets in test_matrix.py."""

import importlib
import pathlib

import harness
import pytest
from tilepipe.targets import is_built

EXAMPLES = pathlib.Path(harness.__file__).parent
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "harness")


@pytest.mark.parametrize("name", NAMES)
def test_on_the_cpu(name):
    importlib.import_module(name).check("cpu")


@pytest.mark.parametrize("target", ["cuda:sm_80", "ascend:dav-2201"])
def test_in_the_emulator(target):
    if not is_built(target.split(":")[0]):
        pytest.skip(f"this build has no target {target}")
    importlib.import_module("vector_add").check(target)
