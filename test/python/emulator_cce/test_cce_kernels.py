"""Right kernels: silent under every policy and equal to numpy; every change of their synchronisation is found."""

import cce_kernels
import numpy as np
import pytest
from cce_kernels import CASES, Case, text_of
from tilepipe.emulator.cce import POLICIES, Module


def run(case: Case, policy: str, seed: int = 0) -> None:
    case.args[case.result][...] = 0
    report = Module(text_of(case.name)).launch(case.name, case.blocks, case.args, policy, seed, **case.options())
    assert not report.issues, f"{policy}: {report}"
    np.testing.assert_allclose(case.args[case.result], case.expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", CASES)
def test_right_kernels_are_silent(name: str, policy: str) -> None:
    run(CASES[name](), policy)


@pytest.mark.parametrize("name", CASES)
def test_right_kernels_are_silent_in_random_orders(name: str) -> None:
    for seed in range(20):
        run(CASES[name](), "random", seed)


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("name", ["gemm_nt", "vector_add_max", "mixed"])
def test_trip_counts(name: str, trips: int) -> None:
    if name == "gemm_nt" and trips == 0:
        pytest.skip("the fixture stores L0C unconditionally")
    case = CASES[name](trips)
    for policy in ("late", "victim:MTE2", "victim:MTE3"):
        run(case, policy)


@pytest.mark.parametrize("size", [(16, 16, 16), (48, 40, 56), (2, 1, 1), (17, 33, 15), (31, 16, 50)])
def test_sizes_that_divide_nothing(size: tuple[int, int, int]) -> None:
    for policy in ("late", "early-write-late-read"):
        run(cce_kernels.gemm_nn(*size), policy)


@pytest.mark.parametrize("columns", [1, 7, 8, 64, 65, 512])
def test_softmax_columns(columns: int) -> None:
    run(cce_kernels.softmax(columns), "late")


@pytest.mark.parametrize("name", CASES)
def test_every_change_of_synchronisation_is_found(name: str) -> None:
    case = CASES[name](*([4] if name == "gemm_nt" else []))
    missed = set()
    for mutant in Module(text_of(name)).sync_mutants():
        report = mutant.module.check(name, case.blocks, case.args, **case.options())
        if report.ok:
            missed.add((mutant.text.rstrip(";"), mutant.kind))
    assert not missed
