"""Threads of one warp are ordered by barriers and by bar.warp.sync, by nothing else."""

import numpy as np
import pytest
from ptx_text import clean, issue, kernel, ptx

SHARED = ".shared .align 16 .b8 s[1024];\n"
OUT = np.zeros(1024, np.int32)
SOURCE = np.arange(1024, dtype=np.int32)
# The element of this lane and the one of its neighbour.
OWN = "mov.u32 %r1, s; mad.lo.s32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 1; mad.lo.s32 %r4, %r3, 4, %r1;\n"
STORE = "mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10], %r9;"
COPY = "mad.wide.u32 %d11, %r0, 4, %d1; cp.async.ca.shared.global [%r2], [%d11], 4;\n"
WAIT = "cp.async.commit_group; cp.async.wait_group 0;\n"
SYNC = "bar.warp.sync 0xffffffff;\n"


def shared(body: str, params: int = 1) -> str:
    return kernel(OWN + body, params, SHARED)


@pytest.mark.parametrize("between", ["bar.sync 0;\n", SYNC])
def test_a_neighbour_reads_what_was_written(between):
    write, read = "st.shared.b32 [%r2], %r0;\n", f"ld.shared.b32 %r9, [%r4];\n{STORE}"
    found = issue(shared(write + read), OUT)
    assert (
        found.message
        == "read of shared memory at byte 1028 is not ordered after the write of another thread of the warp"
    )
    first, second = found.sites[1].line, found.sites[0].line
    assert found.missing == f"a bar.warp.sync between line {first} and line {second}"
    # A shuffle brings threads together, but does not order memory.
    assert (
        issue(shared(f"{write}shfl.sync.bfly.b32 %r5, %r0, 1, 31, 0xffffffff;{read}"), OUT).kind
        == "race"
    )
    clean(shared(write + between + read), OUT)


def test_a_thread_is_in_order_with_itself():
    clean(
        shared(
            f"st.shared.b32 [%r2], %r0; ld.shared.b32 %r9, [%r2]; st.shared.b32 [%r2], %r9; {STORE}"
        ),
        OUT,
    )
    clean(shared(f"{COPY}{WAIT}ld.shared.b32 %r9, [%r2]; {STORE}", 2), OUT, SOURCE)


@pytest.mark.parametrize("between", ["bar.sync 0;\n", SYNC])
def test_a_neighbour_writes_what_is_still_read(between):
    fill, read, refill = (
        f"st.shared.b32 [%r2], %r0; {SYNC}",
        "ld.shared.b32 %r9, [%r4];\n",
        f"st.shared.b32 [%r2], %r1;\n{STORE}",
    )
    found = issue(shared(fill + read + refill), OUT)
    assert (
        found.message
        == "write of shared memory at byte 1024 that another thread of the warp may still be reading"
    )
    clean(shared(fill + read + between + refill), OUT)
    # All lanes have read the first element, one of them last.
    all_read = f"{fill}ld.shared.b32 %r9, [s];\nsetp.eq.s32 %p1, %r0, 31; "
    assert issue(shared(f"{all_read}@%p1 st.shared.b32 [s], %r0; {STORE}"), OUT).kind == "race"
    clean(shared(f"{all_read}{between} @%p1 st.shared.b32 [s], %r0; {STORE}"), OUT)


@pytest.mark.parametrize("between", ["bar.sync 0;\n", SYNC])
def test_a_wait_is_for_the_copies_of_its_own_thread(between):
    read = f"ld.shared.b32 %r9, [%r4];\n{STORE}"
    found = issue(shared(COPY + WAIT + read, 2), OUT, SOURCE)
    assert found.message.endswith(
        "is not ordered after the asynchronous copy of another thread of the warp"
    )
    clean(shared(COPY + WAIT + between + read, 2), OUT, SOURCE)
    # Behind the copy but before the wait, it says nothing.
    assert (
        issue(
            shared(f"{COPY}cp.async.commit_group; {between}cp.async.wait_group 0;{read}", 2),
            OUT,
            SOURCE,
        ).kind
        == "race"
    )
    # And the next copy is for a place that a neighbour reads.
    again = f"{COPY}{WAIT}{between}ld.shared.b32 %r9, [%r4];\n"
    assert issue(shared(f"{again}{COPY}{WAIT}{STORE}", 2), OUT, SOURCE).message.endswith(
        "another thread of the warp may still be reading"
    )
    clean(shared(f"{again}{between}{COPY}{WAIT}{STORE}", 2), OUT, SOURCE)


def test_a_matrix_is_read_by_all_lanes():
    place = "mov.u32 %r1, s; mad.lo.s32 %r2, %r0, 16, %r1;\n"
    write, read = (
        "st.shared.v4.b32 [%r2], {%r0, %r0, %r0, %r0};\n",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9, %r8, %r7, %r6}, [%r2];\n",
    )
    assert issue(kernel(place + write + read + STORE, shared=SHARED), OUT).kind == "race"
    clean(kernel(place + write + SYNC + read + STORE, shared=SHARED), OUT)
    refill = place + write + SYNC + read + STORE
    assert issue(kernel(refill + write, shared=SHARED), OUT).kind == "race"
    clean(kernel(refill + SYNC + write, shared=SHARED), OUT)


def test_global_memory():
    own = "mad.wide.u32 %d10, %r0, 4, %d0; xor.b32 %r3, %r0, 1; mad.wide.u32 %d11, %r3, 4, %d0; st.global.b32 [%d10], %r0;\n"
    found = issue(kernel(f"{own}ld.global.b32 %r9, [%d11];"), OUT)
    assert (
        found.message
        == "read of 'p0' at byte 4 is not ordered after the write of another thread of the warp"
    )
    assert found.missing.startswith("a bar.warp.sync between line")
    clean(kernel(f"{own}{SYNC}ld.global.b32 %r9, [%d11];"), OUT)
    clean(kernel(f"{own}ld.global.b32 %r9, [%d10];"), OUT)
    assert (
        issue(
            kernel(f"{own}{SYNC}ld.global.b32 %r9, [%d11];\nst.global.b32 [%d10], %r9;"), OUT
        ).kind
        == "race"
    )


def test_without_its_barrier_a_mutant_is_noticed():
    module = ptx.Module(
        shared(f"st.shared.b32 [%r2], %r0;\n{SYNC}ld.shared.b32 %r9, [%r4];\n{STORE}")
    )
    mutants = list(module.sync_mutants())
    assert [mutant.kind for mutant in mutants] == ["warp-barrier-removed"]
    assert not mutants[0].module.launch("k", 1, 32, 0, [OUT])
