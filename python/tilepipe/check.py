"""Is the pipelined kernel the serial one? Runs both, with copies that complete as awkwardly as they may."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tilepipe import _tables
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Dynamic, Parameter, TensorType
from tilepipe.runtime import arguments

if TYPE_CHECKING:
    from tilepipe.compiler import Kernel

FORMS = ("peeled", "predicated")
Maker = Callable[[np.random.Generator, tuple[int, ...]], Any]


@dataclass(frozen=True)
class CheckRun:
    """One run of a pipelined form; ``problem`` is empty where it did what the serial kernel does."""

    form: str
    policy: str
    seed: int
    problem: str


@dataclass(frozen=True)
class CheckReport:
    """What `Kernel.check` found. True where all is right."""

    kernel: str
    sizes: dict[str, int]
    runs: tuple[CheckRun, ...]

    @property
    def failures(self) -> tuple[CheckRun, ...]:
        return tuple(run for run in self.runs if run.problem)

    def __bool__(self) -> bool:
        return bool(self.runs) and not self.failures

    def _sheet(self) -> _tables.Sheet:
        sizes = "".join(f", {name} = {size}" for name, size in self.sizes.items())
        verdict = "right" if self else f"wrong in {len(self.failures)} of {len(self.runs)} runs"
        rows = [(r.form, r.policy + (f" {r.seed}" if r.policy == "random" else ""), r.problem or "as the serial kernel")
                for r in self.runs]  # fmt: skip
        return _tables.Sheet(f"check of {self.kernel}{sizes}: {verdict}", ("form", "copies complete", "result"), rows)

    def __repr__(self) -> str:
        return _tables.text([self._sheet()])

    def _repr_html_(self) -> str:
        return _tables.html([self._sheet()])


def draw(parameter: Parameter, shape: tuple[int, ...], rng: np.random.Generator, small: bool) -> Any:
    """A random argument. Numbers of integer tensors are 0 or 1: they may be indices."""
    type_ = parameter.type
    dtype = type_.dtype if isinstance(type_, TensorType) else type_
    values: Any
    if not dtype.is_float:
        values = rng.integers(0, 2, shape)
    else:
        values = rng.integers(-3, 4, shape) if small else rng.standard_normal(shape)
    if isinstance(type_, TensorType):
        return np.ascontiguousarray(np.asarray(values).astype(arguments.numpy_dtype(dtype.name)))
    return float(values) if dtype.is_float else int(values)


def make_arguments(
    params: tuple[Parameter, ...], sizes: Mapping[str, int], rng: np.random.Generator,
    makers: Mapping[str, Maker] | None = None, small: bool = True,
) -> list[Any]:  # fmt: skip
    """Random arguments; dynamic sizes by name from ``sizes``."""
    made = []
    for parameter in params:
        shape: tuple[int, ...] = ()
        if isinstance(parameter.type, TensorType):
            shape = tuple(sizes[s.name] if isinstance(s, Dynamic) else s for s in parameter.type.shape)
        if makers and parameter.name in makers:
            made.append(makers[parameter.name](rng, shape))
        else:
            made.append(draw(parameter, shape, rng, small))
    return made


def dynamic_sizes(params: tuple[Parameter, ...]) -> list[str]:
    """The names of the dynamic sizes, in the order of their first use."""
    shapes = (p.type.shape for p in params if isinstance(p.type, TensorType))
    return list(dict.fromkeys(s.name for shape in shapes for s in shape if isinstance(s, Dynamic)))


def difference(names: list[str], expected: list[Any], got: list[Any]) -> str:
    """The first argument that is not equal bit by bit, empty where all are."""
    for name, want, have in zip(names, expected, got, strict=True):
        if not isinstance(want, np.ndarray) or want.tobytes() == have.tobytes():
            continue
        width = want.dtype.itemsize
        bytes_differ = (want.reshape(-1).view(np.uint8) != have.reshape(-1).view(np.uint8)).reshape(-1, width)
        first = int(np.argmax(bytes_differ.any(1)))
        at = tuple(int(i) for i in np.unravel_index(first, want.shape))
        return f"'{name}'{list(at)} is {have[at]}, the serial kernel has {want[at]}"
    return ""


def _copy(values: list[Any]) -> list[Any]:
    return [np.array(v, order="C") if isinstance(v, np.ndarray) else v for v in values]


def _pack(params: tuple[Parameter, ...], values: list[Any]) -> list[Any]:
    sizes: dict[Dynamic, tuple[int, str]] = {}
    packed = []
    for parameter, value in zip(params, values, strict=True):
        if isinstance(parameter.type, TensorType):
            view = arguments.view_of(value, parameter.name)
            arguments.check_tensor(view, parameter, sizes)
            packed.append(view)
        else:
            packed.append(arguments.scalar(value, parameter.type, parameter.name))
    return packed


def run_form(kernel: Kernel, values: list[Any], form: str | None = None, **how: Any) -> list[Any]:
    """The arguments after a run of the serial kernel, or of a pipelined form of it."""
    return _prepare(kernel, form)(values, **how)


def _prepare(kernel: Kernel, form: str | None) -> Callable[..., list[Any]]:
    program = kernel._form(form)
    # One thread: sums by atomics have one order.
    program.threads = 1

    def run(values: list[Any], **how: Any) -> list[Any]:
        result = _copy(values)
        program(_pack(kernel.params, result), **how)
        return result

    return run


def _policies(seeds: int) -> Iterator[tuple[str, int]]:
    from tilepipe.runtime.cpu import POLICIES

    for policy in POLICIES:
        for seed in range(1, seeds + 1) if policy == "random" else (0,):
            yield policy, seed


def check(kernel: Kernel, args: tuple[Any, ...], sizes: Mapping[str, int] | None, seeds: int, seed: int) -> CheckReport:
    """See `Kernel.check`."""
    names = [p.name for p in kernel.params]
    known = {name: (sizes or {}).get(name, 33 + 4 * i) for i, name in enumerate(dynamic_sizes(kernel.params))}
    unknown = set(sizes or {}) - set(known)
    if unknown:
        raise KernelError(f"kernel '{kernel.name}' has no dynamic size '{min(unknown)}'; it has {', '.join(known) or 'none'}")
    if args and len(args) != len(names):
        raise KernelError(f"check takes all {len(names)} arguments ({', '.join(names)}) or none, got {len(args)}")
    values = list(args) or make_arguments(kernel.params, known, np.random.default_rng(seed))
    expected = run_form(kernel, values)
    runs = []
    for form in FORMS:
        run = _prepare(kernel, form)
        for policy, number in _policies(seeds):
            try:
                problem = difference(names, expected, run(values, policy=policy, seed=number))
            except RuntimeError as error:
                problem = str(error).splitlines()[0]
            runs.append(CheckRun(form, policy, number, problem))
    return CheckReport(kernel.name, {} if args else known, tuple(runs))
