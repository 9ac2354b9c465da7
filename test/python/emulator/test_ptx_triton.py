"""Triton's sm_80 kernels, compiled to PTX without a GPU, run bit-exact and without a false report.

Triton is no dependency: `pip install triton` into an environment of its own, then

    PYTHONPATH=python TILEPIPE_PTX_EMULATOR=build/lib/libTilePipePtxEmulator.so \\
        python -m pytest test/python/emulator/test_ptx_triton.py --noconftest
"""

import math

import numpy as np
import pytest
from ptx_text import ptx

triton = pytest.importorskip(
    "triton", reason="triton is not installed (pip install triton; see the head of this file)"
)
tl = pytest.importorskip("triton.language")
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

POINTERS = {"fp16": np.float16, "fp32": np.float32, "i32": np.int32}


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr
):  # fmt: skip
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    ap = a_ptr + rm[:, None] * sam + rk[None, :]
    bp = b_ptr + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=STAGES):
        a = tl.load(ap)
        b = tl.load(bp)
        acc = tl.dot(a, b, acc)
        ap += BK
        bp += BK * sbk
    tl.store(c_ptr + rm[:, None] * scm + rn[None, :], acc)


@triton.jit
def softmax(x, o, n, stride, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * stride + c, mask=m, other=-float("inf"))
    v = v - tl.max(v, 0)
    e = tl.exp(v)
    tl.store(o + r * stride + c, e / tl.sum(e, 0), mask=m)


@triton.jit
def layernorm(x, w, b, o, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=0.0).to(tl.float32)
    mu = tl.sum(v, 0) / n
    d = tl.where(m, v - mu, 0.0)
    rs = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    tl.store(
        o + r * n + c,
        (d * rs * tl.load(w + c, mask=m) + tl.load(b + c, mask=m)).to(tl.float16),
        mask=m,
    )


