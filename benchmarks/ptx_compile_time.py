"""Time from Python to PTX, warm, of the chapter's GEMM, against Triton's.

    python benchmarks/ptx_compile_time.py [--rounds 8] [--triton] [--check]

The kernel is the one of examples/python/targets/gemm.py with blocks of 128 x 128 x 32, float16 and
float32 sums, num_stages = 3. "build" is from the Python function to tile IR; "plan" planning and
injection; the rest are the steps of `tile-to-ptx`. Both sides are timed in turns, in this one run;
a line has the round with the least processor time. With `--check` the exit status says whether
Triton takes at least four times as long.

For `--triton`: python -m venv venv && venv/bin/pip install numpy triton
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
for folder in ("build/python", "examples/python/targets", "benchmarks"):
    sys.path.insert(0, str(ROOT / folder))

LEAST_RATIO = 4.0
SIZE = 4096


def ours(threads: int) -> tuple[dict[str, float], str]:
    """Milliseconds of each step, and the PTX."""
    import gemm
    from tilepipe import ir
    from tilepipe._load import native
    from tilepipe.passmanager import PassManager

    times: dict[str, float] = {}
    start = time.process_time()

    def lap(name: str) -> None:
        nonlocal start
        now = time.process_time()
        times[name] = (now - start) * 1e3
        start = now

    kernel = gemm.gemm(SIZE, SIZE, SIZE, 128, 128, 32, 3, threads, transpose_B=False)
    module = kernel.build(ir.Context())
    lap("build")
    passes = "tile-set-target{chip=sm_80},pipeline-planning,inject-software-pipeline"
    with module.context:
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
    lap("plan")
    ptx = native.nvidia.translate(module, "sm_80")
    lap("PTX")
    times.update({f"  {name}": seconds * 1e3 for name, seconds in ptx.times.items()})
    times["all"] = times["build"] + times["plan"] + times["PTX"]
    return times, ptx.text


def tritons(threads: int) -> tuple[dict[str, float], str]:
    import triton_gemm

    return triton_gemm.compile_gemm(threads // 32)


def best(measure: Callable[[int], tuple[dict[str, float], str]], threads: int, rounds: int) -> Any:
    runs = [measure(threads) for _ in range(rounds)]
    return min((times for times, _ in runs[1:]), key=lambda times: times["all"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    status = 0
    for threads in (128, 256):
        rows = {"tilepipe": best(ours, threads, options.rounds)}
        if options.triton:
            rows["Triton"] = best(tritons, threads, max(3, options.rounds // 2))
        for name, times in rows.items():
            steps = ", ".join(
                f"{step.strip()} {ms:.1f}" for step, ms in times.items() if step != "all"
            )
            print(f"{threads} threads, {name}: {times['all']:.1f} ms ({steps})")
        if options.triton:
            ratio = rows["Triton"]["all"] / rows["tilepipe"]["all"]
            print(f"{threads} threads: {ratio:.1f} times faster")
            status |= int(options.check and ratio < LEAST_RATIO)
    return status


if __name__ == "__main__":
    sys.exit(main())
