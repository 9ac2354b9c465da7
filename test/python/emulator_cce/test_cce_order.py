"""Each way to get the order wrong, with the message that says so."""

import numpy as np
import pytest
from cce_snippets import FIRST, PRELUDE, kernel, only, run, run_mixed
from tilepipe.emulator.cce import Module

LOAD = "copy_gm_to_ubuf(UBF(0), A, 0, 1, 8, 0, 0);"
STORE = "copy_ubuf_to_gm(B, UBF({}), 0, 1, 8, 0, 0);"


def test_raw_between_pipes_names_both_lines_and_what_is_missing() -> None:
    issue = only(run(f"MASK();\n{LOAD}\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);"), "race")
    assert issue.message.startswith("RAW in UB bytes [0, 256): vexp (PIPE_V) reads what copy_gm_to_ubuf (PIPE_MTE2) writes")
    assert (issue.line, issue.other_line) == (FIRST + 2, FIRST + 1)
    assert issue.text.startswith("vexp") and issue.other_text.startswith("copy_gm_to_ubuf")
    assert "set_flag(PIPE_MTE2, PIPE_V, id)" in issue.missing


def test_war_between_pipes() -> None:
    body = f"MASK();\n{LOAD}\nFLAG(PIPE_MTE2, PIPE_V, 0);\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);\n{LOAD}\npipe_barrier(PIPE_ALL);"
    for policy in ("eager", "late", "random", "victim:V"):
        messages = [issue.message for issue in run(body, policy=policy).errors]
        assert any(m.startswith("WAR in UB") and m.endswith("what vexp (PIPE_V) reads") for m in messages), messages


def test_waw_on_one_pipe_needs_a_barrier() -> None:
    issue = only(run(f"{LOAD}\n{LOAD}"), "race")
    assert issue.message.startswith("WAW in UB") and issue.missing == "pipe_barrier(PIPE_MTE2) between them"
    assert run(f"{LOAD}\npipe_barrier(PIPE_MTE2);\n{LOAD}").ok


def test_vector_pipe_has_no_interlock() -> None:
    body = f"MASK();\n{LOAD}\nFLAG(PIPE_MTE2, PIPE_V, 0);\nvexp(UBF(0), UBF(0), 1, 1, 1, 8, 8);\n{{}}\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);"
    assert only(run(body.format("")), "race").missing == "pipe_barrier(PIPE_V) between them"
    assert run(body.format("pipe_barrier(PIPE_V);")).ok


@pytest.mark.parametrize("policy", ["eager", "late", "early-write-late-read", "random"])
def test_a_write_after_a_read_of_the_same_pipe_is_in_order(policy: str) -> None:
    body = f"""
MASK();
{LOAD}
FLAG(PIPE_MTE2, PIPE_V, 0);
vadds(UBF(1024), UBF(0), 1.0f, 1, 1, 1, 8, 8);
vector_dup(UBF(0), 0.0f, 1, 1, 1, 8, 0);
FLAG(PIPE_V, PIPE_MTE3, 0);
{STORE.format(1024)}"""
    a, b = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    report = run(body, a, b, policy=policy)
    assert report.ok, report
    assert (b[:64] == a[:64] + 1).all()


def mads(m: int, n: int, between: str = "") -> str:
    fill = "create_cbuf_matrix(L1H(0), 1 | 2048ll << 16, (half)1);\nFLAG(PIPE_MTE2, PIPE_MTE1, 0);"
    load = "load_cbuf_to_ca(CAH(0), L1H(0), 0, 100, 1, 0, 0, false, inc);\nload_cbuf_to_cb(CBH(0), L1H(0), 0, 100, 1, 0, 0, false, inc);"
    mad = f"mad(CCF(0), CAH(0), CBH(0), {m}, 16, {n}, 0, false, false, {{}});"
    store = f"set_nd_para(1);\nFLAG(PIPE_M, PIPE_FIX, 0);\ncopy_matrix_cc_to_gm(A, CCF(0), 0, {n}, {m}, {n}, {m}, 0, NoQuant, 0, false, true);"
    return "\n".join([fill, load, "FLAG(PIPE_MTE1, PIPE_M, 0);", mad.format("true"), between, mad.format("false"), store])


def test_small_mads_need_a_barrier_and_large_ones_do_not() -> None:
    assert only(run(mads(48, 48)), "race").missing == "pipe_barrier(PIPE_M) between them"
    assert run(mads(48, 48, "pipe_barrier(PIPE_M);")).ok
    c = np.zeros(160 * 16, np.float32)
    for policy in ("eager", "late", "early-write-late-read"):
        assert run(mads(160, 16), c, c.copy(), policy=policy).ok
        assert (c == 32).all()


def test_small_mads_without_a_barrier_give_wrong_sums() -> None:
    c = np.zeros(48 * 48, np.float32)
    run(mads(48, 48), c, c.copy(), races=False)
    assert (c != 32).all()


