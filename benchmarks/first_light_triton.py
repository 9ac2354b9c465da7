"""Compiles the kernels of `first_light.py` with Triton: reads a name a line, answers with seconds and PTX."""

import json
import os
import sys
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["TRITON_ALWAYS_COMPILE"] = "1"

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    steps = tl.arange(0, BK)
    at_a = a + rows[:, None] * K + steps[None, :]
    at_b = b + steps[:, None] * N + columns[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, K, BK, num_stages=STAGES):
        sums = tl.dot(tl.load(at_a), tl.load(at_b), sums)
        at_a += BK
        at_b += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def bias_relu(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    steps = tl.arange(0, BK)
    at_a = a + rows[:, None] * K + steps[None, :]
    at_b = b + steps[:, None] * N + columns[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, K, BK, num_stages=STAGES):
        sums = tl.dot(tl.load(at_a), tl.load(at_b), sums)
        at_a += BK
        at_b += BK * N
    result = tl.maximum(sums + tl.load(bias + columns)[None, :], 0.0)
    tl.store(c + rows[:, None] * N + columns[None, :], result.to(tl.float16))


@triton.jit
def vector_add_flat(x, y, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def vector_add(x, y, out, n, B: tl.constexpr, TILES: tl.constexpr, STAGES: tl.constexpr):
    for t in tl.range(0, TILES, num_stages=STAGES):
        at = (tl.program_id(0) * TILES + t) * B + tl.arange(0, B)
        tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(x, out, n, B: tl.constexpr, TILES: tl.constexpr, STAGES: tl.constexpr):
    for t in tl.range(0, TILES, num_stages=STAGES):
        at = (tl.program_id(0) * TILES + t) * n + tl.arange(0, B)
        inside = tl.arange(0, B) < n
        row = tl.load(x + at, mask=inside, other=-float("inf"))
        e = tl.exp(row - tl.max(row, 0))
        tl.store(out + at, e / tl.sum(e, 0), mask=inside)


@triton.jit
def softmax_flat(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, B)
    inside = tl.arange(0, B) < n
    row = tl.load(x + at, mask=inside, other=-float("inf"))
    e = tl.exp(row - tl.max(row, 0))
    tl.store(out + at, e / tl.sum(e, 0), mask=inside)


SIZES = dict.fromkeys("MNK", "i32")
TILE = {"BM": 128, "BN": 128, "BK": 32, "STAGES": 3}
LOOP = {"TILES": 4, "STAGES": 2}
KERNELS = {
    "gemm": (gemm, {"a": "*fp16", "b": "*fp16", "c": "*fp32", **SIZES}, TILE, 4),
    "gemm256": (gemm, {"a": "*fp16", "b": "*fp16", "c": "*fp32", **SIZES}, TILE, 8),
    "bias_relu": (bias_relu, {"a": "*fp16", "b": "*fp16", "bias": "*fp32", "c": "*fp16", **SIZES}, TILE, 4),
    "vector_add": (vector_add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"B": 1024, **LOOP}, 4),
    "softmax": (softmax, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"B": 1024, **LOOP}, 4),
    "vector_add_flat": (vector_add_flat, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"B": 1024}, 4),
    "softmax_flat": (softmax_flat, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"B": 1024}, 4),
}


def compile_to_ptx(name: str) -> tuple[float, str]:
    """Seconds of this process from Python to PTX (ptxas is a process of its own), and the PTX."""
    function, types, constants, warps = KERNELS[name]
    signature = {n: types.get(n, "constexpr") for n in function.arg_names}
    attributes = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(function.arg_names) if n in types}
    values = {(function.arg_names.index(n),): v for n, v in constants.items()}
    start = time.process_time()
    source = ASTSource(fn=function, signature=signature, constexprs=values, attrs=attributes)
    made = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps})
    return time.process_time() - start, made.asm["ptx"]


for line in sys.stdin:
    try:
        seconds, ptx = compile_to_ptx(line.strip())
        answer = {"seconds": [seconds], "ptx": ptx}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
