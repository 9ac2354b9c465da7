"""Every fault the PTX emulator looks for, and exactly what it says."""

import numpy as np
import pytest
from ptx_text import issue, kernel, ptx, run

SHARED = ".shared .align 16 .b8 s[1024];\n"
OUT = np.zeros(1024, np.int32)
EXCHANGE = "mov.u32 %r1, s; mad.lo.s32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 32; mad.lo.s32 %r4, %r3, 4, %r1;\n"
STORE = "mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10], %r9;"


def test_a_missing_barrier_after_a_write():
    found = run(
        kernel(
            f"{EXCHANGE}st.shared.b32 [%r2], %r0;\nld.shared.b32 %r9, [%r4];\n{STORE}",
            shared=SHARED,
        ),
        OUT,
        block=64,
    ).issues
    race = next(one for one in found if one.kind == "race" and one.message.startswith("read"))
    assert (
        race.message
        == "read of shared memory at byte 1024 is not ordered after the write of another warp"
    )
    assert [(site.access, site.text) for site in race.sites] == [
        ("read by warp 1", "ld.shared.b32 %r9, [%r4];"),
        ("write by warp 0", "st.shared.b32 [%r2], %r0;"),
    ]
    first, second = race.sites[1].line, race.sites[0].line
    assert (
        second == first + 1 and race.missing == f"a barrier between line {first} and line {second}"
    )
    assert not run(
        kernel(
            f"{EXCHANGE}st.shared.b32 [%r2], %r0; bar.sync 0; ld.shared.b32 %r9, [%r4]; {STORE}",
            shared=SHARED,
        ),
        OUT,
        block=64,
    ).issues


def test_a_missing_barrier_before_a_refill():
    body = f"{EXCHANGE}st.shared.b32 [%r2], %r0; bar.sync 0; ld.shared.b32 %r9, [%r4];\nst.shared.b32 [%r2], %r9;\n{STORE}"
    for found in run(kernel(body, shared=SHARED), OUT, block=64).issues:
        assert found.kind == "race"
        first, second = sorted(site.line for site in found.sites)
        assert (
            second == first + 1
            and found.missing == f"a barrier between line {first} and line {second}"
        )
    assert (
        found.message
        == "write of shared memory at byte 1024 that another warp may still be reading"
    )
    assert [site.access for site in found.sites] == ["write by warp 0", "read by warp 1"]


def test_two_writes_of_one_place():
    found = issue(kernel("st.shared.b32 [s], %r0;", shared=SHARED), OUT, block=64)
    assert (
        found.message
        == "write of shared memory at byte 1024 is not ordered after the write of another warp"
    )
    # Halves of a word are different places.
    assert not run(
        kernel(
            "mad.lo.s32 %r1, %r0, 2, 1024; cvt.u16.u32 %h1, %r0; st.shared.b16 [%r1], %h1;",
            shared=SHARED + "mov.u32 %r9, s;",
        ),
        OUT,
        block=64,
    ).issues


def test_atomics_order_what_stands_around_them():
    # A flag in shared memory: the writer releases, the reader spins.
    body = f"""setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r0, 0; mov.u32 %r8, 0; @%p2 st.shared.b32 [s+512], %r8; bar.sync 0; @!%p1 bra READER;
    setp.eq.u32 %p3, %r0, 0; st.shared.b32 [s+4], 77; membar.cta; @%p3 atom.shared.exch.b32 %r1, [s+512], 1; mov.u32 %r9, 0; bra END;
    READER: ld.acquire.cta.shared.b32 %r2, [s+512]; setp.eq.u32 %p4, %r2, 0; @%p4 bra READER; ld.shared.b32 %r9, [s+4]; END: {STORE}"""
    for policy in ptx.POLICIES:
        OUT[:] = 0
        report = run(kernel(body, shared=SHARED), OUT, block=64, policy=policy)
        assert report, str(report)
        assert (OUT[32:64] == 77).all()


COPY = "mad.wide.u32 %d10, %r0, 16, %d1; mad.lo.s32 %r1, %r0, 16, 1024; cp.async.cg.shared.global [%r1], [%d10], 16;\n"
SOURCE = np.arange(1024, dtype=np.int32)


