"""What the runner reads in the text, and how it changes the synchronisation."""

import numpy as np
import pytest
from cce_kernels import INPUTS, text_of
from cce_snippets import kernel
from tilepipe.emulator import cce, cce_main
from tilepipe.emulator.cce_build import find_kernels, find_places


def test_kernels_and_parameters() -> None:
    text = """
// extern "C" __global__ __aicore__ void no(__gm__ half *A) {
extern "C" __global__ __aicore__ void yes(__gm__ half *A, const int64_t n,
                                          __gm__ bfloat16_t *B, float x) {
}
"""
    (name, parameters), *others = find_kernels(text).items()
    assert name == "yes" and not others
    assert [(p.type, p.name, p.pointer, p.bytes) for p in parameters] == [
        ("half", "A", True, 2),
        ("int64_t", "n", False, 8),
        ("bfloat16_t", "B", True, 2),
        ("float", "x", False, 4),
    ]


def test_places_of_the_user() -> None:
    places = find_places("a();\nb(); // @some dir/k.py:12:7\nc(); // no @place\n")
    assert {line: str(place) for line, place in places.items()} == {2: "some dir/k.py:12:7"}


def test_halves_of_a_mixed_kernel_are_one() -> None:
    assert cce.Module(text_of("mixed")).names == ["mixed"]


def test_changes_tell_calls_of_one_line_apart() -> None:
    body = "set_flag(PIPE_MTE2, PIPE_V, 0); wait_flag(PIPE_MTE2, PIPE_V, 0); /* set_flag(PIPE_V, PIPE_S, 0); */ // wait_flag_dev(1)"
    module = cce.Module(kernel(body, "__gm__ float *A"))
    found = {}
    for mutant in module.sync_mutants():
        report = mutant.module.launch("k", 1, [np.zeros(1, np.float32)])
        found.setdefault(mutant.kind, []).append(sorted(report.kinds()))
    assert found == {
        "removed": [["deadlock"], ["residual-flag"], ["unfinished"]],
        "wrong id": [["deadlock"], ["deadlock"]],
        "pipes swapped": [["deadlock"], ["deadlock"]],
    }
    # The module itself is unchanged.
    assert module.launch("k", 1, [np.zeros(1, np.float32)]).ok


def test_one_version_fewer() -> None:
    kinds = [(m.kind, m.text) for m in cce.Module(text_of("gemm_nt")).sync_mutants() if m.kind == "fewer versions"]
    assert [text.split("(")[1].rsplit(",", 1)[0] for _, text in kinds] == [
        "PIPE_MTE1, PIPE_MTE2",
        "PIPE_MTE2, PIPE_MTE1",
        "PIPE_M, PIPE_MTE1",
        "PIPE_MTE1, PIPE_M",
    ]


def test_reports_read_well() -> None:
    text = text_of("gemm_nt").replace("wait_flag(PIPE_MTE2, PIPE_MTE1, e);", "")
    a = np.zeros((64, 64), np.float16)
    report = cce.Module(text).launch("gemm_nt", 1, [a, a.copy(), np.zeros((64, 64), np.float32), 1])
    race = next(issue for issue in report.errors if issue.kind == "race")
    assert str(race) == (
        "error: race: RAW in L1 bytes [0, 512): load_cbuf_to_ca (PIPE_MTE1) reads what copy_gm_to_cbuf_multi_nd2nz "
        "(PIPE_MTE2) writes [core, block 0]\n"
        "  at line 22 (gemm.py:9:9): load_cbuf_to_ca(aL0 + o + i * 1024, aL1 + o, i, 4, 4, 0, 0, false, inc);\n"
        "  other line 16 (gemm.py:7:9): copy_gm_to_cbuf_multi_nd2nz_b16(aL1 + o, A + k * 64, 0, 1, 64, 64, 0, "
        "64 * tiles, 64, 1, 0);\n"
        "  missing: set_flag(PIPE_MTE2, PIPE_MTE1, id) after the first and the wait_flag before the second"
    )


def test_one_array_given_twice_is_one_array() -> None:
    body = "tp_store(A, 1.0f);\npipe_barrier(PIPE_ALL);\ntp_store(B + 1, tp_load(B) + 1);"
    a = np.zeros(2, np.float32)
    assert cce.Module(kernel(body)).launch("k", 1, [a, a]).ok
    assert list(a) == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["nowhere.cpp"], 2, "No such file"),
        ([str(INPUTS / "softmax.cpp"), "float[2,70]=random", "float[2,70]=none", "70", "--blocks", "2"], 0, ""),
        ([str(INPUTS / "softmax.cpp"), "double[1]", "float[1]", "1"], 2, "unknown element type 'double'"),
        ([str(INPUTS / "softmax.cpp"), "float[1]=much", "float[1]", "1"], 2, "unknown contents 'much'"),
        ([str(INPUTS / "softmax.cpp"), "float[1]", "float[1]"], 2, "has 3 parameters"),
        ([str(INPUTS / "softmax.cpp"), "float[4]", "float[1]", "4", "--policy", "late"], 1, ""),
    ],
)
def test_command(arguments: list[str], status: int, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["cce", *arguments])
    assert cce_main.main() == status
    assert expected in capsys.readouterr().err
