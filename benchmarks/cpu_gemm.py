"""A pipelined GEMM of the CPU target against single-threaded OpenBLAS.

    python benchmarks/cpu_gemm.py [--build build] [--size 1024] [--rounds 5] [--check]

The kernel is the one of the chapter: blocks of 128 x 128, steps of 32, num_stages = 3.
It is planned and injected, compiled by `tile-run --jit`, and its result is compared
with numpy's. Both are timed in turns, in this one run; the figures are the shortest
times of the processor, so that a busy machine disturbs them less. numpy multiplies float32 matrices in both cases, because it has no product of
float16 that accumulates in float32. With `--check` the exit status says whether each
kernel reaches a tenth of OpenBLAS and compiles in time.

Needs numpy: python -m venv venv && venv/bin/pip install numpy
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# These pin OpenBLAS to the kernels of an older processor where they are set.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402

LEAST_RATIO = 0.1
MOST_COMPILE_MS = 150.0


def kernel(size: int, element: str, transpose_b: bool) -> str:
    """C = A B, or A B^T, with fp32 sums."""
    whole = f"memref<{size}x{size}x{element}>"
    result = f"memref<{size}x{size}xf32>"
    a_tile = f"memref<128x32x{element}, #tile.space<shared>>"
    b_shape = "128x32" if transpose_b else "32x128"
    b_tile = f"memref<{b_shape}x{element}, #tile.space<shared>>"
    c_tile = "memref<128x128xf32, #tile.space<fragment>>"
    b_offsets = "%column, %k" if transpose_b else "%k, %column"
    attributes = " {transpose_b}" if transpose_b else ""
    blocks = (size + 127) // 128
    return f"""
func.func @gemm(%A: {whole}, %B: {whole}, %C: {result}) {{
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %size = arith.constant {size} : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%by, %bx) in [{blocks}, {blocks}] threads = 128 {{
    %row = arith.muli %by, %c128 : index
    %column = arith.muli %bx, %c128 : index
    %As = tile.alloc {{name = "As"}} : {a_tile}
    %Bs = tile.alloc {{name = "Bs"}} : {b_tile}
    %Cl = tile.alloc {{name = "Cl"}} : {c_tile}
    tile.fill %Cl with %zero : f32, {c_tile}
    tile.pipeline %k = %c0 to %size step %c32 num_stages = 3 {{
      tile.copy %A[%row, %k] to %As : {whole} to {a_tile}
      tile.copy %B[{b_offsets}] to %Bs : {whole} to {b_tile}
      tile.gemm %As, %Bs, %Cl{attributes} : {a_tile}, {b_tile}, {c_tile}
    }}
    tile.copy %Cl to %C[%row, %column] sizes [128, 128] : {c_tile} to {result}
  }}
  return
}}
"""


def inject(build: Path, text: str) -> str:
    passes = ["--pass-pipeline=builtin.module(pipeline-planning,inject-software-pipeline)"]
    run = [str(build / "bin/tile-opt"), *passes]
    return subprocess.run(run, input=text, capture_output=True, text=True, check=True).stdout


def run_ours(build: Path, text: str, inputs: list[Path], prefix: str) -> tuple[float, float]:
    """Processor time: seconds of the kernel, milliseconds of its compilation."""
    args = ",".join(str(path) for path in inputs) + ",_"
    command = [
        str(build / "bin/tile-run"),
        "-",
        "--jit",
        "--time=5",
        f"--args={args}",
        f"--save={prefix}",
    ]
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    compiled = re.search(r"compiled in [\d.]+ ms, processor ([\d.]+) ms", output)
    shortest = re.search(r"shortest of \d+ runs: [\d.]+ ms, processor ([\d.]+) ms", output)
    if not compiled or not shortest:
        sys.exit(f"cannot understand tile-run: {output}")
    return float(shortest[1]) / 1e3, float(compiled[1])


def run_numpy(a: np.ndarray, b: np.ndarray) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        np.matmul(a, b)
        best = min(best, time.process_time() - start)
    return best


def measure(build: Path, size: int, element: str, transpose_b: bool, rounds: int) -> bool:
    """Prints one line of the table; true if it meets the limits."""
    dtype = {"f32": np.float32, "f16": np.float16}[element]
    rng = np.random.default_rng(0)
    # Small integers: sums are exact, whatever their order.
    a, b = (rng.integers(-3, 4, (size, size)).astype(dtype) for _ in range(2))
    wide = a.astype(np.float32), (b.T if transpose_b else b).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        inputs = [Path(folder) / "a.npy", Path(folder) / "b.npy"]
        for path, array in zip(inputs, (a, b), strict=True):
            np.save(path, array)
        text = inject(build, kernel(size, element, transpose_b))
        ours, compiled, blas = float("inf"), float("inf"), float("inf")
        for _ in range(rounds):
            blas = min(blas, run_numpy(*wide))
            seconds, milliseconds = run_ours(build, text, inputs, f"{folder}/out")
            ours, compiled = min(ours, seconds), min(compiled, milliseconds)
        if not np.array_equal(np.load(f"{folder}/out2.npy"), wide[0] @ wide[1]):
            sys.exit(f"{element}: the result differs from numpy's")
    flops = 2 * size**3
    name = f"{element} x {element}{'^T' if transpose_b else ''} -> f32"
    print(
        f"{name:18} {ours * 1e3:9.2f} {flops / ours / 1e9:9.1f} {blas * 1e3:9.2f}"
        f" {flops / blas / 1e9:9.1f} {blas / ours:9.2f} {compiled:12.1f}"
    )
    return blas / ours >= LEAST_RATIO and compiled <= MOST_COMPILE_MS


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print(
        f"{'kernel':18} {'ms':>9} {'GFLOP/s':>9} {'BLAS ms':>9} {'GFLOP/s':>9} {'ratio':>9} {'compile ms':>12}"
    )
    good = True
    for element, transpose_b in (("f32", False), ("f16", False), ("f32", True), ("f16", True)):
        good &= measure(options.build, options.size, element, transpose_b, options.rounds)
    return 0 if good or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