def copy_kernel(between: str, offset: str = "%r1") -> str:
    return kernel(
        f"{COPY}{between}\nld.shared.b32 %r9, [{offset}];\n{STORE}",
        2,
        ".shared .align 16 .b8 s[4096]; mov.u32 %r5, s;",
    )


WAITED = "cp.async.commit_group;\ncp.async.wait_group 0;"


def test_a_copy_that_nobody_waited_for():
    for between in (
        "",
        "cp.async.commit_group;",
        "cp.async.commit_group; cp.async.wait_group 1;",
        "cp.async.wait_group 0;",
    ):
        found = run(copy_kernel(between), OUT, SOURCE)
        assert {one.kind for one in found.issues} >= {"in-flight", "pending-copy"}, between
        race = next(one for one in found.issues if one.kind == "in-flight")
        assert (
            race.message
            == "read of shared memory at byte 1024 that an asynchronous copy may still be writing"
        )
        assert race.sites[1].access == "asynchronous copy by warp 0" and race.sites[
            1
        ].text.startswith("cp.async.cg")
        first, second = race.sites[1].line, race.sites[0].line
        assert (
            race.missing
            == f"a cp.async.wait_group that retires the copy of line {first} before line {second}"
        )
    for between in (WAITED, "cp.async.wait_all;"):
        report = run(copy_kernel(between), OUT, SOURCE)
        assert report, str(report)


def test_a_copy_another_warp_reads_without_a_barrier():
    other = "xor.b32 %r3, %r0, 32; mad.lo.s32 %r4, %r3, 16, 1024;"
    found = run(copy_kernel(WAITED + other, "%r4"), OUT, SOURCE, block=64).issues
    race = next(one for one in found if one.kind == "race" and one.message.startswith("read"))
    assert race.message.endswith("is not ordered after the asynchronous copy of another warp")
    wait = race.sites[1].line + 2
    assert (
        race.missing == f"a barrier between the wait in line {wait} and line {race.sites[0].line}"
    )
    report = run(copy_kernel(WAITED + "bar.sync 0;" + other, "%r4"), OUT, SOURCE, block=64)
    assert report, str(report)
    # A barrier in front of the wait is not enough.
    assert not run(
        copy_kernel("cp.async.commit_group; bar.sync 0; cp.async.wait_group 0;" + other, "%r4"),
        OUT,
        SOURCE,
        block=64,
    )


def test_a_copy_into_what_is_still_read():
    body = f"{COPY}{WAITED} bar.sync 0; xor.b32 %r3, %r0, 32; mad.lo.s32 %r4, %r3, 16, 1024; ld.shared.b32 %r9, [%r4];\ncp.async.cg.shared.global [%r1], [%d10], 16;\n{WAITED}{STORE}"
    text = kernel(body, 2, ".shared .align 16 .b8 s[4096]; mov.u32 %r5, s;")
    found = run(text, OUT, SOURCE, block=64).issues[-1]
    assert found.kind == "race" and found.sites[0].access == "asynchronous copy by warp 0"
    first, second = found.sites[1].line, found.sites[0].line
    assert found.missing == f"a barrier between line {first} and line {second}"
    assert (
        found.message
        == "asynchronous copy of shared memory at byte 1024 that another warp may still be reading"
    )


def test_only_late_copies_show_a_missing_wait_in_the_result():
    text = copy_kernel("cp.async.commit_group;")
    for policy, right in (("eager", True), ("late", False), ("early", False)):
        OUT[:] = 0
        run(text, OUT, SOURCE, policy=policy, races=False, undefined=False)
        assert (OUT[:32] == SOURCE[:128:4]).all() == right, policy


