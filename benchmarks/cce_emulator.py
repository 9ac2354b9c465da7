"""How fast the CCE emulator is.

    PYTHONPATH=build/python python benchmarks/cce_emulator.py [--rounds 5]

A double-buffered GEMM tile of 128 x 128 x 1024 (test/Emulator/CCE/Inputs/gemm_large.cpp): its compilation, one run
under each policy with all detectors, the same without the race detector, and all changes of its synchronisation. The
result is compared with numpy's. Times are the shortest of the rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tilepipe.emulator.cce import POLICIES, Module

INPUT = Path(__file__).resolve().parents[1] / "test" / "Emulator" / "CCE" / "Inputs" / "gemm_large.cpp"
TILES = 16


def shortest(rounds: int, action: Callable[[], object]) -> float:
    """Milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    text = INPUT.read_text()
    counter = iter(range(1 << 30))
    # Another comment each time: the same text is compiled once.
    compile_ms = shortest(rounds, lambda: Module(f"{text}// {next(counter)}\n"))
    module = Module(text)
    rng = np.random.default_rng(0)
    a, b = ((rng.integers(-8, 9, (128, 64 * TILES)) / 8).astype(np.float16) for _ in range(2))
    c = np.zeros((128, 128), np.float32)
    expected = a.astype(np.float32) @ b.astype(np.float32).T

    def launch(policy: str, races: bool = True) -> None:
        assert module.launch("gemm_large", 1, [a, b, c, TILES], policy, races=races).ok
        assert np.array_equal(c, expected)

    print(f"compilation            {compile_ms:8.1f} ms")
    for policy in POLICIES:
        print(f"{policy:22} {shortest(rounds, lambda policy=policy: launch(policy)):8.1f} ms")
    print(f"late, without races    {shortest(rounds, lambda: launch('late', races=False)):8.1f} ms")
    start = time.perf_counter()
    mutants = list(module.sync_mutants())
    found = sum(not mutant.module.check("gemm_large", 1, [a, b, c, TILES]).ok for mutant in mutants)
    print(f"{len(mutants)} changes, {found} found {(time.perf_counter() - start) * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
