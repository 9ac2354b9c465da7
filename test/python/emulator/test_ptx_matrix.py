"""cp.async, ldmatrix and mma.sync: whole GEMMs and every shape."""

import pathlib
import random

import numpy as np
import pytest
from ptx_text import clean, kernel, ptx

INPUTS = pathlib.Path(__file__).parents[2] / "Emulator" / "PTX" / "Inputs"
GEMM = (INPUTS / "gemm.ptx").read_text()
rng = np.random.default_rng(11)


def gemm_arguments(m: int, n: int, k: int) -> list:
    a = rng.integers(-3, 4, (m, k)).astype(np.float16)
    b = rng.integers(-3, 4, (k, n)).astype(np.float16)
    return [a, b, np.full((m, n), np.nan, np.float32), n, k]


@pytest.mark.parametrize("policy", ptx.POLICIES)
@pytest.mark.parametrize("k", [0, 16, 32, 48, 64, 160])
def test_a_pipelined_gemm_is_right_and_silent(policy, k):
    args = gemm_arguments(64, 48, k)
    report = ptx.Module(GEMM).launch("gemm", (3, 2), 64, 4608, args, policy=policy, seed=k)
    assert report, str(report)
    assert (args[2] == args[0].astype(np.float32) @ args[1].astype(np.float32)).all()


def test_check_runs_every_policy():
    args = gemm_arguments(32, 16, 64)
    reports = ptx.Module(GEMM).check("gemm", 1, 64, 4608, args, seeds=range(3))
    assert list(reports) == [
        "eager",
        "late",
        "early",
        "shuffle:0",
        "shuffle:1",
        "shuffle:2",
    ] and all(reports.values())


def test_every_mutant_of_the_synchronisation_is_detected():
    found = {}
    for mutant in ptx.Module(GEMM).sync_mutants():
        issues = []
        for policy in ptx.POLICIES:
            issues += mutant.module.launch(
                "gemm", (3, 2), 64, 4608, gemm_arguments(64, 48, 160), policy=policy
            ).issues
        found[mutant.line, mutant.kind] = {one.kind for one in issues}
    lines = GEMM.split("\n")
    assert {kind for _, kind in found} == {
        "barrier-removed",
        "wait-removed",
        "wait-loosened",
        "commit-removed",
    }
    assert all(found.values()), found
    assert all("race" in kinds or "in-flight" in kinds for kinds in found.values()), found
    for line, kind in found:
        assert {"b": "bar.sync", "w": "wait_group", "c": "commit_group"}[kind[0]] in lines[line - 1]


def test_places_of_both_ends_are_in_the_user_s_source():
    module = next(m.module for m in ptx.Module(GEMM).sync_mutants() if m.kind == "wait-loosened")
    issues = module.launch("gemm", 1, 64, 4608, gemm_arguments(32, 16, 64)).issues
    found = next(one for one in issues if one.kind == "in-flight")
    assert [site.place for site in found.sites] == ["gemm.py:16:9", "gemm.py:12:9"]
    assert found.sites[0].text.startswith("ldmatrix") and found.sites[1].text.startswith(
        "@%p1 cp.async"
    )
    assert "in-flight: read of shared memory" in str(found) and "from gemm.py:16:9" in str(found)