def test_sources_are_read_late():
    # The source is overwritten while the copy is in flight.
    body = f"{COPY}cp.async.commit_group; mov.u32 %r8, -1; st.global.b32 [%d10], %r8; cp.async.wait_group 0; ld.shared.b32 %r9, [%r1]; {STORE}"
    text = kernel(body, 2, ".shared .align 16 .b8 s[4096]; mov.u32 %r5, s;")
    for policy, expected in (("eager", SOURCE[:128:4]), ("late", [-1] * 32)):
        found = issue(text, OUT, SOURCE.copy(), policy=policy)
        assert OUT[:32].tolist() == list(expected)
        assert (
            found.kind == "in-flight"
            and found.message
            == "write of 'p1' at byte 0 that an asynchronous copy may still be reading"
        )
        assert [site.access for site in found.sites] == [
            "write by warp 0",
            "asynchronous copy by warp 0",
        ]
        assert "before line" in found.missing
    waited = text.replace("cp.async.commit_group;", "cp.async.wait_all;")
    assert run(waited, OUT, SOURCE.copy())


def test_the_shuffled_order_depends_on_the_seed_alone():
    text = kernel(
        "mov.u32 %r1, %warpid; setp.eq.u32 %p1, %r0, 0; atom.global.add.u32 %r2, [%d0], 1; and.b32 %r3, %r0, 31; setp.eq.u32 %p1, %r3, 0; mad.wide.u32 %d10, %r1, 4, %d0; @%p1 st.global.b32 [%d10+4], %r2;"
    )

    def order(seed: int) -> list[int]:
        out = np.zeros(9, np.int32)
        run(text, out, block=256, policy="shuffle", seed=seed)
        return out.tolist()

    assert order(3) == order(3)
    assert len({tuple(order(seed)) for seed in range(8)}) > 1


def test_warps_that_race_on_global_memory():
    found = issue(kernel("st.global.b32 [%d0], %r0;"), OUT, block=64)
    assert found.message == "write of 'p0' at byte 0 is not ordered after the write of another warp"
    found = issue(
        kernel(
            "xor.b32 %r1, %r0, 32; mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10], %r0; mad.wide.u32 %d11, %r1, 4, %d0; ld.global.b32 %r9, [%d11];"
        ),
        OUT,
        block=64,
    )
    assert (
        found.message == "write of 'p0' at byte 128 is not ordered after the read of another warp"
    )


def test_blocks_that_write_the_same_place():
    found = issue(kernel("mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10], %r0;"), OUT, grid=2)
    assert (
        found.kind == "race"
        and found.message
        == "write of 'p0' at byte 0 is not ordered after the write of another block"
    )
    assert [site.access for site in found.sites] == [
        "write by warp 0 of block 1",
        "write by warp 0 of block 0",
    ]
    assert (
        found.missing == "blocks run in any order: an atomic, or disjoint bytes"
        and found.count == 32
    )
    assert not run(kernel("red.global.add.u32 [%d0], 1;"), OUT, grid=2, block=64).issues


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10+3972], %r0;",
            "write of 4 bytes of global memory in lane 31 of warp 0: 4 bytes behind 'p0' of 4096 bytes",
        ),
        (
            "ld.global.b32 %r1, [%d0+-4];",
            "read of 4 bytes of global memory in lane 0 of warp 0: 4 bytes before 'p0' of 4096 bytes",
        ),
        ("ld.global.b64 %d1, [%d0+4092];", None),
        ("mov.u64 %d1, 0; ld.global.b32 %r1, [%d1];", "is in no buffer"),
        (
            "st.shared.b32 [s+1024], %r0;",
            "access of 4 bytes at byte 2048 of shared memory, which ends at 2048",
        ),
        (
            "mov.u32 %r1, 0; st.shared.b32 [%r1], %r0;",
            "access of 4 bytes at byte 0 of shared memory",
        ),
        ("mov.u32 %r1, -16; ld.shared.v4.b32 {%r2,%r3,%r4,%r5}, [%r1];", "shared memory"),
        ("mov.u64 %d1, -16; ld.b64 %d2, [%d1];", "of shared memory"),
        ("mov.u64 %d1, depot; st.local.b32 [%d1+16], %r0;", "of local memory"),
        ("ld.param.u64 %d1, [p0+8];", "of the parameters, which end at 8"),
        ("mov.u32 %r1, 0; cp.async.ca.shared.global [%r1], [%d0], 4;", "of shared memory"),
        (
            "mov.u32 %r1, s; cp.async.cg.shared.global [%r1], [%d0+4096], 16;",
            "asynchronous copy of 16 bytes of global memory in lane 0 of warp 0: 16 bytes behind 'p0' of 4096 bytes",
        ),
        (
            "mov.u32 %r1, s; cp.async.ca.shared.global [%r1], [%d0], 4, 8;",
            "source size 8 of a copy of 4 bytes",
        ),
        (
            "mov.u32 %r1, 32; T: .branchtargets E, E; brx.idx %r1, T; E:",
            "index 32 of a table of 2 targets",
        ),
        ("mov.u32 %r1, 16; bar.sync %r1;", "barrier 16 of 16"),
        ("bar.sync 0, 64;", "barrier for 64 threads in a block of 32"),
        ("trap;", "trap"),
    ],
)
def test_bounds(body, message):
    found = issue(
        kernel(body, shared=SHARED + ".local .align 4 .b8 depot[16];\n mov.u32 %r50, s;"), OUT
    )
    assert found.fatal and found.kind in ("bounds", "alignment", "fault")
    assert message is None or message in found.message
    assert found.sites[0].text and found.sites[0].line > 0


