"""Kernels against references, on random shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tilepipe._jit import JITFunction
from tilepipe.check import TOLERANCES, Maker, dynamic_sizes, make_arguments, run_serial
from tilepipe.compiler import Kernel, compile
from tilepipe.frontend.dtypes import DType
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import PrimFunc, TensorType
from tilepipe.runtime.arguments import numpy_dtype

Sizes = tuple[int, int] | Sequence[int]


def assert_matches(
    kernel: Kernel | PrimFunc | JITFunction | Callable[..., Any],
    ref: Callable[..., Any],
    *,
    shapes: Mapping[str, Sizes] | None = None,
    trials: int = 6,
    inputs: Mapping[str, Maker] | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    out_idx: Sequence[int] | int | None = None,
    **fixed: Any,
) -> None:
    """Raises `AssertionError` unless the kernel computes what ``ref`` does, on ``trials`` random shapes.

    ``kernel`` is compiled, a `T.prim_func`, or a factory of either. ``shapes`` gives what is drawn: dynamic sizes of
    a kernel or arguments of a factory, by name, each as ``(low, high)`` or a list of at least three choices. The
    first trial takes the smallest of each and the second the largest; most others are odd, so that no tile divides
    them. ``fixed`` are further arguments of a factory.

    Kernels for a target that this machine is not run in its emulator.

    ``ref`` gets the inputs and returns the result, or a tuple of them. For a kernel without ``out_idx`` it gets
    all arguments and changes them in place, as the kernel does. ``inputs`` makes arguments by name from a generator
    and a shape.
    """
    rng = np.random.default_rng(seed)
    fixed_kernel = _compiled(kernel, out_idx) if isinstance(kernel, (Kernel, PrimFunc)) else None
    names = dynamic_sizes(fixed_kernel.params) if fixed_kernel else []
    ranges = {name: (1, 100) for name in names} | dict(shapes or {})
    _check_names(kernel, fixed_kernel, ranges, names)
    for sizes in _draws(ranges, trials if ranges else 1, rng):
        made = fixed_kernel or _compiled(kernel(**sizes, **fixed), out_idx)
        dynamic = {name: sizes.get(name, 33) for name in dynamic_sizes(made.params)}
        _compare(made, ref, sizes, make_arguments(made.params, dynamic, rng, inputs, small=False), tolerance, seed)


def _compiled(kernel: Any, out_idx: Sequence[int] | int | None) -> Kernel:
    if isinstance(kernel, PrimFunc):
        return compile(kernel, out_idx)
    if not isinstance(kernel, Kernel):
        raise KernelError(f"expected a kernel or a factory of kernels, got {type(kernel).__name__}")
    return kernel


def _check_names(kernel: Any, fixed: Kernel | None, ranges: Mapping[str, Sizes], names: list[str]) -> None:
    known = names if fixed else list(inspect.signature(kernel).parameters)
    for name in ranges:
        if name not in known:
            kind = "dynamic size" if fixed else "argument"
            raise KernelError(f"'{name}' is no {kind} of the kernel; it has {', '.join(known) or 'none'}")


def _draws(ranges: Mapping[str, Sizes], trials: int, rng: np.random.Generator) -> Iterator[dict[str, int]]:
    def one(choices: Sizes, trial: int) -> int:
        if trial < 2:
            return min(choices) if trial == 0 else max(choices)
        if len(choices) != 2:
            return int(rng.choice(list(choices)))
        low, high = choices
        size = int(rng.integers(low, high + 1))
        return min(size | 1, high) if trial % 3 else size

    for trial in range(trials):
        yield {name: one(choices, trial) for name, choices in ranges.items()}


def _compare(kernel: Kernel, ref: Callable[..., Any], sizes: dict[str, int], values: list[Any],
             tolerance: float | None, seed: int) -> None:  # fmt: skip
    copies = [np.array(v) if isinstance(v, np.ndarray) else v for v in values]
    call = kernel if kernel.backend.runs_here else kernel.emulate
    if kernel.out_idx:
        inputs = [v for i, v in enumerate(copies) if i not in kernel.out_idx]
        got = call(*[v for i, v in enumerate(values) if i not in kernel.out_idx])
        want = ref(*inputs)
        pairs = list(zip(kernel.out_idx, _tuple(got), _tuple(want), strict=True))
    else:
        call(*values)
        ref(*copies)
        pairs = [(i, v, copies[i]) for i, v in enumerate(values) if isinstance(v, np.ndarray)]
    for position, have, expected in pairs:
        parameter = kernel.params[position]
        assert isinstance(parameter.type, TensorType)
        problem = _difference(np.asarray(have), np.asarray(expected), parameter.type.dtype, tolerance)
        if problem:
            raise AssertionError(_message(kernel, parameter.name, sizes, seed, problem, position, values, have))


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _difference(have: np.ndarray, want: np.ndarray, dtype: DType, tolerance: float | None) -> str:
    if have.shape != want.shape:
        return f"the kernel gives shape {have.shape}, the reference {want.shape}"
    bound = TOLERANCES.get(dtype.name, 0.0) if tolerance is None else tolerance
    wide = np.float64 if dtype.is_float else numpy_dtype(dtype.name)
    a, b = have.astype(wide), want.astype(wide)
    wrong = ~np.isclose(a, b, rtol=bound, atol=bound, equal_nan=True) if dtype.is_float else a != b
    if not wrong.any():
        return ""
    with np.errstate(invalid="ignore"):
        error = np.where(wrong, np.nan_to_num(np.abs(a.astype(np.float64) - b), nan=np.inf), -1.0)
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(error)), a.shape))
    return (f"{int(wrong.sum())} of {a.size} elements differ, most at {list(at)}: the kernel gives {a[at]}, "
            f"the reference {b[at]} (tolerance {bound:g})")  # fmt: skip


def _message(kernel: Kernel, name: str, sizes: dict[str, int], seed: int, problem: str, position: int,
             values: list[Any], have: Any) -> str:  # fmt: skip
    shown = ", ".join(f"{k}={v}" for k, v in sizes.items())
    # In-place kernels have changed their arguments: there is nothing to run again.
    hint = ""
    if kernel.out_idx:
        serial = run_serial(kernel, values)[position]
        same = serial.tobytes() == np.asarray(have).tobytes()
        hint = ("\nthe kernel without pipelining gives the same: the kernel or the reference is wrong" if same else
                "\nthe kernel without pipelining gives something else: see its check()")  # fmt: skip
    return f"kernel '{kernel.name}' with {shown or 'its shape'} (seed {seed}), argument '{name}': {problem}{hint}"