def bf16_bits(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


ELEMENTS = {
    "f16": lambda x: x.astype(np.float16), "bf16": bf16_bits, "tf32": lambda x: x.astype(np.float32),
    "s8": lambda x: x.astype(np.int8), "u8": lambda x: x.astype(np.uint8),
}  # fmt: skip
SHAPES = [
    (16, "f32", "f16", "f16"), (8, "f32", "f16", "f16"), (16, "f16", "f16", "f16"), (8, "f16", "f16", "f16"),
    (16, "f32", "bf16", "bf16"), (8, "f32", "bf16", "bf16"), (8, "f32", "tf32", "tf32"), (4, "f32", "tf32", "tf32"),
    (32, "s32", "s8", "s8"), (16, "s32", "s8", "s8"), (32, "s32", "u8", "s8"), (32, "s32", "s8", "u8"), (16, "s32", "u8", "u8"),
]  # fmt: skip


@pytest.mark.parametrize(("k", "result", "a_type", "b_type"), SHAPES)
def test_shapes_of_mma(k, result, a_type, b_type):
    """Fragments are loaded by the formulas of the PTX ISA, element by element."""
    low = {"u8": 0}
    a = rng.integers(low.get(a_type, -4), 5, (16, k))
    b = rng.integers(low.get(b_type, -4), 5, (k, 8))
    c = rng.integers(-9, 10, (16, 8))
    size = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1}[a_type]
    each, groups = 4 // size, k * size // 16

    def fragment(matrix: np.ndarray, registers: int, place) -> np.ndarray:
        lanes = np.zeros((32, registers * each), matrix.dtype)
        for lane in range(32):
            for r in range(registers):
                for e in range(each):
                    lanes[lane, r * each + e] = matrix[place(lane // 4, lane % 4, r, e)]
        return np.ascontiguousarray(lanes).view(np.uint32)

    # PTX ISA: A has row g + 8 (r & 1) and column each * (t + 4 (r >> 1)) + e; B the same in k, with n = g.
    fa = fragment(
        ELEMENTS[a_type](a),
        2 * groups,
        lambda g, t, r, e: (g + 8 * (r & 1), each * (t + 4 * (r >> 1)) + e),
    )
    fb = fragment(ELEMENTS[b_type](b), groups, lambda g, t, r, e: (each * (t + 4 * r) + e, g))
    dtype = {"f32": np.float32, "f16": np.float16, "s32": np.int32}[result]
    fc = np.zeros((32, 4), dtype)
    for lane in range(32):
        for d in range(4):
            fc[lane, d] = c[lane // 4 + 8 * (d >> 1), 2 * (lane % 4) + (d & 1)]
    registers = 2 if result == "f16" else 4
    load = "".join(
        f"mad.wide.u32 %d10, %r0, {4 * 2 * groups}, %d0; ld.global.b32 %r{10 + i}, [%d10+{4 * i}];"
        for i in range(2 * groups)
    )
    load += "".join(
        f"mad.wide.u32 %d10, %r0, {4 * groups}, %d1; ld.global.b32 %r{20 + i}, [%d10+{4 * i}];"
        for i in range(groups)
    )
    load += "".join(
        f"mad.wide.u32 %d10, %r0, {4 * registers}, %d2; ld.global.b32 %r{30 + i}, [%d10+{4 * i}];"
        for i in range(registers)
    )

    def names(first: int, count: int) -> str:
        return "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"

    d = names(30, registers)
    body = f"{load} mma.sync.aligned.m16n8k{k}.row.col.{result}.{a_type}.{b_type}.{result} {d}, {names(10, 2 * groups)}, {names(20, groups)}, {d};"
    body += "".join(f"st.global.b32 [%d10+{4 * i}], %r{30 + i};" for i in range(registers))
    clean(kernel(body, 3), fa, fb, fc)
    expected = a @ b + c
    for lane in range(32):
        for x in range(4):
            assert fc[lane, x] == expected[lane // 4 + 8 * (x >> 1), 2 * (lane % 4) + (x & 1)]


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_ldmatrix(count, trans):
    matrices = rng.integers(0, 2**16, (count, 8, 8), dtype=np.uint16)
    registers = ", ".join(f"%r{10 + i}" for i in range(count))
    body = f"""mov.u32 %r5, s; setp.ge.u32 %p1, %r0, {8 * count}; mov.u32 %r6, %r5; @%p1 bra GO; mad.lo.s32 %r6, %r0, 16, %r5; mad.wide.u32 %d10, %r0, 16, %d0;
    cp.async.ca.shared.global [%r6], [%d10], 4; cp.async.ca.shared.global [%r6+4], [%d10+4], 4; cp.async.ca.shared.global [%r6+8], [%d10+8], 8; GO: cp.async.wait_all; bar.warp.sync -1;
    ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [%r6]; mad.wide.u32 %d10, %r0, {4 * count}, %d1;"""
    body += "".join(f"st.global.b32 [%d10+{4 * i}], %r{10 + i};" for i in range(count))
    out = np.zeros((32, count, 2), np.uint16)
    clean(kernel(body, 2, ".shared .align 16 .b8 s[512];"), matrices, out)
    for q in range(count):
        matrix = matrices[q].T if trans else matrices[q]
        assert (out[:, q].reshape(8, 8) == matrix).all()


def test_movmatrix_transposes():
    matrix, out = rng.integers(0, 2**16, (8, 8), dtype=np.uint16), np.zeros((8, 8), np.uint16)
    body = "mad.wide.u32 %d10, %r0, 4, %d0; ld.global.b32 %r1, [%d10]; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1; mad.wide.u32 %d10, %r0, 4, %d1; st.global.b32 [%d10], %r2;"
    clean(kernel(body, 2), matrix, out)
    assert (out == matrix.T).all()


def test_sums_of_mma_start_with_c_and_ascend_in_k():
    # 2^24 + 1 + 1 ... + 1: each step is rounded, in the order the documentation gives.
    body = """mov.b32 %r1, 0x3C003C00; mov.b32 %r2, 0x3C003C00; mov.f32 %f1, 0f4B800000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r1, %r1, %r1, %r1}, {%r2, %r2}, {%f1, %f1, %f1, %f1};
    mad.wide.u32 %d10, %r0, 4, %d0; st.global.f32 [%d10], %f2;"""
    out = np.zeros(32, np.float32)
    clean(kernel(body), out)
    assert (out == 2.0**24).all()


def mutations(text: str, seed: int) -> str:
    source = random.Random(seed)
    for _ in range(source.randint(1, 2)):
        at = source.randrange(len(text))
        what = source.randrange(5)
        if what == 0:
            text = text[:at]
        elif what == 1:
            text = text[:at] + text[at + source.randint(1, 40) :]
        elif what == 2:
            text = text[:at] + source.choice('{}[]();,.%@!|-+0x9_\n"/*:<> \x00é') + text[at + 1 :]
        elif what == 3:
            lines = text.split("\n")
            lines[source.randrange(len(lines))] = source.choice(lines)
            text = "\n".join(lines)
        else:
            number = source.choice(
                ["-1", "0", "4294967296", "99999999999999999999", "1000000", "16", "7"]
            )
            text = text[:at] + number + text[at + 1 :]
        text = text or " "
    return text


@pytest.mark.parametrize("part", range(4))
def test_damaged_text_never_harms_the_process(part):
    """It is refused with a place, or it runs to an end of some kind."""
    refused = ran = 0
    for seed in range(part * 250, part * 250 + 250):
        text = mutations(GEMM, seed)
        try:
            module = ptx.Module(text)
        except ptx.PtxError as error:
            refused += 1
            assert str(error).startswith("ptx:") and str(error).split(":")[1].isdigit()
            continue
        for name, facts in module.kernels.items():
            args = gemm_arguments(64, 48, 48)
            if [p.type for p in facts.params] != ["u64", "u64", "u64", "u32", "u32"]:
                continue
            ran += 1
            try:
                module.launch(
                    name,
                    (3, 2),
                    64,
                    4608,
                    args,
                    policy=ptx.POLICIES[seed % 4],
                    max_instructions=100_000,
                )
            except ptx.PtxError:
                pass
    assert refused > 20 and ran > 10
