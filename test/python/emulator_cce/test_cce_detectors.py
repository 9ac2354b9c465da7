"""Each thing an instruction must not do, with the message that says so."""

import numpy as np
import pytest
from cce_snippets import FIRST, only, run, run_mixed
from tilepipe.emulator.cce import CompileError, Module

LOAD = "copy_gm_to_ubuf(UBF(0), A, 0, 1, 8, 0, 0);"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("copy_gm_to_ubuf(UBF(196608 - 32), A, 0, 1, 8, 0, 0)", "writes UB bytes [196576, 196832), but there are 196608"),
        ("copy_gm_to_cbuf(L1H(524288), A, 0, 1, 8, 0, 0, PAD_NONE)", "writes L1 bytes [524288, 524544), but there are 524288"),
        ("load_cbuf_to_ca(CAH(65536), L1H(0), 0, 1, 1, 0, 0, false, inc)", "writes L0A bytes [65536, 66048), but there are 65536"),
        ("load_cbuf_to_cb(CBH(65536), L1H(0), 0, 1, 1, 0, 0, false, inc)", "writes L0B"),
        ("mad(CCF(131072), CAH(0), CBH(0), 16, 16, 16, 0, false, false, true)", "writes L0C bytes [131072, 132096), but there are 131072"),
    ],
)
def test_capacity(call: str, message: str) -> None:
    assert message in only(run(f"{call};"), "capacity").message


def test_bounds_of_arrays() -> None:
    # Past the end of the address space.
    assert run("tp_store((__gm__ float *)(uintptr_t)-2, 1.0f);").kinds() == {"bounds"}
    issue = only(run("copy_gm_to_ubuf(UBF(0), A + 4096 - 8, 0, 1, 2, 0, 0);"), "bounds")
    assert issue.message == "copy_gm_to_ubuf: reads bytes [16352, 16416) of GM 'A', which has 16384"
    issue = only(run("copy_gm_to_ubuf(UBF(0), A - 8, 0, 1, 2, 0, 0);"), "bounds")
    assert "outside of all arguments" in issue.message
    assert only(run("tp_store(B + 4096, 1.0f);"), "bounds").message.startswith("tp_store: writes bytes [16384, 16388) of GM 'B'")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("copy_gm_to_ubuf(UBF(16), A, 0, 1, 8, 0, 0)", "target address 16 is not a multiple of 32"),
        ("copy_ubuf_to_gm(A, UBF(16), 0, 1, 8, 0, 0)", "source address 16 is not a multiple of 32"),
        ("vadd(UBF(4), UBF(1024), UBF(1024), 1, 1, 1, 1, 8, 8, 8)", "target address 4 is not a multiple of 32"),
        ("load_cbuf_to_ca(CAH(256), L1H(0), 0, 1, 1, 0, 0, false, inc)", "L0 address 256 is not a multiple of 512"),
        ("vcgadd(UBF(16), UBF(0), 1, 1, 1, 8)", "target address 16 is not a multiple of 32"),
        ("mad(CCF(32), CAH(0), CBH(0), 16, 16, 16, 0, false, false, true)", "L0C address 32 is not a multiple of 64"),
    ],
)
def test_alignment(call: str, message: str) -> None:
    assert message in only(run(f"MASK();\n{call};"), "alignment").message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("vadd(UBF(0), UBF(0), UBF(0), 256, 1, 1, 1, 8, 8, 8)", "repeat is 256, but must be in [0, 255]"),
        ("vadd(UBF(0), UBF(0), UBF(0), 1, 1, 1, 1, 256, 8, 8)", "target repeat stride is 256, but must be in [0, 255]"),
        ("copy_gm_to_ubuf(UBF(0), A, 0, 1, 1, 65536, 0)", "srcGap is 65536, but must be in [0, 65535]"),
        ("copy_gm_to_ubuf(UBF(0), A, 0, 4096, 1, 0, 0)", "nBurst is 4096, but must be in [0, 4095]"),
        ("mad(CCF(0), CAH(0), CBH(0), 16, 16, 4096, 0, false, false, true)", "n is 4096, but must be in [0, 4095]"),
        ("load_cbuf_to_ca(CAH(0), L1H(0), 0, 256, 1, 0, 0, false, inc)", "repeat is 256, but must be in [1, 255]"),
        ("load_cbuf_to_ca(CAH(0), L1H(0), 0, 0, 1, 0, 0, false, inc)", "repeat is 0, but must be in [1, 255]"),
        (
            "copy_gm_to_cbuf_multi_nd2nz_b16(L1H(0), (__gm__ half *)A, 0, 1, 1, 16, 0, 65536, 16, 1, 0)",
            "srcDValue is 65536, but must be in [0, 65535]",
        ),
        (
            "copy_matrix_cc_to_gm(A, CCF(0), 0, 16, 16, 16, 16, 0, F322F16, 0, false, true)",
            "the quantisation mode 1 does not give the element type",
        ),
        ("copy_ubuf_to_gm_align_b32(A, UBF(0), 0, 1, 4, 1, 0, 0, 0)", "pads only on the way to UB"),
    ],
)
def test_arguments(call: str, message: str) -> None:
    assert message in only(run(f"MASK();\nset_nd_para(1);\n{call};"), "argument").message


