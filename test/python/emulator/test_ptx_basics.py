"""Parsing, arguments and reports of the PTX emulator."""

import numpy as np
import pytest
from ptx_text import HEAD, clean, issue, kernel, lanes, ptx, run


def test_kernels_are_described():
    module = ptx.Module(
        HEAD
        + ".extern .shared .align 1024 .b8 dyn[];\n.visible .entry a(.param .u64 .ptr .align 16 x, .param .f32 s)\n"
        ".maxntid 128, 1, 1\n{ .shared .align 16 .b8 s1[48]; .reg .b32 %r<2>; mov.u32 %r0, s1; mov.u32 %r1, dyn; ret; }"
    )
    k = module.kernels["a"]
    assert [(p.name, p.type, p.offset, p.bytes) for p in k.params] == [
        ("x", "u64", 0, 8),
        ("s", "f32", 8, 4),
    ]
    assert (k.static_shared, k.dynamic_shared, k.max_threads) == (48, True, (128, 1, 1))
    assert [(v.name, v.offset, v.bytes, v.dynamic) for v in k.shared] == [
        ("s1", 0, 48, False),
        ("dyn", 1024, 0, True),
    ]
    assert k.dynamic_offset == 1024 and k.instructions == 3
    assert module.target == "sm_80" and module.census == {"mov.u32": 2, "ret": 1}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("frobnicate.b32 %r1, %r2;", "unknown instruction 'frobnicate.b32'"),
        ("add.frob.s32 %r1, %r2, %r3;", "unknown modifier '.frob' of 'add.frob.s32'"),
        ("add.rz.f32 %f1, %f2, %f3;", "unknown modifier '.rz' of 'add.rz.f32'"),
        ("add.b32 %r1, %r2, %r3;", "type '.b32' of 'add.b32' is not modelled"),
        ("add.s32 %r1, %r2;", "'add.s32' takes 3 operands, has 2"),
        ("add.s32 %r1, %d2, %r3;", "'add.s32' takes a register of at most 32 bits here, not '%d2'"),
        ("add.s64 %d1, %d2, %r3;", "'add.s64' takes a register of 64 bits here, not '%r3'"),
        ("add.s32 %r1, %r2, %q;", "unknown register '%q'"),
        ("mov.u32 %tid.x, %r1;", "'mov.u32' takes a register here, not '%tid.x'"),
        ("bra nowhere;", "unknown label 'nowhere'"),
        ("@%r1 bra x;", "'%r1' is not a predicate register"),
        ("call foo;", "device functions are not modelled"),
        ("call.uni (r), foo, (a);", "device functions are not modelled"),
        ("{ .param .b64 a; st.param.b64 [a], 1; ld.param.b32 %r1, [b]; }", "unknown"),
        ("ld.global.v2.b32 {%r1}, [%d0];", "'ld.global.v2.b32' takes 2 elements, has 1"),
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},{%r1,%r2},{%r1,%r2},{%f0,%f1,%f2,%f3};",
            "operand 1 of",
        ),
        ("wgmma.fence.sync.aligned;", "unknown instruction 'wgmma.fence.sync.aligned'"),
    ],
)
def test_unknown_text_is_refused_with_its_place(body, message):
    text = kernel(body)
    line = text[: text.index(body)].count("\n") + 1
    with pytest.raises(ptx.PtxError, match="^ptx:") as error:
        ptx.Module(text)
    assert message in str(error.value)
    assert str(error.value).startswith(f"ptx:{line}:")


CALL = """{ // callseq 0, 0
  .param .b64 param0;
  .param .align 8 .b8 param1[16];
  .param .b32 retval0;
  st.param.b64 [param0], 1;
  call.uni (retval0), vprintf, (param0, param1);
  ld.param.b32 %r1, [retval0];
  }
  @%p1 bra done;
  {
  .param .b64 param0;
  st.param.b64 [param0], %d1;
  call.uni __assertfail, (param0);
  }
  done:"""


@pytest.mark.parametrize("holds", [True, False])
def test_functions_for_debugging(holds):
    """An assertion that does not hold is a fault at its place; prints do nothing."""
    text = kernel(f"setp.eq.u32 %p1, %r0, {-1 if holds else '%r0'};\n{CALL}".replace("@%p1", "@!%p1"))
    assert ptx.Module(text).census.get("call.uni", 0) == 1
    report = run(text, np.zeros(4, np.int32))
    assert bool(report) == holds
    assert holds or "an assertion does not hold" in str(report)


def test_scopes_of_inline_assembly():
    body = """
    mov.u32 %r1, 1;
    { .reg .b32 %r1; .reg .pred p; setp.eq.u32 p, %r0, 3; mov.u32 %r1, 7; @!p bra L; add.s32 %r1, %r1, 100;
      L: mov.u32 %r2, %r1; }
    { .reg .pred p; setp.eq.u32 p, %r0, 4; @p bra L; bra M; L: add.s32 %r2, %r2, 1000; M: }
    add.s32 %r2, %r2, %r1;
    mad.wide.u32 %d1, %r0, 4, %d0; st.global.b32 [%d1], %r2;"""
    expected = np.full(32, 8)
    expected[3] += 100
    expected[4] += 1000
    assert (lanes(kernel(body), np.int32) == expected).all()


