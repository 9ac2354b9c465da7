"""Is the pipelined kernel the serial one? Runs both, with copies that complete as awkwardly as they may."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tilepipe import _tables
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Dynamic, Halved, Parameter, TensorType
from tilepipe.runtime import arguments
from tilepipe.runtime.call import prepare
from tilepipe.targets import Emulation, Issue, Mutant

if TYPE_CHECKING:
    from tilepipe.compiler import Kernel

FORMS = ("peeled", "prologue", "predicated")
# Relative and absolute, by the type of the result: against a reference of other arithmetic, and against the serial
# kernel where an accelerator rounds differently (approximate exp, another order of sums).
TOLERANCES = {"float8_e4m3fn": 7e-2, "float8_e5m2": 0.13, "float16": 2e-2, "bfloat16": 8e-2, "float32": 1e-4, "float64": 1e-9}
_ROUNDING = {"float8_e4m3fn": 7e-2, "float8_e5m2": 0.13, "float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-12}
# Operations whose result is the same everywhere, as long as it is a number that the type holds.
_EXACT_MATH = ("absf", "absi", "floor", "ceil", "trunc", "round", "roundeven", "fma", "copysign", "isnan", "isinf",
               "isfinite", "ctpop", "ctlz", "cttz", "ipowi")  # fmt: skip
_INEXACT = re.compile(rf"\bmath\.(?!({'|'.join(_EXACT_MATH)})\b)|\barith\.divf\b")
Maker = Callable[[np.random.Generator, tuple[int, ...]], Any]


@dataclass(frozen=True)
class CheckRun:
    """One run of a pipelined form; ``problem`` is empty where it did what the serial kernel does.

    ``issues`` are those that the emulator's detectors found, with the lines of the target's text and of the kernel.
    """

    form: str
    policy: str
    seed: int
    problem: str
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True)
class MutantRun:
    """A kernel with a weakened synchronisation; ``detected`` says how that showed, empty where it did not."""

    form: str
    mutant: Mutant
    detected: str


@dataclass(frozen=True)
class CheckReport:
    """What `Kernel.check` found. True where all is right.

    ``tolerance`` is 0 where results were compared bit by bit. A mutant that was not ``detected`` points at a
    synchronisation that does nothing; it makes no kernel wrong.
    """

    kernel: str
    sizes: dict[str, int]
    runs: tuple[CheckRun, ...]
    target: str = "cpu"
    tolerance: float = 0.0
    mutants: tuple[MutantRun, ...] = ()

    @property
    def failures(self) -> tuple[CheckRun, ...]:
        return tuple(run for run in self.runs if run.problem)

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What the detectors found, each once."""
        return tuple(dict.fromkeys(issue for run in self.runs for issue in run.issues))

    @property
    def undetected(self) -> tuple[MutantRun, ...]:
        return tuple(run for run in self.mutants if not run.detected)

    def __bool__(self) -> bool:
        return bool(self.runs) and not self.failures

    def _sheets(self) -> list[_tables.Sheet]:
        sizes = "".join(f", {name} = {size}" for name, size in self.sizes.items())
        verdict = "right" if self else f"wrong in {len(self.failures)} of {len(self.runs)} runs"
        place = "" if self.target == "cpu" else f" for {self.target}"
        same = f"as the serial kernel, within {self.tolerance:g}" if self.tolerance else "as the serial kernel"
        rows = [(r.form, r.policy + (f" {r.seed}" if r.seed else ""), r.problem or (same if r.policy else "as the reference"))
                for r in self.runs]  # fmt: skip
        title = f"check of {self.kernel}{place}{sizes}: {verdict}"
        sheets = [_tables.Sheet(title, ("form", "copies complete", "result"), rows, [*map(str, self.issues)])]
        if self.mutants:
            found = len(self.mutants) - len(self.undetected)
            title = f"weakened synchronisations: {found} of {len(self.mutants)} detected"
            lost = [(m.form, str(m.mutant.line), m.mutant.description, m.mutant.text) for m in self.undetected]
            sheets.append(_tables.Sheet(title, ("form", "line", "not detected", "text") if lost else (), lost))
        return sheets

    def __repr__(self) -> str:
        return _tables.text(self._sheets())

    def _repr_html_(self) -> str:
        return _tables.html(self._sheets())


