"""What a check compares, and how it reports."""

import numpy as np
import tilepipe
from row_softmax import reference, row_softmax
from tilepipe.check import TOLERANCES, CheckReport, MutantRun, difference
from tilepipe.targets import Issue, Mutant
from vector_add import vector_add


def compiled(func):
    return tilepipe.compile(func, out_idx=[-1], target="cpu")


def test_against_a_reference(capsys):
    report = compiled(row_softmax(9, 40)).check(reference=reference, progress=True)
    assert report and len(report.runs) == 22 and report.runs[0].form == "serial"
    assert "as the reference" in repr(report)
    wrong = compiled(row_softmax(9, 40)).check(reference=lambda x: reference(x) * 1.01)
    assert not wrong and [run.form for run in wrong.failures] == ["serial"]
    assert "the serial kernel has" in wrong.failures[0].problem


def test_a_reference_may_work_in_place():
    def add(a, b, c):
        c[:] = a + b

    assert tilepipe.compile(vector_add(100, block=32), target="cpu").check(reference=add)


def test_tolerance():
    a = np.ones(3, np.float32)
    assert difference(["a"], [a], [a + np.float32(1e-6)])
    assert not difference(["a"], [a], [a + np.float32(1e-6)], TOLERANCES)
    assert difference(["a"], [a], [a * 2], TOLERANCES) == "'a'[0] is 2.0, the serial kernel has 1.0"
    assert difference(["a"], [a], [np.full(3, np.nan, np.float32)], TOLERANCES)


def test_the_report_names_mutants_that_were_not_detected():
    mutants = (MutantRun("peeled", Mutant("removed", 7, "bar.sync 0;"), "late: wrong"),
               MutantRun("peeled", Mutant("removed", 9, "bar.sync 1;"), ""))  # fmt: skip
    report = CheckReport("k", {}, (), "cuda:sm_80", 0.0, mutants)
    assert report.undetected == mutants[1:]
    assert "1 of 2 detected" in repr(report) and "bar.sync 1;" in repr(report) and "bar.sync 0;" not in repr(report)
    assert str(Issue("race", 4)) == "line 4: race" and str(Issue("race")) == "race"


def test_takes_the_arguments_of_a_call():
    a, b = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    report = compiled(vector_add(100, block=32)).check(a, b, reference=lambda a, b: a + b)
    assert report and report.runs