def test_one_row_is_another_instruction() -> None:
    issue = only(run("mad(CCF(0), CAH(0), CBH(0), 1, 16, 16, 0, false, false, true);"), "gemv")
    assert "pad m to 16" in issue.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("vabs(UBF(0), UBF(256), 1, 1, 1, 8, 8);", "the vector mask was never set"),
        ("set_vector_mask(0, 1);\nvabs(UBF(0), UBF(256), 1, 1, 1, 8, 8);", "the mask mode was never set"),
        ("set_mask_count();\nset_vector_mask(~0ull, ~0ull);\nvabs(UBF(0), UBF(256), 1, 1, 1, 8, 8);", "set_mask_norm missing?"),
        ("copy_matrix_cc_to_gm(A, CCF(0), 0, 16, 16, 16, 16, 0, NoQuant, 0, false, true);", "needs set_nd_para before"),
    ],
)
def test_special_registers(body: str, message: str) -> None:
    assert message in run(body).errors[0].message


def test_instructions_of_the_other_core() -> None:
    issue = only(run_mixed("MASK();\nvector_dup(UBF(0), 0.0f, 1, 1, 1, 8, 0);", ""), "core")
    assert issue.message == "vector_dup belongs to a vector core, but this is a cube core"
    issue = only(run(f"{LOAD}\ncreate_cbuf_matrix(L1H(0), 1 | 1 << 16, (half)0);"), "core")
    assert issue.message == "create_cbuf_matrix belongs to a cube core, but this is a vector core"


def test_repeats_that_depend_on_each_other() -> None:
    issue = only(run("MASK();\nvadds(UBF(256), UBF(0), 1.0f, 4, 1, 1, 8, 8);"), "overlap")
    assert "repeat 1 reads what repeat 0 of the same instruction writes" in issue.message
    # Sums into one place.
    assert "overlap" in run("MASK();\nvadd(UBF(0), UBF(0), UBF(1024), 2, 1, 1, 1, 0, 0, 8);").kinds()


@pytest.mark.parametrize(
    "call",
    [
        "MASK();\nvadds(UBF(1024), UBF(1024), 1.0f, 4, 1, 1, 8, 8);",
        # What a later repeat overwrites was read before.
        "MASK();\nvadds(UBF(1024), UBF(1280), 1.0f, 2, 1, 1, 8, 8);",
        # Only lanes that work count, in both modes.
        "set_mask_norm();\nset_vector_mask(0, 1);\nvadds(UBF(1056), UBF(1024), 1.0f, 1, 1, 1, 8, 8);",
        "set_mask_count();\nset_vector_mask(0, 8);\nvadds(UBF(1056), UBF(1024), 1.0f, 1, 1, 1, 8, 8);",
        "set_mask_norm();\nset_vector_mask(0, 0xff);\nvadds(UBF(1024), UBF(1024), 1.0f, 4, 1, 1, 1, 1);",
    ],
)
def test_operands_that_only_look_as_if_they_overlapped(call: str) -> None:
    assert "overlap" not in run(call).kinds()


def test_what_is_not_emulated_is_said() -> None:
    assert "unit flags" in only(run("mad(CCF(0), CAH(0), CBH(0), 16, 16, 16, 2, false, false, true);"), "unsupported").message


# What nothing has written.


def test_uninitialised_operands() -> None:
    issue = only(run("MASK();\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);"), "uninitialised")
    assert issue.message == "vexp reads elements that nothing has written: first at UB bytes [0, 1)" and issue.line == FIRST + 1
    assert "stores bytes" in only(run("copy_ubuf_to_gm(A, UBF(0), 0, 1, 1, 0, 0);"), "uninitialised").message
    assert "tp_load" in only(run("tp_store(A, tp_load(UBF(8)));"), "uninitialised").message
    assert "reads an operand" in run("mad(CCF(0), CAH(0), CBH(0), 16, 16, 16, 0, false, false, true);").errors[0].message


