"""A pipelined GEMM in Triton, compiled to PTX for sm_80 without a GPU: what others are compared with."""

from __future__ import annotations

import time
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sbk, scm,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    steps = tl.arange(0, BK)
    a_at = a_ptr + rows[:, None] * sam + steps[None, :]
    b_at = b_ptr + steps[:, None] * sbk + columns[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        sums = tl.dot(tl.load(a_at), tl.load(b_at), sums)
        a_at += BK
        b_at += BK * sbk
    tl.store(c_ptr + rows[:, None] * scm + columns[None, :], sums)


POINTERS = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32"}
SIZES = ("M", "N", "K", "sam", "sbk", "scm")


def _source(tile: tuple[int, int, int]) -> Any:
    names = list(matmul.arg_names)
    constants = dict(zip(("BM", "BN", "BK"), tile, strict=True))
    signature = POINTERS | dict.fromkeys(SIZES, "i32") | dict.fromkeys(constants, "constexpr")
    divisible = {(names.index(name),): [["tt.divisibility", 16]] for name in (*POINTERS, *SIZES)}
    values = {(names.index(name),): value for name, value in constants.items()}
    return ASTSource(fn=matmul, signature=signature, constexprs=values, attrs=divisible)


def compile_gemm(
    warps: int, tile: tuple[int, int, int] = (128, 128, 32)
) -> tuple[dict[str, float], str]:
    """Milliseconds of processor time of each step, and the PTX. Nothing comes from Triton's cache."""
    from triton._C.libtriton import ir

    times: dict[str, float] = {}
    begin = start = time.process_time()
    target = GPUTarget("cuda", 80, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": warps, "num_stages": 3})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = _source(tile)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    implementation = backend.get_codegen_implementation(options)
    result = source.make_ir(target, options, implementation, backend.get_module_map(), context)
    metadata = {"hash": "", "target": target, **options.__dict__}
    times["build"] = (time.process_time() - start) * 1e3
    for name in ("ttir", "ttgir", "llir", "ptx"):
        start = time.process_time()
        result = stages[name](result, metadata)
        times[name] = (time.process_time() - start) * 1e3
    times["all"] = (time.process_time() - begin) * 1e3
    return times, result