def draw(parameter: Parameter, shape: tuple[int, ...], rng: np.random.Generator, small: bool) -> Any:
    """A random argument. Numbers of integer tensors are 0 or 1: they may be indices."""
    type_ = parameter.type
    dtype = type_.dtype if isinstance(type_, TensorType) else type_
    values: Any
    if isinstance(type_, TensorType) and type_.packed is not None:
        values = rng.integers(0, 256, shape, np.uint8).view(np.int8)
    elif not dtype.is_float:
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
            shape = tuple(parameter.type.resolve(lambda size: sizes[size.name]))
        if makers and parameter.name in makers:
            made.append(makers[parameter.name](rng, shape))
        else:
            made.append(draw(parameter, shape, rng, small))
    return made


def _usual_sizes(params: tuple[Parameter, ...]) -> dict[str, int]:
    """Dynamic sizes that no tile divides; even where two elements share a byte."""
    types = [p.type for p in params if isinstance(p.type, TensorType)]
    halved = {size.of.name for type_ in types for size in type_.shape if isinstance(size, Halved)}
    return {name: 33 + 4 * i + (name in halved) for i, name in enumerate(dynamic_sizes(params))}


def dynamic_sizes(params: tuple[Parameter, ...]) -> list[str]:
    """The names of the dynamic sizes, in the order of their first use."""
    types = (p.type for p in params if isinstance(p.type, TensorType))
    return list(dict.fromkeys(size.name for type_ in types for size in type_.dynamic_sizes()))


def difference(names: list[str], expected: list[Any], got: list[Any], tolerance: Mapping[str, float] | None = None,
               other: str = "the serial kernel") -> str:  # fmt: skip
    """The first argument that is not equal, empty where all are.

    Bit by bit, or within a relative and absolute ``tolerance`` by dtype.
    """
    for name, want, have in zip(names, expected, got, strict=True):
        if not isinstance(want, np.ndarray) or want.tobytes() == have.tobytes():
            continue
        wrong = _differing(want, have, (tolerance or {}).get(want.dtype.name, 0.0))
        if not wrong.any():
            continue
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), want.shape))
        return f"'{name}'{list(at)} is {have[at]}, {other} has {want[at]}"
    return ""


def _differing(want: np.ndarray, have: np.ndarray, bound: float) -> np.ndarray:
    """Which elements differ, in one dimension."""
    if bound:
        a, b = have.astype(np.float64), want.astype(np.float64)
        return ~np.isclose(a, b, rtol=bound, atol=bound, equal_nan=True).reshape(-1)
    return (want.reshape(-1).view(np.uint8) != have.reshape(-1).view(np.uint8)).reshape(-1, want.dtype.itemsize).any(1)


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


def run_serial(kernel: Kernel, values: list[Any]) -> list[Any]:
    """The arguments after a run of the serial kernel on the CPU."""
    program = kernel.serial
    # One thread: sums by atomics have one order.
    program.threads = 1
    result = _copy(values)
    program(_pack(kernel.params, result))
    return result


def _is_whole(value: Any) -> bool:
    # Sums and products of small whole numbers are exact, in whatever order.
    if isinstance(value, np.ndarray):
        wide = value.astype(np.float64) if value.dtype.kind not in "iub" else value
        return bool(((wide == np.floor(wide)) & (np.abs(wide) < 64)).all())
    return bool(value == int(value))


