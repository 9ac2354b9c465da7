"""What instructions compute, against numpy."""

import ml_dtypes
import numpy as np
import pytest
from cce_snippets import run

rng = np.random.default_rng(0)


def vector(body: str, a: np.ndarray, b: np.ndarray, types: tuple[str, str] = ("float", "float"), policy: str = "late") -> np.ndarray:
    """Loads a into UB 0, runs the body, and stores b from UB 65536; all of V in order."""
    steps = "\n".join(f"{line.strip()}\npipe_barrier(PIPE_V);" for line in body.strip().splitlines())
    text = f"""
copy_gm_to_ubuf(UBF(0), A, 0, 1, {-(-a.nbytes // 32)}, 0, 0);
FLAG(PIPE_MTE2, PIPE_V, 0);
MASK();
{steps}
FLAG(PIPE_V, PIPE_MTE3, 0);
copy_ubuf_to_gm_align_b8(B, UBF(65536), 0, 1, {b.nbytes}, 0, 0, 0, 0);"""
    report = run(text, a, b, parameters=f"__gm__ {types[0]} *A, __gm__ {types[1]} *B", policy=policy)
    assert report.ok, report
    return b


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_elementwise(dtype: type) -> None:
    half = dtype == np.float16
    lanes, p, t = (128, "UBH", "half") if half else (64, "UBF", "float")
    a = np.concatenate([rng.uniform(0.5, 4, 2 * lanes), rng.uniform(-2, 2, 2 * lanes)]).astype(dtype)
    x, y = a[: 2 * lanes].astype(np.float32), a[2 * lanes :].astype(np.float32)
    expected = {
        "vadd": x + y, "vsub": x - y, "vmul": x * y, "vdiv": x / y, "vmax": np.maximum(x, y), "vmin": np.minimum(x, y),
        "vabs": np.abs(y), "vexp": np.exp(y), "vln": np.log(x), "vsqrt": np.sqrt(x), "vrsqrt": 1 / np.sqrt(x),
        "vrec": 1 / x, "vrelu": np.maximum(y, 0), "vadds": y + 0.5, "vmuls": y * 0.5, "vmaxs": np.maximum(y, 0.5),
        "vmins": np.minimum(y, 0.5), "vlrelu": np.where(y < 0, y * 0.5, y),
    }  # fmt: skip
    lines = []
    for index, name in enumerate(expected):
        to = f"{p}(65536 + {index * 512})"
        if index < 6:
            lines.append(f"{name}({to}, {p}(0), {p}(512), 2, 1, 1, 1, 8, 8, 8);")
            continue
        source = f"{p}(0)" if name in ("vln", "vsqrt", "vrsqrt", "vrec") else f"{p}(512)"
        scalar = f"({t})0.5f, " if index > 12 else ""
        lines.append(f"{name}({to}, {source}, {scalar}2, 1, 1, 8, 8);")
    b = vector("\n".join(lines), a, np.zeros((len(expected), 2 * lanes), dtype), (t, t))
    for row, (name, value) in zip(b, expected.items(), strict=True):
        np.testing.assert_allclose(row.astype(np.float32), value, rtol=1e-3 if half else 1e-6, err_msg=name)


def test_strides_and_masks() -> None:
    a = np.arange(256, dtype=np.float32)
    body = """
    vector_dup(UBF(65536), -1.0f, 4, 1, 1, 8, 0);
    set_vector_mask(0, 0xff00ff);
    vadds(UBF(65536), UBF(0), 0.0f, 2, 2, 1, 16, 8);
    """
    b = vector(body, a, np.zeros(256, np.float32))
    expected = np.full(256, -1, np.float32)
    for repeat in range(2):
        for block in (0, 2):
            at = repeat * 128 + block * 16
            expected[at : at + 8] = a[repeat * 64 + block * 8 :][:8]
    np.testing.assert_array_equal(b, expected)


def test_count_mode_runs_as_many_repeats_as_needed() -> None:
    a = np.arange(256, dtype=np.float32)
    body = "vector_dup(UBF(65536), -1.0f, 4, 1, 1, 8, 0);\nset_mask_count(); set_vector_mask(0, 150);\nvmuls(UBF(65536), UBF(0), 2.0f, 1, 1, 1, 8, 8);"
    np.testing.assert_array_equal(vector(body, a, np.zeros(256, np.float32)), np.where(np.arange(256) < 150, a * 2, -1))


