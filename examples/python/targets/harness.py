"""What the kernels of this folder share: where they run, and the command line.

    python examples/python/targets/gemm.py --target cuda:sm_80

On a machine without the target's device the code of the target runs in its emulator, once for each way in which
asynchronous copies may complete.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tilepipe

POLICIES = ("eager", "late", "early-write-late-read", "random")


def results(kernel: tilepipe.Kernel, *inputs: Any) -> Iterator[np.ndarray]:
    """What the kernel computes: by a call where this machine can, else in the emulator under each policy."""
    if kernel.backend.runs_here:
        yield kernel(*inputs)
        return
    for policy in POLICIES:
        yield kernel.emulate(*inputs, policy=policy)


def integers(rng: np.random.Generator, *shape: int, dtype: str = "float16") -> np.ndarray:
    """Small whole numbers: their sums of products are exact, so that results can be compared bit by bit."""
    return rng.integers(-3, 4, shape).astype(dtype)


def main(check: Callable[[str], None]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="cpu", help="cpu, cuda:sm_80 or ascend:dav-2201")
    target = parser.parse_args().target
    check(target)
    print(f"{target}: ok")
