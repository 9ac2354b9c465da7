"""Writes small PTX kernels for the tests of the emulator."""

from typing import Any

import numpy as np
import pytest

ptx = pytest.importorskip("tilepipe.emulator.ptx")
try:
    ptx._library()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = """
.reg .pred %p<16>;
.reg .b16 %h<64>;
.reg .b32 %r<64>;
.reg .f32 %f<64>;
.reg .b64 %d<64>;
.reg .f64 %e<64>;
"""


def kernel(body: str, params: int = 1, shared: str = "", extern: bool = False) -> str:
    """A kernel `k` of pointers `p0`, ..., already in `%d0`, ... as global addresses; `%r0` is tid.x."""
    declared = ", ".join(f".param .u64 p{i}" for i in range(params))
    loads = "\n".join(
        f"ld.param.u64 %d{i}, [p{i}]; cvta.to.global.u64 %d{i}, %d{i};" for i in range(params)
    )
    dynamic = ".extern .shared .align 128 .b8 dyn[];\n" if extern else ""
    return f"{HEAD}{dynamic}.visible .entry k({declared}) {{{REGISTERS}{shared}{loads}\nmov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n"


def run(
    text: str, *args: Any, block: Any = 32, grid: Any = 1, shared_bytes: int = 0, **options: Any
) -> Any:
    options.setdefault("max_instructions", 1_000_000)
    return ptx.Module(text).launch("k", grid, block, shared_bytes, args, **options)


def clean(text: str, *args: Any, **options: Any) -> None:
    report = run(text, *args, **options)
    assert report, str(report)


def issue(text: str, *args: Any, **options: Any) -> Any:
    """The only issue of a run."""
    report = run(text, *args, **options)
    assert len(report.issues) == 1, str(report)
    return report.issues[0]


def lanes(text: str, dtype: Any, *args: Any, block: int = 32, **options: Any) -> np.ndarray:
    """What the threads stored, one element each, in the array behind the other arguments."""
    out = np.zeros(block, dtype)
    clean(text, *args, out, block=block, **options)
    return out