def test_a_source_size_of_zero_reads_nothing():
    body = f"mad.lo.s32 %r1, %r0, 16, 1024; mov.u32 %r6, s; cp.async.cg.shared.global [%r1], [%d0+1000000], 16, 0; cp.async.wait_all; ld.shared.b32 %r9, [%r1+12]; {STORE}"
    OUT[:] = 5
    assert run(kernel(body, shared=SHARED), OUT)
    assert (OUT[:32] == 0).all()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("ld.global.b32 %r1, [%d0+2];", "read of 4 bytes at address"),
        ("ld.global.v4.b32 {%r1,%r2,%r3,%r4}, [%d0+8];", "read of 16 bytes at address"),
        ("st.shared.b64 [s+4], %d0;", "write of 8 bytes at address 1028 in lane 0 of warp 0"),
        (
            "mov.u32 %r1, s; cp.async.cg.shared.global [%r1+8], [%d0], 16;",
            "asynchronous copy of 16 bytes to byte 1032 of shared memory",
        ),
        (
            "mov.u32 %r1, s; cp.async.cg.shared.global [%r1], [%d0+8], 16;",
            "asynchronous copy of 16 bytes from address",
        ),
        (
            "mov.u32 %r1, s; mad.lo.s32 %r1, %r0, 8, %r1; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
            "row 1 of matrix 0 at byte 1032 of shared memory is not aligned to 16 bytes",
        ),
    ],
)
def test_alignment(body, message):
    found = run(kernel(body, shared=SHARED), OUT).issues[-1]
    assert found.kind == "alignment" and message in found.message


def test_uninitialised_registers_and_memory():
    found = issue(kernel("st.global.b32 [%d0], %r9;"), OUT, block=1)
    assert (
        found.kind == "uninitialised"
        and found.message
        == "a value stored to global memory depends on a value that was never written"
    )
    assert found.sites[0].access == "use of %r9 by warp 0" and found.missing.startswith(
        "a write of register %r9 before line"
    )
    # Through arithmetic and shared memory, to the load that read nothing.
    body = "ld.shared.b32 %r1, [s+16]; add.s32 %r2, %r1, 1; st.shared.b32 [s+32], %r2; ld.shared.b32 %r3, [s+32];\nmul.lo.s32 %r4, %r3, %r3;\nst.global.b32 [%d0], %r4;"
    found = issue(kernel(body, shared=SHARED), OUT, block=1)
    assert found.kind == "uninitialised"
    found = issue(
        kernel("ld.shared.b32 %r1, [s+16];\nst.global.b32 [%d0], %r1;", shared=SHARED), OUT, block=1
    )
    assert (
        found.sites[1].text.endswith("ld.shared.b32 %r1, [s+16];")
        and found.sites[1].access == "read of memory that nothing was written to"
    )
    found = issue(kernel("setp.eq.u32 %p1, %r9, 0; @%p1 bra E; E:"), OUT, block=1)
    assert found.message == "the predicate depends on a value that was never written"
    found = run(kernel("ld.global.b32 %r1, [%d20];"), OUT, block=1).issues[0]
    assert found.message == "an address depends on a value that was never written"
    # What is not used is not reported; a choice of the defined side is defined.
    assert run(
        kernel(
            "add.s32 %r9, %r8, 1; setp.eq.u32 %p1, %r0, %r0; selp.b32 %r7, %r0, %r9, %p1; st.global.b32 [%d0], %r7; ld.shared.b32 %r6, [s];",
            shared=SHARED,
        ),
        OUT,
        block=1,
    )
    assert run(kernel("st.global.b32 [%d0], %r9;"), OUT, block=1, undefined=False)


