"""The command of the CCE emulator: python -m tilepipe.emulator.cce kernel.cpp --blocks 2 'half[64,64]=random' 5"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from typing import Any

import numpy as np

from tilepipe.emulator.cce import POLICIES, CompileError, Module

_ARRAY = re.compile(r"(\w+)\[([\d,\s]*)\](?:=(\w+))?$")
_TYPES = {
    "half": "float16",
    "float": "float32",
    **{f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def _array(match: re.Match[str], seed: int) -> np.ndarray:
    name, shape, fill = match.groups()
    if name == "bfloat16_t":
        import ml_dtypes

        dtype = np.dtype(ml_dtypes.bfloat16)
    elif name in _TYPES:
        dtype = np.dtype(_TYPES[name])
    else:
        raise ValueError(f"unknown element type '{name}'")
    array = np.zeros([int(size) for size in shape.split(",") if size.strip()], dtype)
    if fill == "random":
        array[...] = (np.random.default_rng(seed).integers(-8, 9, array.shape) / 8).astype(dtype)
    elif fill not in (None, "zeros", "none"):
        raise ValueError(f"unknown contents '{fill}'; known are random, zeros and none")
    return array


def _parse(texts: list[str]) -> tuple[list[Any], list[int]]:
    """Arguments, and which of them hold nothing yet."""
    args: list[Any] = []
    empty = []
    for index, text in enumerate(texts):
        match = _ARRAY.match(text)
        if match:
            if match.group(3) == "none":
                empty.append(index)
            args.append(_array(match, index))
        else:
            args.append(float(text) if "." in text else int(text, 0))
    return args, empty


def _mutate(module: Module, name: str, blocks: int, args: list[Any], policies: list[str], options: Any) -> int:
    missed = 0
    for mutant in module.sync_mutants():
        report = mutant.module.check(name, blocks, args, policies, **options)
        missed += report.ok
        found = "MISSED" if report.ok else ", ".join(sorted(report.kinds()))
        print(f"line {mutant.line}: {mutant.text} {mutant.kind}: {found}")
    print(f"{missed} changes were not found")
    return missed


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tilepipe.emulator.cce", description=__doc__)
    parser.add_argument("file", type=pathlib.Path, help="CCE text")
    parser.add_argument("args", nargs="*", help="type[shape]=random|zeros|none, or a number")
    parser.add_argument("--kernel", help="its name; not needed where there is one")
    parser.add_argument("--blocks", type=int, default=1)
    parser.add_argument("--resident", type=int, default=1, help="blocks that run at the same time")
    parser.add_argument("--policy", default="all", help=f"all, or one of {', '.join(POLICIES)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutate-sync", action="store_true", help="change each synchronisation; is it found?")
    parser.add_argument("--statistics", action="store_true")
    return parser


def main() -> int:
    """Returns 1 where something is wrong, 2 where the call is."""
    options = _arguments().parse_args()
    try:
        module = Module(options.file.read_text())
        name = options.kernel or (module.names[0] if len(module.names) == 1 else "")
        args, empty = _parse(options.args)
        parameters = next((module.kernels[k] for k in (name, f"{name}_mix_aic") if k in module.kernels), ())
        launch = {
            "uninitialised": [parameters[index].name for index in empty if index < len(parameters)],
            "resident": options.resident,
            "seed": options.seed,
        }
        policies = list(POLICIES) if options.policy == "all" else [options.policy]
        if options.mutate_sync:
            return 1 if _mutate(module, name, options.blocks, args, policies, launch) else 0
        report = module.check(name, options.blocks, args, policies, stop=False, **launch)
    except (CompileError, FileNotFoundError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(report)
    if options.statistics:
        print("\n".join(f"{key}: {value}" for key, value in report.statistics.items()))
    return 0 if report.ok else 1