def test_integers() -> None:
    a = rng.integers(-100, 100, 128).astype(np.int32)
    i = "((__ubuf__ int32_t *)(uintptr_t)({}))".format
    body = f"vadd({i(65536)}, {i(0)}, {i(256)}, 1, 1, 1, 1, 8, 8, 8);\nvmuls({i(65792)}, {i(0)}, 3, 1, 1, 1, 8, 8);"
    b = vector(body, a, np.zeros(128, np.int32), ("int32_t", "int32_t"))
    np.testing.assert_array_equal(b, np.concatenate([a[:64] + a[64:], a[:64] * 3]))


def test_conversions() -> None:
    a = np.concatenate([rng.uniform(-4, 4, 60), [0.5, 1.5, -2.5, 65520.0]]).astype(np.float32)
    modes = {"r": np.rint, "f": np.floor, "c": np.ceil, "z": np.trunc, "a": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5)}
    lines = [f"vconv_f322s32{m}((__ubuf__ int32_t *)(uintptr_t)(65536 + {i * 256}), UBF(0), 1, 1, 1, 8, 8);" for i, m in enumerate(modes)]
    b = vector("\n".join(lines), a, np.zeros((5, 64), np.int32), ("float", "int32_t"))
    for row, function in zip(b, modes.values(), strict=True):
        np.testing.assert_array_equal(row, function(a).astype(np.int32))
    h = vector("vconv_f322f16(UBH(65536), UBF(0), 1, 1, 1, 4, 8);", a, np.zeros(64, np.float16), ("float", "half"))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(h, a.astype(np.float16))
    bf = vector("vconv_f322bf16r((__ubuf__ bfloat16_t *)(uintptr_t)65536, UBF(0), 1, 1, 1, 4, 8);", a, np.zeros(64, ml_dtypes.bfloat16), ("float", "bfloat16_t"))
    np.testing.assert_array_equal(bf, a.astype(ml_dtypes.bfloat16))
    f = vector("vconv_f162f32(UBF(65536), UBH(0), 2, 1, 1, 8, 4);", np.arange(128, dtype=np.float16) / 7, np.zeros(128, np.float32), ("half", "float"))
    np.testing.assert_array_equal(f, (np.arange(128, dtype=np.float16) / 7).astype(np.float32))


def test_every_half_survives() -> None:
    # All finite halves through fp32 and back.
    bits = np.arange(1 << 16, dtype=np.uint16)
    halves = bits.view(np.float16)
    halves = halves[np.isfinite(halves)][:63488]
    for start in range(0, 63488, 15872):
        a = halves[start : start + 15872].copy()
        body = "set_mask_count(); set_vector_mask(0, 15872);\nvconv_f162f32(UBF(131072 - 63488), UBH(0), 1, 1, 1, 8, 4);\nvconv_f322f16r(UBH(65536 + 65536), UBF(131072 - 63488), 1, 1, 1, 4, 8);\ncopy_ubuf_to_ubuf(UBF(65536), UBF(131072), 0, 1, 992, 0, 0);"
        b = vector(body, a, np.zeros(15872, np.float16), ("half", "half"))
        np.testing.assert_array_equal(b.view(np.uint16), a.view(np.uint16))


def test_reductions() -> None:
    a = rng.uniform(-4, 4, 256).astype(np.float32)
    body = """
    vector_dup(UBF(65536), 0.0f, 1, 1, 1, 8, 0);
    vcadd(UBF(65536), UBF(0), 4, 1, 1, 8, 0);
    vcmax(UBF(65568), UBF(0), 4, 1, 1, 8, Order_t::ONLY_VALUE);
    vcmin(UBF(65600), UBF(0), 4, 1, 1, 8, Order_t::VALUE_INDEX);
    vcgmax(UBF(65664), UBF(0), 2, 1, 1, 8);
    vcgadd(UBF(65728), UBF(0), 1, 1, 1, 8);
    """
    b = vector(body, a, np.zeros(64, np.float32))
    rows = a.reshape(4, 64)
    np.testing.assert_allclose(b[:4], rows.sum(1), rtol=1e-5)
    np.testing.assert_array_equal(b[8:12], rows.max(1))
    np.testing.assert_array_equal(b[16:24:2], rows.min(1))
    np.testing.assert_array_equal(b[16:24].view(np.uint32)[1::2], rows.argmin(1))
    np.testing.assert_array_equal(b[32:48], rows[:2].reshape(16, 8).max(1))
    np.testing.assert_allclose(b[48:56], rows[0].reshape(8, 8).sum(1), rtol=1e-5)