def test_lanes_outside_of_the_mask_do_not_matter() -> None:
    body = "set_mask_norm();\nset_vector_mask(0, 0xff);\ncopy_gm_to_ubuf(UBF(0), A, 0, 1, 1, 0, 0);\nFLAG(PIPE_MTE2, PIPE_V, 0);\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);"
    assert run(body).ok
    assert run(body.replace("0xff", "0x1ff")).kinds() == {"uninitialised"}


def test_what_was_never_written_moves_unnoticed_until_it_matters() -> None:
    # 20 rows of 16: the second fractal is partly filled, which is normal.
    move = """
copy_gm_to_cbuf_multi_nd2nz_b16(L1H(0), (__gm__ half *)A, 0, 1, 20, 16, 0, 16, 32, 1, 0);
FLAG(PIPE_MTE2, PIPE_MTE1, 0);
load_cbuf_to_ca(CAH(0), L1H(0), 0, 2, 1, 0, 0, false, inc);
load_cbuf_to_cb(CBH(0), L1H(0), 0, 1, 1, 0, 0, false, inc);
FLAG(PIPE_MTE1, PIPE_M, 0);
mad(CCF(0), CAH(0), CBH(0), {m}, 16, 16, 0, false, false, true);
set_nd_para(1);
FLAG(PIPE_M, PIPE_FIX, 0);
copy_matrix_cc_to_gm(B, CCF(0), 0, 16, {rows}, 16, 32, 0, NoQuant, 0, false, true);"""
    assert run(move.format(m=20, rows=20)).ok
    issue = only(run(move.format(m=21, rows=20)), "uninitialised")
    assert "mad reads an operand that nothing has written: first at L0A bytes [640, 641)" in issue.message
    issue = only(run(move.format(m=20, rows=21)), "uninitialised")
    assert "copy_matrix_cc_to_gm stores L0C that nothing has written" in issue.message


def test_workspaces_hold_nothing_at_first() -> None:
    body = f"MASK();\n{LOAD}\nFLAG(PIPE_MTE2, PIPE_V, 0);\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);"
    assert run(body).ok
    assert run(body, uninitialised=["A"]).kinds() == {"uninitialised"}


# What the kernel's own code does.


def test_a_dereference_does_not_end_python() -> None:
    issue = only(run(f"{LOAD}\nif (*UBF(64) > 0)\n  {LOAD}"), "crash")
    assert "use tp_load" in issue.message and issue.line == FIRST


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("__builtin_trap();", "stopped with 'Illegal instruction' before its first instruction"),
        ("volatile int zero = 0; zero = 1 / zero;", "stopped with 'Floating point exception'"),
        ("volatile char large[1 << 24]; large[0] = 0; large[1 << 23] = 0;", "stopped with 'Segmentation fault'"),
    ],
)
def test_other_ends_of_a_kernel(code: str, message: str) -> None:
    assert message in only(run(code), "crash").message


def test_an_endless_kernel_ends() -> None:
    assert run("for (volatile int i = 0; i < 1; i = 0) {}", timeout=0.3).kinds() == {"timeout"}


def test_types_and_spaces_are_errors_with_places() -> None:
    text = 'extern "C" __global__ __aicore__ void k(__gm__ half *A) {\n  vexp(A, A, 1, 1, 1, 8, 8); // @user.py:3:7\n}\n'
    with pytest.raises(CompileError, match=r"line 2:3 \(user.py:3:7\): error: no matching function for call to 'vexp'"):
        Module(text)


def test_calls_that_do_not_fit() -> None:
    module = Module('extern "C" __global__ __aicore__ void k(__gm__ float *A, int64_t n) {\n}\n')
    a = np.zeros(1, np.float32)
    with pytest.raises(ValueError, match="there is no kernel 'other'; there are k"):
        module.launch("other", 1, [a, 1])
    with pytest.raises(ValueError, match="has 2 parameters, but there are 1 arguments"):
        module.launch("k", 1, [a])
    with pytest.raises(TypeError, match="parameter 'A' takes an array"):
        module.launch("k", 1, [1, 1])
    with pytest.raises(TypeError, match=r"'A' has elements of 4 bytes \(float\), but those of the array have 8"):
        module.launch("k", 1, [np.zeros(1), 1])
    with pytest.raises(ValueError, match="unknown policy 'often'"):
        module.launch("k", 1, [a, 1], "often")
    with pytest.raises(ValueError, match="no array parameter 'n'"):
        module.launch("k", 1, [a, 1], uninitialised=["n"])
    with pytest.raises(ValueError, match="resident >= 1"):
        module.launch("k", 1, [a, 1], resident=0)
    assert module.launch("k", 0, [a, 1]).ok
