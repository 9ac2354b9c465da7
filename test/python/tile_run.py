"""Runs kernels through `tile-run` with numpy arguments."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TILEPIPE_BUILD_DIR", ROOT / "build")) / "bin"
TILE_RUN = BIN / "tile-run"
TILE_OPT = BIN / "tile-opt"
MODE = os.environ.get("TILEPIPE_TEST_MODE", "default")


# Both policies of the planner, each in all forms.
ALL_FORMS = "--passes=" + ";".join(
    f"pipeline-planning{{policy={policy}}},inject-software-pipeline{{form={form}}}"
    for policy in ("tilelang", "modulo")
    for form in ("peeled", "prologue", "predicated")
)


class Failure(AssertionError):
    """tile-run ended with an error; the message is its output."""


def with_depth(text: str, depth: int) -> str:
    """The program with another `num_stages` on each loop."""
    return re.sub(r"num_stages = \d+", f"num_stages = {depth}", text)


def call(program: pathlib.Path, *options: str, timeout: int = 120) -> str:
    run = subprocess.run(
        [str(TILE_RUN), str(program), *options],
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    if run.returncode:
        raise Failure(f"{' '.join(options)}\n{run.stdout}{run.stderr}")
    return run.stdout


def save(sets: list[list[Any]], folder: pathlib.Path) -> str:
    """`--args` for sets of arguments; arrays go through files below `folder`."""
    texts = []
    for i, arguments in enumerate(sets):
        parts = []
        for j, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                path = folder / f"in{i}-{j}.npy"
                np.save(path, argument)
                parts.append(str(path))
            else:
                parts.append(str(argument))
        texts.append(",".join(parts))
    return "--args=" + ";".join(texts)


def execute(program: pathlib.Path, sets: list[list[Any]], folder: pathlib.Path, *options: str) -> list[list[Any]]:
    """The arguments after a run of `program` for each set of them."""
    call(program, save(sets, folder), f"--save={folder / 'out-'}", *options)
    results = []
    for i, arguments in enumerate(sets):
        prefix = "out-" if len(sets) == 1 else f"out-{i}-"
        results.append(
            [
                np.load(folder / f"{prefix}{j}.npy") if isinstance(argument, np.ndarray) else argument
                for j, argument in enumerate(arguments)
            ]
        )
    return results


def compare(arguments: list[Any], expected: list[Any], tolerance: float = 0) -> None:
    """Every array against its reference, bit by bit without a tolerance."""
    for i, (got, want) in enumerate(zip(arguments, expected, strict=True)):
        if isinstance(got, np.ndarray):
            np.testing.assert_allclose(got, want, rtol=0, atol=tolerance, err_msg=f"argument {i}")
