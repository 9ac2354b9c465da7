"""Small kernels around the lines under test."""

from typing import Any

import numpy as np
from tilepipe.emulator.cce import Issue, Module, Report

PARAMETERS = "__gm__ float *A, __gm__ float *B"
#: Buffers by name; the first line of a body is line 12 of the text.
PRELUDE = """\
#define UBF(address) ((__ubuf__ float *)(uintptr_t)(address))
#define UBH(address) ((__ubuf__ half *)(uintptr_t)(address))
#define L1H(address) ((__cbuf__ half *)(uintptr_t)(address))
#define CAH(address) ((__ca__ half *)(uintptr_t)(address))
#define CBH(address) ((__cb__ half *)(uintptr_t)(address))
#define CCF(address) ((__cc__ float *)(uintptr_t)(address))
#define FLAG(a, b, id) set_flag(a, b, id); wait_flag(a, b, id)
#define MASK() set_mask_norm(); set_vector_mask(~0ull, ~0ull)


"""
FIRST = PRELUDE.count("\n") + 2


def kernel(body: str, parameters: str = PARAMETERS, name: str = "k", end: str = "pipe_barrier(PIPE_ALL);") -> str:
    return f'extern "C" __global__ __aicore__ void {name}({parameters}) {{\n{body}\n{end}\n}}\n'


def run(body: str, *args: Any, parameters: str = PARAMETERS, policy: str = "late", blocks: int = 1, **options: Any) -> Report:
    if not args:
        args = (np.zeros(4096, np.float32), np.zeros(4096, np.float32))
    module = Module(PRELUDE + kernel(body.strip("\n"), parameters))
    return module.launch("k", blocks, list(args), policy, **options)


def run_mixed(cube: str, vector: str, *args: Any, policy: str = "late", blocks: int = 1, **options: Any) -> Report:
    if not args:
        args = (np.zeros(4096, np.float32), np.zeros(4096, np.float32))
    body = "set_ffts_base_addr(0);\n"
    text = PRELUDE + kernel(body + cube, name="k_mix_aic") + kernel(body + vector, name="k_mix_aiv")
    return Module(text).launch("k", blocks, list(args), policy, **options)


def only(report: Report, kind: str) -> Issue:
    """The one error there is."""
    assert report.kinds() == {kind}, report
    return report.errors[0]