@pytest.mark.parametrize(
    ("operand", "bad"),
    [("%r1", {4, 5, 6, 7}), ("%r5", {lane for lane in range(32) if lane % 4 == 0})],
)
def test_undefined_elements_spread_through_mma(operand, bad):
    # Lane 5 holds elements of row 1 of A, and of column 1 of B (which lanes 4g hold in D).
    body = f"""setp.eq.u32 %p1, %r0, 5; mov.u32 %r1, 0; mov.u32 %r5, 0; mov.u32 %r7, s; @%p1 ld.shared.b32 {operand}, [%r7]; mov.u32 %r2, 0; mov.f32 %f1, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f2, %f3, %f4, %f5}}, {{%r1, %r2, %r2, %r2}}, {{%r5, %r2}}, {{%f1, %f1, %f1, %f1}};
    mad.wide.u32 %d10, %r0, 4, %d0; ld.global.b32 %r9, [%d0]; setp.eq.u32 %p2, %r0, %r9; @%p2 st.global.f32 [%d10+4], %f2;"""
    for lane in range(32):
        found = run(kernel(body, shared=SHARED), np.full(64, lane, np.int32)).issues
        assert [one.kind for one in found] == (["uninitialised"] if lane in bad else []), lane


def test_deadlock_and_divergent_barriers():
    found = issue(
        kernel("setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1; bra E; A:\nbar.sync 2; E:"),
        OUT,
        block=64,
    )
    assert found.kind == "deadlock"
    first, second = found.sites
    assert (
        found.message
        == f"no warp can go on: warp 0 waits at barrier 2 in line {first.line} (32 of 64 threads); warp 1 waits at barrier 1 in line {second.line} (32 of 64 threads)"
    )
    found = issue(
        kernel(
            "setp.lt.u32 %p1, %r0, 16; @%p1 bra A; mov.u32 %r1, 0; bra E; A:\nbar.sync 0;\nE: mov.u32 %r2, 0;"
        ),
        OUT,
    )
    assert (
        found.kind == "divergence" and found.message == "executed by 16 of the 32 threads of warp 0"
    )
    assert (
        found.sites[1].access == "the other threads wait to go on"
        and found.missing == "all threads of the warp must execute it together"
    )
    found = issue(kernel("setp.lt.u32 %p1, %r0, 16; @%p1 bar.sync 0;"), OUT)
    assert found.kind == "divergence"
    # Threads that have ended are not waited for.
    assert run(kernel("setp.lt.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0;"), OUT, block=96)


def test_matrix_instructions_need_the_whole_warp():
    body = "setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, s; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];"
    assert issue(kernel(body, shared=SHARED), OUT).kind == "divergence"


def test_issues_are_merged_and_limited():
    report = run(
        kernel("mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10], %r0;"), OUT, grid=4, block=64
    )
    assert [one.count for one in report.issues] == [192]
    body = "\n".join(f"st.global.b32 [%d0+{4 * i}], %r0;" for i in range(60))
    assert len(run(kernel(body), OUT, block=64, max_issues=8).issues) == 3


def test_half_of_a_pair_that_nobody_uses_need_not_be_there():
    pair = "mov.b16 %h0, 7; mov.b32 %r4, {%h0, %h1};\n"
    for use in ("st.global.b16 [%d0], %r4;", "mov.b32 {%h2, %h3}, %r4; st.global.b16 [%d0], %h2;"):
        assert not run(kernel(pair + use), OUT, block=1).issues
    for use in ("st.global.b32 [%d0], %r4;", "mov.b32 {%h2, %h3}, %r4; st.global.b16 [%d0], %h3;"):
        assert issue(kernel(pair + use), OUT, block=1).kind == "uninitialised"