def test_module_variables_and_constants():
    head = (
        HEAD
        + ".global .align 4 .u32 table[4] = {10, 20, 30, 40};\n.const .align 4 .f32 half = 0f3F000000;\n"
    )
    body = """and.b32 %r1, %r0, 3; mov.u64 %d1, table; mad.wide.u32 %d1, %r1, 4, %d1; ld.global.u32 %r2, [%d1];
    ld.const.f32 %f1, [half]; cvt.rn.f32.u32 %f2, %r2; mul.f32 %f2, %f2, %f1;
    mad.wide.u32 %d1, %r0, 4, %d0; st.global.f32 [%d1], %f2;"""
    text = kernel(body).replace(HEAD, head)
    assert (lanes(text, np.float32) == np.array([5, 10, 15, 20] * 8)).all()


def test_scalars_take_the_width_of_their_parameter():
    text = HEAD + (
        ".visible .entry k(.param .u64 p, .param .s16 a, .param .f32 b, .param .b64 c) { .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .b16 %h<2>; .reg .f32 %f;"
        "ld.param.u64 %d0, [p]; ld.param.s16 %h0, [a]; ld.param.f32 %f, [b]; ld.param.b64 %d1, [c]; cvt.s32.s16 %r0, %h0;"
        "st.global.b32 [%d0], %r0; st.global.f32 [%d0+4], %f; st.global.b64 [%d0+8], %d1; ret; }"
    )
    out = np.zeros(4, np.int32)
    clean(text, out, -5, 1.5, -2, block=1)
    assert out[0] == -5 and out[1:2].view(np.float32)[0] == 1.5 and out[2:].view(np.int64)[0] == -2
    with pytest.raises(ptx.PtxError, match=r"'a' of type .s16 cannot hold 70000"):
        run(text, out, 70000, 1.5, 2)
    with pytest.raises(ptx.PtxError, match="takes 4 arguments, got 1"):
        run(text, out)
    with pytest.raises(ptx.PtxError, match=r"'a' of type .s16 cannot be 1.5"):
        run(text, out, 1.5, 1.5, 2)
    with pytest.raises(ptx.PtxError, match="no policy 'lazy'"):
        run(text, out, 1, 1.5, 2, policy="lazy")
    with pytest.raises(ptx.PtxError, match="block of 2048 threads"):
        run(text, out, 1, 1.5, 2, block=2048)


def test_shared_memory_has_an_end():
    text = kernel("mov.u32 %r1, dyn;", extern=True)
    assert run(text, np.zeros(1, np.int32), shared_bytes=163 * 1024)
    with pytest.raises(
        ptx.PtxError, match="166913 bytes of shared memory, a block of sm_80 has 166912"
    ):
        run(text, np.zeros(1, np.int32), shared_bytes=163 * 1024 + 1)
    with pytest.raises(
        ptx.PtxError, match="49156 bytes of static shared memory, at most 49152 are allowed"
    ):
        run(
            kernel("mov.u32 %r1, s;", shared=".shared .align 4 .b8 s[49156];\n"),
            np.zeros(1, np.int32),
        )


def test_limits_end_a_kernel_that_does_not():
    text = kernel("L: bra L;")
    found = issue(text, np.zeros(1, np.int32), max_instructions=1000)
    assert found.kind == "limit" and found.fatal and found.sites[0].text == "bra L;"
    found = issue(text, np.zeros(1, np.int32), max_instructions=0, timeout=0.2)
    assert "time limit" in found.message


def test_places_of_the_source():
    text = kernel(
        ".loc 1 17 5\nst.shared.b32 [s], %r0;\n.loc 1 18 9\nld.shared.b32 %r1, [s]; st.global.b32 [%d0], %r1;",
        shared=".shared .align 4 .b8 s[4];",
    )
    found = run(
        text.replace(HEAD, HEAD + '.file 1 "dir/gemm.py"\n'), np.zeros(1, np.int32), block=64
    ).issues
    places = {site.place for one in found for site in one.sites}
    assert places == {"dir/gemm.py:17:5", "dir/gemm.py:18:9"}


def test_blocks_on_host_threads():
    body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, %r0; mad.wide.u32 %d1, %r3, 4, %d0; st.global.b32 [%d1], %r3; red.global.add.u32 [%d0+65536], 1;"
    out = np.zeros(64 * 256 + 1, np.uint32)
    clean(kernel(body), out, grid=64, block=256, threads=2, races=False)
    assert (out[:-1] == np.arange(64 * 256)).all() and out[-1] == 64 * 256


def test_the_census_counts_what_ran():
    report = run(
        kernel("mov.u32 %r1, 3; L: sub.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"),
        np.zeros(1, np.int32),
        census=True,
    )
    assert report.statistics["census"]["sub.s32"] == 3 and report.statistics["census"]["bra"] == 3