def test_order_between_scalar_stores_and_pipes() -> None:
    body = "tp_store(UBF(0), 3.0f);\n{}\ncopy_ubuf_to_gm_align_b32(B, UBF(0), 0, 1, 4, 0, 0, 0, 0);"
    issue = only(run(body.format("")), "race")
    assert "reads what tp_store (PIPE_S) writes" in issue.message
    b = np.zeros(1, np.float32)
    assert run(body.format("FLAG(PIPE_S, PIPE_MTE3, 0);"), b.copy(), b).ok
    assert b[0] == 3


def test_order_between_pipes_and_scalar_loads() -> None:
    body = f"{LOAD}\n{{}}\ntp_store(B, tp_load(UBF(4)) + 1);"
    issue = only(run(body.format("")), "race")
    assert "tp_load (PIPE_S) reads what copy_gm_to_ubuf (PIPE_MTE2) writes" in issue.message
    a, b = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    assert run(body.format("FLAG(PIPE_MTE2, PIPE_S, 3);"), a, b).ok
    assert b[0] == 2


def test_transitive_order_through_the_scalar_stream() -> None:
    # MTE3 starts after the scalar stream, which waited for V: no flag from V to MTE3.
    body = f"MASK();\n{LOAD}\nFLAG(PIPE_MTE2, PIPE_V, 0);\nvexp(UBF(1024), UBF(0), 1, 1, 1, 8, 8);\nFLAG(PIPE_V, PIPE_S, 0);\n{STORE.format(1024)}"
    assert run(body).ok


def test_flag_set_twice_is_found_in_each_order() -> None:
    # Live and free of races, but a slow V lets the second load set the flag again.
    body = """
for (int i = 0; i < 2; ++i) {
  copy_gm_to_ubuf(UBF(i * 256), A, 0, 1, 8, 0, 0);
  set_flag(PIPE_MTE2, PIPE_MTE3, 0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, 0);
}"""
    for policy in ("eager", "late", "random", "victim:MTE3"):
        issue = only(run(body, policy=policy), "flag-set-twice")
        assert "PIPE_MTE2 -> PIPE_MTE3 id 0" in issue.message
        assert "a flag back from PIPE_MTE3 to PIPE_MTE2" in issue.missing


def test_residual_flag() -> None:
    issue = only(run(f"{LOAD}\nset_flag(PIPE_MTE2, PIPE_V, 2);"), "residual-flag")
    assert issue.message == "flag PIPE_MTE2 -> PIPE_V id 2 is still set at the end of the kernel"
    assert issue.missing == "wait_flag(PIPE_MTE2, PIPE_V, 2)" and issue.line == FIRST + 1


def test_deadlock_without_a_set() -> None:
    issue = only(run("wait_flag(PIPE_MTE2, PIPE_V, 1);"), "deadlock")
    assert issue.message == "core: PIPE_V waits for flag PIPE_MTE2 -> PIPE_V id 1; nothing that was issued sets it"


def test_deadlock_in_a_circle_names_the_set_that_is_held_up() -> None:
    body = "wait_flag(PIPE_V, PIPE_MTE2, 0);\nset_flag(PIPE_MTE2, PIPE_V, 0);\nwait_flag(PIPE_MTE2, PIPE_V, 0);\nset_flag(PIPE_V, PIPE_MTE2, 0);"
    report = run(body)
    assert report.kinds() == {"deadlock"}
    v = next(issue for issue in report.errors if "PIPE_V waits" in issue.message)
    assert (v.line, v.other_line) == (FIRST + 2, FIRST + 1) and "held up" in v.message


def test_deadlock_of_the_scalar_stream() -> None:
    issue = only(run("wait_flag(PIPE_V, PIPE_S, 0);"), "deadlock")
    assert issue.message == "core: the scalar stream waits for flag PIPE_V -> PIPE_S id 0"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("set_flag(PIPE_V, PIPE_V, 0)", "source and target are both PIPE_V"),
        ("set_flag(PIPE_ALL, PIPE_V, 0)", "needs two pipes"),
        ("set_flag(PIPE_MTE2, PIPE_V, (event_t)8)", "event id is 8, but must be in [0, 7]"),
    ],
)
def test_flags_that_do_not_exist(call: str, message: str) -> None:
    report = run(f"{call};")
    assert any(message in issue.message for issue in report.errors), report


def test_ids_of_the_system_are_discouraged() -> None:
    report = run("FLAG(PIPE_MTE2, PIPE_V, 6);")
    assert report.ok and "kept for the system" in report.issues[0].message


@pytest.mark.parametrize("policy", ["eager", "late", "random"])
def test_a_kernel_ends_with_a_barrier_of_all_pipes(policy: str) -> None:
    module = Module(PRELUDE + kernel(LOAD, end=""))
    issue = only(module.launch("k", 1, [np.zeros(4096, np.float32), np.zeros(4096, np.float32)], policy), "unfinished")
    assert issue.line == FIRST and issue.missing == "pipe_barrier(PIPE_ALL) at the end"