def test_broadcast_of_elements_to_blocks() -> None:
    a = np.arange(16, dtype=np.float32)
    u = "((__ubuf__ uint32_t *)(uintptr_t){})".format
    b = vector(f"vbrcb({u(65536)}, {u(0)}, 1, 8, 2);", a, np.zeros(128, np.float32))
    np.testing.assert_array_equal(b, np.repeat(a, 8))


@pytest.mark.parametrize("policy", ["late", "early-write-late-read", "eager"])
def test_comparison_and_selection(policy: str) -> None:
    a = rng.uniform(-1, 1, 128).astype(np.float32)
    bits = "((__ubuf__ uint8_t *)(uintptr_t)4096)"
    body = f"""
    vcmpvs_lt({bits}, UBF(0), 0.25f, 2, 1, 1, 8, 8);
    vector_dup(((__ubuf__ uint32_t *)(uintptr_t)8192), 4096u, 1, 1, 1, 8, 0);
    vector_dup(UBF(12288), 7.0f, 2, 1, 1, 8, 0);
    set_cmpmask(UBF(8192));
    vsel(UBF(65536), UBF(0), UBF(12288), 2, 1, 1, 1, 8, 8, 8, 2);
    set_cmpmask({bits});
    vsel(UBF(66048), UBF(0), UBF(12288), 1, 1, 1, 1, 8, 8, 8);
    """
    # Mode 0 reads 16 bytes of the mask, which two repeats have written.
    b = vector(body, a, np.zeros(192, np.float32), policy=policy)
    np.testing.assert_array_equal(b[:128], np.where(a < 0.25, a, 7))
    np.testing.assert_array_equal(b[128:], np.where(a < 0.25, a, 7)[:64])


def test_selection_is_ordered_after_its_bits() -> None:
    body = """
MASK();
vector_dup(UBF(0), 1.0f, 1, 1, 1, 8, 0);
vector_dup(((__ubuf__ uint32_t *)(uintptr_t)8192), 4096u, 1, 1, 1, 8, 0);
pipe_barrier(PIPE_V);
set_cmpmask(UBF(8192));
{0}
vcmpvs_lt(((__ubuf__ uint8_t *)(uintptr_t)4096), UBF(0), 0.25f, 1, 1, 1, 8, 8);
{1}
vsel(UBF(1024), UBF(0), UBF(0), 1, 1, 1, 1, 8, 8, 8, 2);"""
    assert run(body.format("pipe_barrier(PIPE_V);", "pipe_barrier(PIPE_V);")).ok
    messages = [issue.message for issue in run(body.format("", "")).errors]
    assert any("vsel (PIPE_V) reads what vcmpvs_lt" in m for m in messages)
    assert any("RAW in the compare mask register" in m for m in messages)


def test_bursts_with_gaps_and_padding() -> None:
    a, b = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    body = """
copy_gm_to_ubuf(UBF(0), A, 0, 3, 2, 1, 2);
pipe_barrier(PIPE_MTE2);
set_mov_pad_val(0x40a00000);
copy_gm_to_ubuf_align_b32(UBF(1024), A + 3, 0, 2, 20, 0, 3, 12, 1);
FLAG(PIPE_MTE2, PIPE_MTE3, 0);
copy_ubuf_to_gm(B, UBF(0), 0, 3, 2, 2, 1);
copy_ubuf_to_gm_align_b32(B + 100, UBF(1024), 0, 2, 32, 0, 0, 1, 8);"""
    report = run(body, a, b)
    assert report.ok, report
    for burst in range(3):
        np.testing.assert_array_equal(b[burst * 24 :][:24], [*a[burst * 24 :][:16], *[0] * 8])
    for burst in range(2):
        np.testing.assert_array_equal(b[100 + burst * 10 :][:8], [*a[3 + burst * 8 :][:5], 5, 5, 5])


