"""Every kernel of the matrix is right on every target: both forms, every policy, all detectors, against numpy.

The default run takes a part of the cases, TILEPIPE_TEST_MODE=long all of them.
"""

import os

import matrix
import pytest
import tilepipe
from tilepipe.targets import is_built

TARGETS = {"cpu": "cpu", "cuda": "cuda:sm_80", "ascend": "ascend:dav-2201"}
IS_LONG = os.environ.get("TILEPIPE_TEST_MODE") == "long"
# One of how many default cases a target takes: other tests have these kernels on the CPU, and each case on Ascend starts a
# compiler and some fifty processes.
SHARE = {"cpu": 4, "cuda": 1, "ascend": 2}
CASES = [case for case in matrix.cases() if case.is_default or IS_LONG]


@pytest.fixture(params=TARGETS)
def target(request):
    if not is_built(request.param):
        pytest.skip(f"this build has no target {request.param}")
    return TARGETS[request.param]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_is_right(case, target):
    if not IS_LONG and CASES.index(case) % SHARE[target.split(":")[0]]:
        pytest.skip("in the long mode")
    kernel = tilepipe.compile(case.func(), out_idx=[-1], target=target)
    for number, sizes in enumerate(case.sizes):
        report = kernel.check(sizes=sizes, seeds=3 if IS_LONG else 1, seed=number, reference=case.reference)
        assert report, repr(report)
