"""Exchange between lanes, memory, atomics and control flow of the PTX emulator."""

import concurrent.futures

import numpy as np
import pytest
from ptx_text import HEAD, clean, issue, kernel, lanes, ptx, run

STORE = "mad.wide.u32 %d10, %r0, 4, %d0; st.global.b32 [%d10], %r9;"
LANE = np.arange(32)


@pytest.mark.parametrize(
    ("mode", "b", "c", "source"),
    [
        ("bfly", 5, 31, lambda i: i ^ 5),
        ("bfly", 16, 0x1F, lambda i: i ^ 16),
        ("up", 3, 0, lambda i: i - 3 if i >= 3 else i),
        ("down", 3, 31, lambda i: i + 3 if i + 3 <= 31 else i),
        ("idx", 7, 31, lambda i: 7),
        # Segments of 8 lanes: the mask of the segment is in bits 8 to 12.
        ("idx", 2, 0x181F, lambda i: i // 8 * 8 + 2),
        ("up", 1, 0x1800, lambda i: i - 1 if i % 8 else i),
        ("down", 1, 0x181F, lambda i: i + 1 if i % 8 != 7 else i),
    ],
)
def test_shuffles(mode, b, c, source):
    body = f"mul.lo.s32 %r1, %r0, 10; shfl.sync.{mode}.b32 %r9|%p1, %r1, {b}, {c}, 0xffffffff; selp.b32 %r2, 0, 1000, %p1; add.s32 %r9, %r9, %r2; {STORE}"
    expected = [
        source(i) * 10 + (1000 if source(i) == i and mode != "idx" else 0) for i in range(32)
    ]
    assert lanes(kernel(body), np.int32).tolist() == expected


def test_votes_matches_and_reductions():
    body = """and.b32 %r1, %r0, 3; setp.eq.u32 %p1, %r1, 1;
    vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1; vote.sync.uni.pred %p4, %p1, -1; vote.sync.ballot.b32 %r2, %p1, -1;
    match.any.sync.b32 %r3, %r1, -1; match.all.sync.b32 %r4|%p5, %r2, -1; activemask.b32 %r5;
    redux.sync.add.s32 %r6, %r0, -1; redux.sync.max.u32 %r7, %r0, -1; redux.sync.xor.b32 %r8, %r0, -1;
    selp.b32 %r10, 1, 0, %p2; selp.b32 %r11, 2, 0, %p3; selp.b32 %r12, 4, 0, %p4; selp.b32 %r13, 8, 0, %p5;
    add.s32 %r10, %r10, %r11; add.s32 %r10, %r10, %r12; add.s32 %r10, %r10, %r13;
    mad.wide.u32 %d10, %r0, 32, %d0; st.global.v4.b32 [%d10], {%r2, %r3, %r4, %r5}; st.global.v4.b32 [%d10+16], {%r6, %r7, %r8, %r10};"""
    out = np.zeros((32, 8), np.uint32)
    clean(kernel(body), out)
    ballot = 0x22222222
    assert (
        (out[:, 0] == ballot).all()
        and (out[:, 2] == 2**32 - 1).all()
        and (out[:, 3] == 2**32 - 1).all()
    )
    assert (out[:, 1] == np.array([0x11111111, 0x22222222, 0x44444444, 0x88888888])[LANE % 4]).all()
    assert (out[:, 4:] == [496, 31, 0, 1 + 8]).all()


def test_members_must_be_there():
    text = kernel(
        f"setp.lt.u32 %p1, %r0, 16; @%p1 shfl.sync.bfly.b32 %r9, %r0, 1, 31, 0xffffffff; {STORE}"
    )
    found = run(text, np.zeros(32, np.int32)).issues[-1]
    assert (
        found.kind == "divergence" and "names lane 16, which does not execute it" in found.message
    )
    text = kernel(
        f"mov.u32 %r9, 0; setp.lt.u32 %p1, %r0, 16; @%p1 shfl.sync.bfly.b32 %r9, %r0, 1, 31, 0xffff; {STORE}"
    )
    assert lanes(text, np.int32).tolist() == [i ^ 1 if i < 16 else 0 for i in range(32)]


def test_vectors_spaces_and_local_memory():
    body = """cvt.u64.u32 %d5, %r0; mul.lo.s64 %d6, %d5, 16; add.s64 %d7, %d0, %d6; ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d7];
    mov.u32 %r5, s; mad.lo.s32 %r6, %r0, 16, %r5; st.shared.v4.b32 [%r6], {%r4, %r3, %r2, %r1};
    mov.u64 %d8, s; cvta.shared.u64 %d8, %d8; add.s64 %d8, %d8, %d6; ld.v2.b64 {%d11, %d12}, [%d8];
    isspacep.shared %p1, %d8; isspacep.global %p2, %d7; isspacep.global %p3, %d8; isspacep.local %p4, %d14;
    mov.u64 %d13, depot; cvta.local.u64 %d14, %d13; st.local.b64 [depot+8], %d11; st.b64 [%d14], %d12; ld.b64 %d11, [%d14+8]; ld.local.b64 %d12, [%d13];
    isspacep.local %p4, %d14; and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p4; and.pred %p1, %p1, !%p3; @!%p1 trap;
    add.s64 %d9, %d1, %d6; st.global.v2.b64 [%d9], {%d11, %d12};"""
    a, out = np.arange(128, dtype=np.int32).reshape(32, 4), np.zeros((32, 4), np.int32)
    text = kernel(body, 2, ".shared .align 16 .b8 s[512]; .local .align 8 .b8 depot[16];").replace(
        "isspacep.local %p4, %d14;\n", "\n", 1
    )
    clean(text, a, out)
    assert (out == a[:, ::-1]).all()


def test_static_dynamic_and_module_shared_memory_do_not_overlap():
    text = (
        HEAD
        + ".shared .align 4 .b8 one[12];\n.extern .shared .align 128 .b8 dyn[];\n.shared .b8 unused[4096];\n"
        + kernel(
            f"mov.u32 %r1, one; mov.u32 %r2, two; mov.u32 %r3, dyn; mov.u32 %r4, %r1; sub.s32 %r5, %r2, %r1; sub.s32 %r6, %r3, %r1; and.b32 %r7, %r3, 127; mad.lo.s32 %r9, %r5, 1000, %r6; mad.lo.s32 %r9, %r7, 1000000, %r9; st.shared.b32 [dyn+60], %r9; {STORE}",
            shared=".shared .align 16 .b8 two[20];\n",
        ).removeprefix(HEAD)
    )
    out = np.zeros(32, np.int32)
    clean(text, out, shared_bytes=64)
    assert (out == 16 * 1000 + 128).all()
    assert ptx.Module(text).kernels["k"].static_shared == 36


@pytest.mark.parametrize(
    ("op", "dtype", "operand", "start", "expected"),
    [
        ("add.u32", np.uint32, "%r0", 5, 5 + 2016), ("add.f32", np.float32, "%f1", 0.5, 0.5 + 2016), ("min.s32", np.int32, "%r0", 9, 0),
        ("max.s32", np.int32, "%r0", -4, 63), ("max.u32", np.uint32, "%r0", 1000, 1000), ("or.b32", np.uint32, "%r0", 64, 127),
        ("and.b32", np.uint32, "%r0", 255, 0), ("xor.b32", np.uint32, "%r0", 3, 3), ("inc.u32", np.uint32, "20", 0, 64 % 21),
        ("add.u64", np.uint64, "%d9", 2**40, 2**40 + 2016), ("add.f64", np.float64, "%e1", 0.25, 2016.25), ("add.noftz.f16", np.float16, "%h1", 0, 2016),
    ],
)  # fmt: skip
@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomics(op, dtype, operand, start, expected, space):
    size = np.dtype(dtype).itemsize
    where = "[%d0]" if space == "global" else "[s]"
    scalar = {2: "%h2", 4: "%r2", 8: "%d2"}[size]
    setup = f"setp.eq.u32 %p1, %r0, 0; @%p1 ld.global.b{8 * size} {scalar}, [%d0]; @%p1 st.shared.b{8 * size} [s], {scalar}; bar.sync 0;"
    after = f"bar.sync 0; @%p1 ld.shared.b{8 * size} {scalar}, [s]; @%p1 st.global.b{8 * size} [%d0], {scalar};"
    body = f"cvt.rn.f32.u32 %f1, %r0; cvt.u64.u32 %d9, %r0; cvt.rn.f64.u32 %e1, %r0; cvt.rn.f16.f32 %h1, %f1; {setup if space == 'shared' else ''} red.{space}.{op} {where}, {operand}; {after if space == 'shared' else ''}"
    out = np.array([start], dtype)
    clean(kernel(body, shared=".shared .align 8 .b8 s[8];"), out, block=64)
    assert out[0] == expected


def test_compare_and_swap_and_exchange():
    body = "atom.global.acq_rel.gpu.cas.b32 %r1, [%d0], %r0, 7; atom.global.exch.b32 %r2, [%d0+4], %r0; atom.global.add.u32 %r3, [%d0+8], 1; mad.wide.u32 %d10, %r0, 16, %d0; st.global.v4.b32 [%d10+16], {%r1, %r2, %r3, %r0};"
    out = np.zeros((33, 4), np.uint32)
    clean(kernel(body), out)
    assert out[0].tolist() == [7, 31, 32, 0]
    # Lanes take their turn: only lane 0 found its own number, everyone saw its predecessor.
    assert (
        out[1:, 0].tolist() == [0] + [7] * 31
        and out[1:, 1].tolist() == [0, *range(31)]
        and out[1:, 2].tolist() == list(range(32))
    )


def test_divergent_control_flow():
    # Collatz steps: every lane leaves the loop after a number of rounds of its own.
    body = f"""add.s32 %r1, %r0, 1; mov.u32 %r9, 0;
    L: setp.eq.u32 %p1, %r1, 1; @%p1 bra E; and.b32 %r2, %r1, 1; setp.eq.u32 %p2, %r2, 0; @%p2 bra EVEN; mad.lo.s32 %r1, %r1, 3, 1; bra NEXT;
    EVEN: shr.u32 %r1, %r1, 1; NEXT: add.s32 %r9, %r9, 1; bra L; E: {STORE}"""

    def steps(n: int) -> int:
        count = 0
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        return count

    assert lanes(kernel(body), np.int32, block=96).tolist() == [steps(i + 1) for i in range(96)]


def test_tables_of_branches_and_early_exits():
    body = f"""setp.gt.u32 %p1, %r0, 24; @%p1 exit; and.b32 %r1, %r0, 3;
    T: .branchtargets A, B, C, B; brx.idx %r1, T;
    A: mov.u32 %r9, 100; bra E; B: mov.u32 %r9, 200; bra E; C: setp.eq.u32 %p2, %r0, 2; mov.u32 %r9, 300; @%p2 ret; E: {STORE}"""
    expected = [[100, 200, 300, 200][i % 4] if i <= 24 and i != 2 else 0 for i in range(32)]
    assert lanes(kernel(body), np.int32).tolist() == expected


def test_threads_converge_behind_a_branch():
    # After the join all 32 lanes take part again, whatever the order of the blocks.
    body = f"and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 5; @%p1 bra A; bra B; J: activemask.b32 %r9; bra E; A: mov.u32 %r2, 7; bra J; B: mov.u32 %r2, 9; bra J; E: {STORE}"
    assert (lanes(kernel(body), np.uint32) == 2**32 - 1).all()


def test_barriers_with_numbers_counts_and_reductions():
    body = """setp.ge.u32 %p1, %r0, 64; mov.u32 %r5, s; and.b32 %r6, %r0, 63; mad.lo.s32 %r6, %r6, 4, %r5; mul.lo.s32 %r1, %r0, 3;
    @%p1 bra CONSUMER;
    st.shared.b32 [%r6], %r1; bar.arrive 1, 128; bra END;
    CONSUMER: bar.sync 1, 128; ld.shared.b32 %r9, [%r6]; sub.s32 %r7, %r0, 64; mad.wide.u32 %d10, %r7, 4, %d0; st.global.b32 [%d10], %r9;
    END: setp.eq.u32 %p2, %r1, 30; bar.red.popc.u32 %r8, 0, %p2; bar.red.or.pred %p3, 0, %p2; bar.red.and.pred %p4, 0, %p2; selp.b32 %r9, 10, 0, %p3; add.s32 %r8, %r8, %r9; selp.b32 %r9, 100, 0, %p4; add.s32 %r8, %r8, %r9; st.global.b32 [%d0+256], %r8;"""
    out = np.zeros(65, np.int32)
    report = run(
        kernel(body, shared=".shared .align 4 .b8 s[256];").replace(
            "st.global.b32 [%d0+256]", "setp.eq.u32 %p5, %r0, 0; @%p5 st.global.b32 [%d0+256]"
        ),
        out,
        block=128,
    )
    assert report, str(report)
    assert out[:64].tolist() == [3 * i for i in range(64)] and out[64] == 11


def test_special_registers():
    body = """mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.y; mad.lo.s32 %r6, %r2, %r3, %r1;
    mov.u32 %r7, %ntid.y; mad.lo.s32 %r8, %r5, %r4, %r0; mul.lo.s32 %r9, %r4, %r7; mad.lo.s32 %r9, %r6, %r9, %r8; mov.u32 %r10, %laneid; mov.u32 %r11, %warpid; mov.u32 %r12, %lanemask_lt; mov.u32 %r13, WARP_SZ;
    mad.wide.u32 %d10, %r9, 16, %d0; st.global.v4.b32 [%d10], {%r10, %r11, %r12, %r13};"""
    out = np.zeros((4 * 2, 24, 4), np.uint32)
    clean(kernel(body), out, grid=(4, 2), block=(8, 3))
    assert (
        (out[:, :, 0] == np.arange(24)).all()
        and (out[:, :, 1] == 0).all()
        and (out[:, :, 2] == 2 ** np.arange(24) - 1).all()
        and (out[:, :, 3] == 32).all()
    )


@pytest.mark.parametrize(
    ("stride", "access", "conflicts"),
    [
        (4, "ld.shared.b32 %r9", 0), (8, "ld.shared.b32 %r9", 1), (128, "ld.shared.b32 %r9", 31), (132, "ld.shared.b32 %r9", 0), (0, "ld.shared.b32 %r9", 0),
        (16, "ld.shared.v4.b32 {%r9, %r8, %r7, %r6}", 0), (32, "ld.shared.v4.b32 {%r9, %r8, %r7, %r6}", 4), (8, "ld.shared.b64 %d9", 0),
        (16, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9, %r8, %r7, %r6}", 0), (64, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9, %r8, %r7, %r6}", 12),
        (80, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9, %r8, %r7, %r6}", 0),
    ],
)  # fmt: skip
def test_bank_conflicts_are_counted(stride, access, conflicts):
    text = kernel(
        f"mov.u32 %r1, s; mad.lo.s32 %r1, %r0, {stride}, %r1;\n{access}, [%r1];",
        shared=".shared .align 128 .b8 s[8192];",
    )
    found = run(text, np.zeros(32, np.int32), census=True).statistics["bank_conflicts"]
    assert list(found.values()) == ([conflicts] if conflicts else [])