TYPES = {
    "half": (np.float16, np.float32, "float", "b16", 2e-3),
    "bfloat16_t": (ml_dtypes.bfloat16, np.float32, "float", "b16", 2e-2),
    "float": (np.float32, np.float32, "float", "b32s", 1e-5),
    "int8_t": (np.int8, np.int32, "int32_t", "b8", 0),
}


@pytest.mark.parametrize("transposing", [False, True])
@pytest.mark.parametrize("element", TYPES)
def test_mad(element: str, transposing: bool) -> None:
    if transposing and element == "float":
        pytest.skip("not emulated")
    dtype, result, accumulator, suffix, tolerance = TYPES[element]
    m, n, k = 40, 44, 72
    a, b = rng.integers(-8, 9, (m, k)).astype(dtype), rng.integers(-8, 9, (k, n) if transposing else (n, k)).astype(dtype)
    c = np.zeros((m, n), result)
    c0 = 32 // a.itemsize
    m1, n1, k1 = -(-m // 16), -(-n // 16), -(-k // c0)
    rows = -(-k // (32 if element == "int8_t" else 16)) * (32 if element == "int8_t" else 16)
    if not transposing:
        load = f"load_cbuf_to_cb(b0, b1, 0, {k1 * n1}, 1, 0, 0, false, inc);"
        copy = f"copy_gm_to_cbuf_multi_nd2nz_{suffix}(b1, B, 0, 1, {n}, {k}, 0, {k}, {n1 * 16}, 1, 0);"
    elif element == "int8_t":
        # Squares of 32 x 32 give two fractals of 16 columns each.
        load = f"for (int i = 0; i < {k1}; ++i)\n  load_cbuf_to_cb_transpose(b0 + i * {n1 * 512}, b1, i, {-(-n // 32)}, {rows // 32}, 1, inc, 0);"
        copy = f"copy_gm_to_cbuf_multi_nd2nz_b8(b1, B, 0, 1, {k}, {n}, 0, {n}, {rows}, 1, 0);"
    else:
        load = f"for (int i = 0; i < {k1}; ++i)\n  load_cbuf_to_cb_transpose(b0 + i * {n1 * 256}, b1, i, {n1}, {rows // 16}, 0, inc, 0);"
        copy = f"copy_gm_to_cbuf_multi_nd2nz_{suffix}(b1, B, 0, 1, {k}, {n}, 0, {n}, {rows}, 1, 0);"
    if element == "int8_t" and transposing:
        n1 = -(-n // 32) * 2
        load = load.replace(f"i * {-(-n // 16) * 512}", f"i * {n1 * 512}")
    body = f"""
__cbuf__ {element} *a1 = (__cbuf__ {element} *)(uintptr_t)0, *b1 = (__cbuf__ {element} *)(uintptr_t)65536;
__ca__ {element} *a0 = (__ca__ {element} *)(uintptr_t)0;
__cb__ {element} *b0 = (__cb__ {element} *)(uintptr_t)0;
__cc__ {accumulator} *c0 = (__cc__ {accumulator} *)(uintptr_t)0;
copy_gm_to_cbuf_multi_nd2nz_{suffix}(a1, A, 0, 1, {m}, {k}, 0, {k}, {m1 * 16}, 1, 0);
{copy}
FLAG(PIPE_MTE2, PIPE_MTE1, 0);
for (int i = 0; i < {m1}; ++i)
  load_cbuf_to_ca(a0 + i * {k1 * 16 * c0}, a1, i, {k1}, {m1}, 0, 0, false, inc);
{load}
FLAG(PIPE_MTE1, PIPE_M, 0);
mad(c0, a0, b0, {m}, {k}, {n1 * 16 if transposing else n}, 0, false, false, true);
FLAG(PIPE_M, PIPE_FIX, 0);
set_nd_para(1);
copy_matrix_cc_to_gm(C, c0, 0, {n}, {m}, {n}, {m1 * 16}, 0, NoQuant, 0, false, true);"""
    if transposing and n % 16:
        body = body.replace(f"mad(c0, a0, b0, {m}, {k}, {n1 * 16}", f"mad(c0, a0, b0, {m}, {k}, {n}") if element != "int8_t" else body
    report = run(body, a, b, c, parameters=f"__gm__ {element} *A, __gm__ {element} *B, __gm__ {accumulator} *C")
    kinds = report.kinds()
    # 8-bit squares are 32 columns wide, so that n is as well; the columns beyond are not stored.
    assert kinds <= ({"uninitialised"} if element == "int8_t" and transposing else set()), report
    wide = np.float64
    np.testing.assert_allclose(c, a.astype(wide) @ (b if transposing else b.T).astype(wide), rtol=tolerance, atol=tolerance)


def test_fixpipe_rounds_and_rectifies() -> None:
    body = """
create_cbuf_matrix(L1H(0), 1 | 32 << 16, (half)1.5f);
create_cbuf_matrix(L1H(1024), 1 | 32 << 16, (half)-0.3f);
FLAG(PIPE_MTE2, PIPE_MTE1, 0);
load_cbuf_to_ca(CAH(0), L1H(0), 0, 1, 1, 0, 0, false, inc);
load_cbuf_to_cb(CBH(0), L1H(1024), 0, 1, 1, 0, 0, false, inc);
FLAG(PIPE_MTE1, PIPE_M, 0);
mad(CCF(0), CAH(0), CBH(0), 16, 16, 16, 0, false, false, true);
FLAG(PIPE_M, PIPE_FIX, 0);
set_nd_para(1);
copy_matrix_cc_to_gm(A, CCF(0), 0, 16, 16, 16, 16, 0, F322F16, 0, false, true);
copy_matrix_cc_to_gm(B, CCF(0), 0, 8, 4, 24, 16, 0, F322BF16, 1, false, true);"""
    a, b = np.zeros(256, np.float16), np.full(128, 7, ml_dtypes.bfloat16)
    report = run(body, a, b, parameters="__gm__ half *A, __gm__ bfloat16_t *B")
    assert report.ok, report
    np.testing.assert_allclose(a.astype(np.float32), 16 * 1.5 * float(np.float16(-0.3)), rtol=1e-3)
    np.testing.assert_array_equal(b.astype(np.float32)[:80].reshape(-1, 8)[[0, 3, 6, 9]], 0)
    assert (b.astype(np.float32)[8:24] == 7).all()


def test_scalar_code_converts_to_short_floats() -> None:
    body = """
MASK();
vector_dup((__ubuf__ bfloat16_t *)(uintptr_t)0, (bfloat16_t)tp_load(A), 1, 1, 1, 8, 0);
vector_dup(UBH(256), (half)tp_load(A), 1, 1, 1, 8, 0);
FLAG(PIPE_V, PIPE_MTE3, 0);
copy_ubuf_to_gm(B, UBF(0), 0, 1, 8, 0, 0);
copy_ubuf_to_gm(C, UBF(256), 0, 1, 8, 0, 0);"""
    a, b, c = np.full(1, 1.003, np.float32), np.zeros(128, ml_dtypes.bfloat16), np.zeros(128, np.float16)
    assert run(body, a, b, c, parameters="__gm__ float *A, __gm__ bfloat16_t *B, __gm__ half *C").ok
    np.testing.assert_array_equal(b, a.astype(ml_dtypes.bfloat16)[0])
    np.testing.assert_array_equal(c, a.astype(np.float16)[0])


def test_conversions_of_integers() -> None:
    a = np.array([16777217, -16777219, 40000, -40000, *range(60)], np.int32)
    i = "((__ubuf__ int32_t *)(uintptr_t)0)"
    for mode, function in (("", np.float32), ("z", None), ("c", None), ("f", None)):
        b = vector(f"vconv_s322f32{mode}(UBF(65536), {i}, 1, 1, 1, 8, 8);", a, np.zeros(64, np.float32), ("int32_t", "float"))
        expected = {"": [16777216, -16777220], "z": [16777216, -16777218], "c": [16777218, -16777218], "f": [16777216, -16777220]}
        np.testing.assert_array_equal(b, [*expected[mode], *a[2:]])
    s = vector(f"vconv_s322s16((__ubuf__ int16_t *)(uintptr_t)65536, {i}, 1, 1, 1, 4, 8);", a, np.zeros(64, np.int16), ("int32_t", "int16_t"))
    np.testing.assert_array_equal(s, np.clip(a, -32768, 32767))