def test_barriers_that_the_hardware_does_not_take() -> None:
    assert "error of the hardware" in only(run("pipe_barrier(PIPE_S);"), "flag").message
    issue = only(run_mixed("", "pipe_barrier(PIPE_FIX);"), "core")
    assert issue.message == "PIPE_FIX belongs to a cube core, but this is a vector core"
    assert only(run("FLAG(PIPE_M, PIPE_FIX, 0);\nFLAG(PIPE_MTE2, PIPE_V, 0);"), "core").line == FIRST + 1


SEND = "set_nd_para(1);\nffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | {} << 8);"


def test_cross_core_order_and_its_absence() -> None:
    # AIV0 stores what AIV1 loads.
    first = "vector_dup(UBF(0), 1.0f, 1, 1, 1, 8, 0);\nFLAG(PIPE_V, PIPE_MTE3, 0);\ncopy_ubuf_to_gm(A, UBF(0), 0, 1, 1, 0, 0);"
    vector = f"MASK();\nif (get_subblockid() == 0) {{{{\n{first}\n}}}}\n{{}}\nif (get_subblockid() == 1)\n  copy_gm_to_ubuf(UBF(0), A, 0, 1, 1, 0, 0);"
    issue = only(run_mixed("", vector.format("")), "race")
    assert issue.missing in ("a cross-core flag from AIV0 PIPE_MTE3 to AIV1", "a cross-core flag from AIV1 PIPE_MTE2 to AIV0")
    sync = "ffts_cross_core_sync(PIPE_MTE3, 1 | 1 << 4 | 3 << 8);\nwait_flag_dev(3);"
    for policy in ("eager", "late", "random", "victim:MTE3"):
        assert run_mixed("", vector.format(sync), policy=policy).ok


def test_cross_core_counter_overflows() -> None:
    cube = "for (int i = 0; i < 16; ++i)\n  ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 1 << 8);"
    vector = "for (int i = 0; i < 16; ++i)\n  wait_flag_dev(1);"
    for policy in ("eager", "late", "victim:AIV"):
        assert "can exceed 15" in only(run_mixed(cube, vector, policy=policy), "cross-core").message
    assert run_mixed(cube.replace("16", "15"), vector.replace("16", "15"), policy="victim:AIV").ok


def test_cross_core_residue_and_missing_partner() -> None:
    assert "was set for AIV0 but not waited for" in only(run_mixed(SEND.format(1), ""), "cross-core").message
    one = "if (get_subblockid() == 0)\n  ffts_cross_core_sync(PIPE_MTE3, 1 | 2 << 4 | 1 << 8);"
    assert "was set by AIV0, but not by its partners" in only(run_mixed("", one), "cross-core").message
    report = run_mixed("wait_flag_dev(1);", one)
    assert any(issue.message == "AIC: the scalar stream waits for cross-core id 1" for issue in report.errors)


def test_all_cores_join_only_where_they_run_at_the_same_time() -> None:
    body = "set_ffts_base_addr(0);\nffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 1 << 8);\nwait_flag_dev(1);"
    assert any("resident = blocks" in issue.message for issue in run(body, blocks=3).errors)
    assert run(body, blocks=3, resident=3).ok


def test_the_base_address_of_cross_core_flags_is_needed() -> None:
    report = run("ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 1 << 8);\nwait_flag_dev(1);")
    assert any("set_ffts_base_addr" in issue.message for issue in report.issues)


def test_blocks_are_not_ordered() -> None:
    body = "tp_store(UBF(256), (float)get_block_idx());\nFLAG(PIPE_S, PIPE_MTE3, 0);\ncopy_ubuf_to_gm_align_b32(B + {}, UBF(256), 0, 1, 4, 0, 0, 0, 0);"
    issue = only(run(body.format("0"), blocks=2), "race")
    assert issue.message.startswith("WAW in GM 'B' bytes [0, 4)") and issue.missing == "order between blocks, which run at the same time"
    # Neighbouring elements are no conflict.
    assert run(body.format("get_block_idx()"), blocks=8).ok


def test_special_registers_are_captured_at_issue() -> None:
    # The mask changes while both instructions are still queued.
    body = f"""
set_mask_norm();
set_vector_mask(0, ~0ull);
{LOAD}
FLAG(PIPE_MTE2, PIPE_V, 0);
vector_dup(UBF(1024), 1.0f, 1, 1, 1, 8, 0);
pipe_barrier(PIPE_V);
set_vector_mask(0, 3);
vector_dup(UBF(1024), 2.0f, 1, 1, 1, 8, 0);
set_vector_mask(0, 0);
FLAG(PIPE_V, PIPE_MTE3, 0);
{STORE.format(1024)}"""
    b = np.zeros(4096, np.float32)
    for policy in ("late", "early-write-late-read", "eager"):
        assert run(body, b.copy(), b, policy=policy).ok
        assert list(b[:4]) == [2, 2, 1, 1]
