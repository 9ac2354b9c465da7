"""Time of the pipelining passes against the number of statements of a loop.

    python benchmarks/pass_scaling.py [--tile-opt PATH] [--sizes 10,100,1000,5000]
                                      [--repeat 3] [--check]

Shapes of the loop body: `pairs` (half loads into tiles of their own, half
consumers; `unnamed` is the same without names of tiles), `chain` (one load, then an
element-wise chain) and `wide` (ten loads, each other statement reads eight tiles). The columns of the passes are wall time.
`all` is their sum, or the processor time of tile-opt with the passes less that of
tile-opt without, if that is less: the machine may be busy with other things. With
`--check` the exit status says whether `all` meets the targets below.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
from collections.abc import Callable

SHARED = "memref<16xf32, #tile.space<shared>>"
FRAGMENT = "memref<16xf32, #tile.space<fragment>>"
GLOBAL = "memref<?x?xf32>"

# Seconds of all passes together for (shape, statements), and the growth of the
# time per statement from 100 to 5,000 statements.
LIMITS = {
    ("pairs", 1000): 0.2,
    ("unnamed", 1000): 0.2,
    ("chain", 1000): 0.2,
    ("wide", 1000): 0.2,
    ("wide", 100): 0.05,
}
GROWTH_LIMIT = 2.0


def copy(row: int, tile: str) -> str:
    return f"tile.copy %A[%r{row}, %at] to %{tile} : {GLOBAL} to {SHARED}"


def element_map(sources: list[tuple[str, str]], target: str) -> str:
    """`target[j] = sum of sources[j]`."""
    lines = ["tile.map (%j) in [16] {"]
    for i, (name, kind) in enumerate(sources):
        lines.append(f"  %x{i} = memref.load %{name}[%j] : {kind}")
    total = "%x0"
    for i in range(1, len(sources)):
        lines.append(f"  %s{i} = arith.addf {total}, %x{i} : f32")
        total = f"%s{i}"
    lines += [f"  memref.store {total}, %{target}[%j] : {FRAGMENT}", "}"]
    return "\n".join(lines)


def pairs(count: int) -> tuple[list[str], list[str], list[str]]:
    """Shared tiles, fragment tiles and statements of the first shape."""
    half = count // 2
    loads = [copy(i, f"S{i}") for i in range(half)]
    uses = [element_map([(f"S{i}", SHARED), (f"F{i}", FRAGMENT)], f"F{i}") for i in range(half)]
    return [f"S{i}" for i in range(half)], [f"F{i}" for i in range(half)], loads + uses


def unnamed(count: int) -> tuple[list[str], list[str], list[str]]:
    """As `pairs`; `module` leaves the names of tiles away."""
    return pairs(count)


def chain(count: int) -> tuple[list[str], list[str], list[str]]:
    statements = [copy(0, "S0"), element_map([("S0", SHARED)], "F1")]
    statements += [element_map([(f"F{i - 1}", FRAGMENT)], f"F{i}") for i in range(2, count)]
    return ["S0"], [f"F{i}" for i in range(1, count)], statements


def wide(count: int) -> tuple[list[str], list[str], list[str]]:
    loads = min(10, count // 2)
    statements = [copy(i, f"S{i}") for i in range(loads)]
    for i in range(count - loads):
        read = sorted({(i + j) % loads for j in range(8)})
        statements.append(element_map([(f"S{j}", SHARED) for j in read], f"F{i}"))
    return [f"S{i}" for i in range(loads)], [f"F{i}" for i in range(count - loads)], statements


SHAPES: dict[str, Callable[[int], tuple[list[str], list[str], list[str]]]] = {
    "pairs": pairs,
    "unnamed": unnamed,
    "chain": chain,
    "wide": wide,
}


def module(shape: str, count: int) -> str:
    shared, fragments, statements = SHAPES[shape](count)
    lines = [f"func.func @loop(%A: {GLOBAL}, %n: index) {{"]
    lines += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    lines += ["%c16 = arith.constant 16 : index", "%zero = arith.constant 0.0 : f32"]
    lines += [f"%r{i} = arith.constant {i} : index" for i in range(len(shared))]
    lines += [f'%{name} = tile.alloc {{name = "{name}"}} : {SHARED}' for name in shared]
    lines += [f'%{name} = tile.alloc {{name = "{name}"}} : {FRAGMENT}' for name in fragments]
    if shape == "unnamed":
        lines = [re.sub(r' \{name = "\w+"\}', "", line) for line in lines]
    if shape in ("pairs", "unnamed"):
        lines += [f"tile.fill %{name} with %zero : f32, {FRAGMENT}" for name in fragments]
    lines.append("tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {")
    lines.append("%at = arith.muli %k, %c16 : index")
    return "\n".join([*lines, *statements, "}", "return", "}", ""])


PASSES = ["PipelinePlanning", "MultiBufferVersioning", "ExpandSoftwarePipeline", "AsyncWaitRelaxation"]


def run(tile_opt: str, text: str, passes: list[str]) -> tuple[float, str]:
    """Processor seconds of one run, and what it says about time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(
        [tile_opt, "-", *passes, "-o", "/dev/null", "--mlir-timing", "--mlir-timing-display=list"],
        input=text, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    if process.returncode:
        raise SystemExit(f"error: tile-opt failed\n{process.stderr[:2000]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, process.stderr


def measure(tile_opt: str, text: str, repeat: int) -> dict[str, float]:
    """The least seconds of each pass, and of all together, over `repeat` runs."""
    best: dict[str, float] = {}
    plain = min(run(tile_opt, text, [])[0] for _ in range(repeat))
    for _ in range(repeat):
        total, timing = run(tile_opt, text, ["--pipeline-planning", "--inject-software-pipeline"])
        best["cpu"] = min(best.get("cpu", total), total)
        for name in PASSES:
            found = re.findall(rf"^\s*([\d.]+)\s*\([^)]*\)\s+{name}\s*$", timing, re.MULTILINE)
            seconds = sum(map(float, found))
            best[name] = min(best.get(name, seconds), seconds)
    best["cpu"] -= plain
    return best


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tile-opt", default="build/bin/tile-opt")
    parser.add_argument("--sizes", default="10,100,1000,5000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", metavar="SHAPE:SIZE", help="print one input and stop")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    if arguments.print:
        shape, size = arguments.print.split(":")
        print(module(shape, int(size)))
        return 0
    missed = []
    header = "".join(f"{name:>24}" for name in PASSES)
    print(f"{'shape':<8} {'statements':>10}{header}{'all, s':>10}{'us/statement':>14}")
    for shape in SHAPES:
        totals = {}
        for size in map(int, arguments.sizes.split(",")):
            best = measure(arguments.tile_opt, module(shape, size), arguments.repeat)
            wall = sum(best[name] for name in PASSES)
            # For short runs the difference is noise.
            totals[size] = min(best["cpu"], wall) if wall > 0.02 else wall
            cells = "".join(f"{best[name]:>24.4f}" for name in PASSES)
            print(f"{shape:<8} {size:>10}{cells}{totals[size]:>10.4f}{totals[size] / size * 1e6:>14.1f}")
            limit = LIMITS.get((shape, size))
            if limit is not None and totals[size] > limit:
                missed.append(f"{shape} {size}: {totals[size]:.3f} s, limit {limit} s")
        if totals.get(100) and totals.get(5000):
            growth = totals[5000] / 5000 / (totals[100] / 100)
            print(f"{shape:<8} time per statement, 5,000 against 100: x{growth:.2f}")
            if growth > GROWTH_LIMIT:
                missed.append(f"{shape}: growth x{growth:.2f}, limit x{GROWTH_LIMIT}")
    for line in missed:
        print(f"missed: {line}")
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