class _Progress:
    """How far it is, on standard error."""

    def __init__(self, wanted: bool | None) -> None:
        self.shown = sys.stderr.isatty() if wanted is None else wanted
        self.last = time.monotonic()

    def __call__(self, done: int, total: int, what: str) -> None:
        if self.shown and (time.monotonic() - self.last > 0.3):
            self.last = time.monotonic()
            print(f"\r[check] {done} of {total}: {what:50.50}", end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        if self.shown:
            print("\r" + " " * 72 + "\r", end="", file=sys.stderr, flush=True)


def _with_results(kernel: Kernel, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call with those that it would return, zeros, in their places."""
    _, results = prepare(kernel, args, {})
    for result in results:
        result[...] = 0
    given, made = iter(args), dict(zip(kernel.out_idx, results, strict=True))
    return tuple(made[i] if i in made else next(given) for i in range(len(kernel.params)))


class Checker:
    """One check of a kernel: see `Kernel.check`."""

    def __init__(self, kernel: Kernel, args: tuple[Any, ...], sizes: Mapping[str, int] | None, seed: int, seeds: int,
                 reference: Callable[..., Any] | None, progress: bool | None) -> None:  # fmt: skip
        self.kernel, self.reference = kernel, reference
        self.names = [p.name for p in kernel.params]
        known = {name: (sizes or {}).get(name, size) for name, size in _usual_sizes(kernel.params).items()}
        unknown = set(sizes or {}) - set(known)
        if unknown:
            raise KernelError(f"kernel '{kernel.name}' has no dynamic size '{min(unknown)}'; it has {', '.join(known) or 'none'}")
        if args and kernel.out_idx and len(args) == len(self.names) - len(kernel.out_idx):
            args = _with_results(kernel, args)
        if args and len(args) != len(self.names):
            raise KernelError(f"check takes all {len(self.names)} arguments ({', '.join(self.names)}), those of a call, or none, "
                              f"got {len(args)}")  # fmt: skip
        self.sizes = {} if args else known
        self.values = list(args) or make_arguments(kernel.params, known, np.random.default_rng(seed))
        self.orders = list(_orders(kernel.backend.policies, seeds))
        self.expected = run_serial(kernel, self.values)
        self.tolerance = None if self._is_exact() else _ROUNDING
        self.progress = _Progress(progress)

    def _is_exact(self) -> bool:
        if self.kernel.backend.is_exact:
            return True
        inputs = (v for i, v in enumerate(self.values) if i not in self.kernel.out_idx)
        return all(map(_is_whole, inputs)) and not _INEXACT.search(self.kernel.ir("source"))

    def report(self, mutants: bool) -> CheckReport:
        runs = [self._against_reference()] if self.reference else []
        found: list[MutantRun] = []
        try:
            for form in FORMS:
                emulation = self.kernel.emulation(form)
                for number, order in enumerate(self.orders):
                    self.progress(number, len(self.orders), f"{form}, {order[0]}")
                    runs.append(self._run(emulation, form, *order))
                if mutants:
                    found += self._mutants(emulation, form)
        finally:
            self.progress.finish()
        bound = max((_ROUNDING.get(v.dtype.name, 0.0) for v in self.expected if isinstance(v, np.ndarray)), default=0.0)
        return CheckReport(self.kernel.name, self.sizes, tuple(runs), str(self.kernel.target),
                           bound if self.tolerance else 0.0, tuple(found))  # fmt: skip

    def _run(self, emulation: Emulation, form: str, policy: str, seed: int) -> CheckRun:
        result = _copy(self.values)
        issues = emulation.run(_pack(self.kernel.params, result), policy, seed)
        problem = str(issues[0]) if issues else difference(self.names, self.expected, result, self.tolerance)
        return CheckRun(form, policy, seed, problem, tuple(issues))

    def _against_reference(self) -> CheckRun:
        assert self.reference
        got = _copy(self.values)
        if self.kernel.out_idx:
            results = self.reference(*(v for i, v in enumerate(got) if i not in self.kernel.out_idx))
            for position, result in zip(self.kernel.out_idx, results if isinstance(results, tuple) else (results,), strict=True):
                got[position] = np.asarray(result).astype(self.expected[position].dtype)
        else:
            self.reference(*got)
        return CheckRun("serial", "", 0, difference(self.names, self.expected, got, TOLERANCES))

    def _mutants(self, emulation: Emulation, form: str) -> list[MutantRun]:
        made = emulation.mutants()
        # What is wrong shows most often when all completes late.
        orders = sorted(self.orders, key=lambda order: order[0] != "late")
        found = []
        for number, (mutant, changed) in enumerate(made):
            self.progress(number, len(made), f"{form}, without {mutant.text.strip()}")
            runs = ((policy, self._run(changed, form, policy, seed).problem) for policy, seed in orders)
            found.append(MutantRun(form, mutant, next((f"{policy}: {what}" for policy, what in runs if what), "")))
        return found


def _orders(policies: tuple[str, ...], seeds: int) -> Iterator[tuple[str, int]]:
    for policy in policies:
        for seed in range(1, seeds + 1) if policy == "random" else (0,):
            yield policy, seed