@triton.jit
def attention(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    S,
    sm_scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    pm = tl.program_id(0)
    rm = pm * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + rm[:, None] * D + rd[None, :])
    m = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    hi = (pm + 1) * BM if CAUSAL else S
    for n in tl.range(0, hi, BN, num_stages=3):
        k = tl.load(k_ptr + (n + rn)[None, :] * D + rd[:, None])
        s = tl.dot(q, k) * (sm_scale * 1.44269504)
        if CAUSAL:
            s = tl.where(rm[:, None] >= (n + rn)[None, :], s, -float("inf"))
        mn = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - mn[:, None])
        alpha = tl.exp2(m - mn)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (n + rn)[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        m = mn
    tl.store(o_ptr + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def gelu(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m).to(tl.float32)
    tl.store(o + i, (0.5 * v * (1 + tl.erf(v * 0.7071067811865476))).to(tl.float16), mask=m)


@triton.jit
def total(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o, tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))


@triton.jit
def histogram(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


def compiled(
    function,
    signature: dict,
    constants: dict,
    divisible: tuple = (),
    warps: int = 4,
    stages: int = 3,
):
    """The PTX and the bytes of shared memory."""
    names = function.arg_names
    attributes = {
        (i,): [["tt.divisibility", 16]]
        for i, n in enumerate(names)
        if signature.get(n, "").startswith("*") or n in divisible
    }
    types = {**signature, **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(
        fn=function,
        signature=types,
        constexprs={(names.index(n),): v for n, v in constants.items()},
        attrs=attributes,
    )
    kernel = triton.compile(
        source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps, "num_stages": stages}
    )
    return kernel.asm["ptx"], kernel.metadata.shared


def silent(compiled_kernel, grid, warps: int, args: list, **options) -> None:
    text, shared = compiled_kernel
    module = ptx.Module(text)
    kernel = next(iter(module.kernels.values()))
    # Triton adds pointers to scratch memory.
    args = args + [0] * (len(kernel.params) - len(args))
    report = module.launch(
        kernel.name, grid, 32 * warps, shared, args, max_instructions=10_000_000, **options
    )
    assert report, str(report)


@pytest.mark.parametrize("policy", ptx.POLICIES)
@pytest.mark.parametrize(
    ("warps", "bk", "stages"), [(4, 32, 3), (8, 32, 3), (4, 64, 4), (4, 32, 2)]
)
def test_gemm(warps, bk, stages, policy):
    signature = dict(
        a_ptr="*fp16",
        b_ptr="*fp16",
        c_ptr="*fp32",
        M="i32",
        N="i32",
        K="i32",
        sam="i32",
        sbk="i32",
        scm="i32",
    )
    kernel = compiled(
        matmul,
        signature,
        dict(BM=128, BN=128, BK=bk, STAGES=stages),
        tuple("M N K sam sbk scm".split()),
        warps,
        stages,
    )
    rng = np.random.default_rng(1)
    m, n, k = 256, 128, 256
    a, b = (
        rng.integers(-3, 4, (m, k)).astype(np.float16),
        rng.integers(-3, 4, (k, n)).astype(np.float16),
    )
    c = np.full((m, n), np.nan, np.float32)
    silent(kernel, (m // 128, n // 128), warps, [a, b, c, m, n, k, k, n, n], policy=policy)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize("policy", ptx.POLICIES)
def test_softmax(policy):
    kernel = compiled(
        softmax, dict(x="*fp32", o="*fp32", n="i32", stride="i32"), dict(B=2048), ("n", "stride")
    )
    x = np.random.default_rng(2).standard_normal((5, 1504)).astype(np.float32)
    out = np.full_like(x, np.nan)
    silent(kernel, 5, 4, [x, out, 1504, 1504], policy=policy)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, exact / exact.sum(1, keepdims=True), rtol=2e-6)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal):
    kernel = compiled(
        attention,
        dict(q_ptr="*fp16", k_ptr="*fp16", v_ptr="*fp16", o_ptr="*fp16", S="i32", sm_scale="fp32"),
        dict(BM=128, BN=64, D=64, CAUSAL=causal),
        ("S",),
    )
    rng = np.random.default_rng(3)
    q, k, v = (rng.integers(-1, 2, (256, 64)).astype(np.float16) for _ in range(3))
    out = np.zeros((256, 64), np.float16)
    silent(kernel, 2, 4, [q, k, v, out, 256, 0.125], policy="shuffle")
    s = q.astype(np.float64) @ k.T.astype(np.float64) * 0.125
    if causal:
        s = np.where(np.tril(np.ones(s.shape)) > 0, s, -np.inf)
    p = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(out, p / p.sum(1, keepdims=True) @ v.astype(np.float64), atol=1e-3)


def test_elementwise_reductions_and_atomics():
    rng = np.random.default_rng(4)
    n = 10000
    h, o = rng.integers(-4, 5, n).astype(np.float16), np.zeros(n, np.float16)
    silent(
        compiled(gelu, dict(x="*fp16", o="*fp16", n="i32"), dict(B=1024), ("n",)), 10, 4, [h, o, n]
    )
    np.testing.assert_allclose(
        o, [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in h.astype(float)], atol=2e-3
    )
    x, s = rng.integers(-3, 4, n).astype(np.float32), np.zeros(1, np.float32)
    silent(
        compiled(total, dict(x="*fp32", o="*fp32", n="i32"), dict(B=1024), ("n",)), 10, 4, [x, s, n]
    )
    assert s[0] == x.sum()
    i, counts = rng.integers(0, 50, n).astype(np.int32), np.zeros(64, np.int32)
    silent(
        compiled(histogram, dict(x="*i32", o="*i32", n="i32"), dict(B=1024), ("n",)),
        10,
        4,
        [i, counts, n],
    )
    assert (counts == np.bincount(i, minlength=64)).all()
    rows, width = 4, 1536
    x, w, b = (
        rng.integers(-5, 6, shape).astype(np.float16) for shape in ((rows, width), width, width)
    )
    o = np.zeros((rows, width), np.float16)
    silent(
        compiled(
            layernorm,
            dict(x="*fp16", w="*fp16", b="*fp16", o="*fp16", n="i32", eps="fp32"),
            dict(B=2048),
            ("n",),
        ),
        rows,
        4,
        [x, w, b, o, width, 1e-5],
    )
    wide = x.astype(np.float64)
    centred = wide - wide.mean(1, keepdims=True)
    np.testing.assert_allclose(
        o, centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * w + b, atol=2e-2
    )