def test_launches_in_several_threads():
    module = ptx.Module(
        kernel(
            f"mad.wide.u32 %d10, %r0, 4, %d0; ld.global.b32 %r9, [%d10]; mov.u32 %r1, 2000; L: add.s32 %r9, %r9, 1; sub.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; {STORE}"
        )
    )

    def work(start: int) -> bool:
        out = np.full(32, start, np.int32)
        return bool(module.launch("k", 1, 32, 0, [out])) and bool((out == start + 2000).all())

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(16)))


def test_arguments_that_share_memory():
    body = "mad.wide.u32 %d10, %r0, 4, %d0; ld.global.b32 %r1, [%d10]; add.s32 %r1, %r1, 1; mad.wide.u32 %d10, %r0, 4, %d1; st.global.b32 [%d10+128], %r1; sub.s64 %d3, %d1, %d0; cvt.u32.u64 %r2, %d3; st.global.b32 [%d2], %r2;"
    data = np.zeros(96, np.int32)
    out = np.zeros(1, np.int32)
    found = run(kernel(body, 3), data[:64], data[32:], out).issues
    assert not found and (data[64:] == 1).all() and out[0] == 128


def test_read_only_arrays_are_not_written():
    data = np.zeros(32, np.int32)
    data.flags.writeable = False
    found = issue(kernel(f"mov.u32 %r9, 1; {STORE}"), data)
    assert found.kind == "bounds" and "write of 'p0', which is read-only" in found.message
