"""Runs emitted CCE text (dav-2201) on this machine and watches how it synchronises.

    module = Module(text)
    report = module.launch("matmul", blocks=6, args=[a, b, c, 384], policy="late")
    print(report)                       # what is wrong, where in the text and where in the user's kernel
    for mutant in module.sync_mutants():
        assert not mutant.module.check("matmul", 6, [a, b, c, 384]).ok

The model is in docs/cce-emulator.md. As a command: ``python -m tilepipe.emulator.cce --help``.
"""

from __future__ import annotations

import ctypes
import functools
import json
import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilepipe.emulator.cce_build import (
    CompileError,
    Parameter,
    Place,
    build,
    find_kernels,
    find_places,
    library_path,
    type_check,
    without_comments,
)

__all__ = ["POLICIES", "CompileError", "Issue", "Module", "Mutant", "Report", "type_check"]

#: Every way in which work may complete: as early or as late as allowed, shuffled, or one pipe as slow as can be.
POLICIES = (
    "eager",
    "late",
    "early-write-late-read",
    "random",
    *(f"victim:{who}" for who in ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "AIC", "AIV")),
)

_ALIGNMENT = 512
_KINDS = {"removed": 1, "wrong id": 2, "pipes swapped": 3, "fewer versions": 4}
_PIPES = {"PIPE_S": 0, "PIPE_V": 1, "PIPE_M": 2, "PIPE_MTE1": 3, "PIPE_MTE2": 4, "PIPE_MTE3": 5, "PIPE_FIX": 10}
_SYNC = re.compile(r"\b(set_flag|wait_flag|pipe_barrier|ffts_cross_core_sync|wait_flag_dev)\s*\(")
_FLAG = re.compile(r"\s*(PIPE_\w+)\s*,\s*(PIPE_\w+)\s*,\s*(.*)", re.DOTALL)
_LITERAL = re.compile(r"(?:\(\s*event_t\s*\)\s*)?(?:EVENT_ID)?\(?(\d+)\)?$")


class _Array(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("uninitialised", ctypes.c_int),
    )


class _Mutation(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int) for name in ("kind", "line", "column", "source", "target", "base", "versions")
    )


class _Launch(ctypes.Structure):
    _fields_ = (
        ("single", ctypes.c_void_p),
        ("cube", ctypes.c_void_p),
        ("vector", ctypes.c_void_p),
        ("arguments", ctypes.POINTER(ctypes.c_int64)),
        ("arrays", ctypes.POINTER(_Array)),
        ("arrayCount", ctypes.c_int),
        ("mutations", ctypes.POINTER(_Mutation)),
        ("mutationCount", ctypes.c_int),
        ("blocks", ctypes.c_int),
        ("resident", ctypes.c_int),
        ("vectorsPerCube", ctypes.c_int),
        ("policy", ctypes.c_char_p),
        ("seed", ctypes.c_uint64),
        ("races", ctypes.c_int),
        ("timeout", ctypes.c_double),
    )


@functools.cache
def _engine() -> ctypes.CDLL:
    engine = ctypes.CDLL(str(library_path()), mode=ctypes.RTLD_GLOBAL)
    engine.tpCceRun.restype = ctypes.c_void_p
    engine.tpCceFree.argtypes = [ctypes.c_void_p]
    return engine


@dataclass(frozen=True)
class Issue:
    """One finding: of which kind, where (``line`` of the text, ``source`` of the user), and the other half of it."""

    kind: str
    severity: str
    message: str
    line: int = 0
    column: int = 0
    text: str = ""
    source: Place | None = None
    other_line: int = 0
    other_text: str = ""
    other_source: Place | None = None
    missing: str = ""
    core: str = ""
    block: int = 0
    count: int = 1

    def __str__(self) -> str:
        result = f"{self.severity}: {self.kind}: {self.message}"
        if self.core:
            result += f" [{self.core}, block {self.block}]"
        for name, line, text, source in (
            ("at", self.line, self.text, self.source),
            ("other", self.other_line, self.other_text, self.other_source),
        ):
            if line:
                result += f"\n  {name} line {line}" + (f" ({source})" if source else "") + f": {text}"
        return result + (f"\n  missing: {self.missing}" if self.missing else "")


@dataclass
class Report:
    """What one launch, or several, found."""

    issues: list[Issue] = field(default_factory=list)
    statistics: dict[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> list[Issue]:
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return not self.errors

    def kinds(self) -> set[str]:
        return {issue.kind for issue in self.errors}

    def __str__(self) -> str:
        return "\n".join(map(str, self.issues)) or "no issues"


@dataclass(frozen=True)
class Mutant:
    """The module with one synchronisation changed; it runs the same compiled code."""

    line: int
    kind: str
    text: str
    source: Place | None
    module: Module

    def __iter__(self) -> Iterator[Any]:
        return iter((self.line, self.kind, self.module))


class _Shared:
    """Copies of the caller's arrays in memory that the child process shares."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        starts, size = [], _ALIGNMENT
        for array in arrays:
            starts.append(size)
            # A gap, so that what runs past the end of one does not start the next.
            size += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT + _ALIGNMENT
        self._map = mmap.mmap(-1, size)
        memory = np.frombuffer(self._map, np.uint8)
        base = memory.ctypes.data
        self.addresses = [base + start for start in starts]
        self._views = [memory[start : start + array.nbytes] for start, array in zip(starts, arrays, strict=True)]
        self._arrays = arrays
        for view, array in zip(self._views, arrays, strict=True):
            view[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)

    def copy_back(self) -> None:
        for view, array in zip(self._views, self._arrays, strict=True):
            if array.flags.writeable:
                array[...] = view.view(array.dtype).reshape(array.shape)


def _scalar_bits(parameter: Parameter, value: Any) -> int:
    if parameter.type == "float":
        return int(np.float32(value).view(np.int32))
    return ctypes.c_int64(int(value)).value


class Module:
    """CCE text, compiled for the emulator. Raises CompileError where it is not well typed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kernels = find_kernels(text)
        self._places = find_places(text)
        self._lines = text.splitlines()
        self._library = build(text)
        self._mutations: tuple[_Mutation, ...] = ()

    @property
    def names(self) -> list[str]:
        """Kernels that can be launched; the two halves of a mixed one are one kernel."""
        found = (re.sub(r"_mix_ai[cv]$", "", name) for name in self.kernels)
        return list(dict.fromkeys(found))

    def _entry(self, name: str) -> int | None:
        if name not in self.kernels:
            return None
        return ctypes.cast(self._library[f"tp_entry_{name}"], ctypes.c_void_p).value

    def launch(
        self,
        name: str,
        blocks: int,
        args: Sequence[Any],
        policy: str = "late",
        seed: int = 0,
        races: bool = True,
        *,
        resident: int = 1,
        uninitialised: Iterable[str] = (),
        vectors_per_cube: int = 2,
        timeout: float = 60.0,
    ) -> Report:
        """Runs a kernel once, in a process of its own; arrays are changed in place.

        ``uninitialised`` names parameters whose contents the kernel must write before it reads them; ``resident``
        is how many blocks run at the same time.
        """
        if blocks < 0 or resident < 1:
            raise ValueError(f"needs blocks >= 0 and resident >= 1, not {blocks} and {resident}")
        entry = self._entry(name)
        cube, vector = self._entry(f"{name}_mix_aic"), self._entry(f"{name}_mix_aiv")
        if entry is None and (cube is None or vector is None):
            raise ValueError(f"there is no kernel '{name}'; there are {', '.join(self.names) or 'none'}")
        parameters = self.kernels[name if entry is not None else f"{name}_mix_aic"]
        if len(args) != len(parameters):
            raise ValueError(f"'{name}' has {len(parameters)} parameters, but there are {len(args)} arguments")
        launch = _Launch(entry, cube, vector, blocks=blocks, resident=resident, vectorsPerCube=vectors_per_cube)
        launch.policy, launch.seed, launch.races, launch.timeout = policy.encode(), seed, races, timeout
        shared, keep = _marshal(launch, parameters, args, set(uninitialised))
        launch.mutations = (_Mutation * max(1, len(self._mutations)))(*self._mutations)
        launch.mutationCount = len(self._mutations)
        report = self._report(_run(launch))
        del keep
        shared.copy_back()
        return report

    def check(
        self,
        name: str,
        blocks: int,
        args: Sequence[Any],
        policies: Iterable[str] = POLICIES,
        *,
        stop: bool = True,
        **options: Any,
    ) -> Report:
        """Runs a kernel under each policy with fresh copies of the arrays; ``stop`` ends at the first error.

        The results of the last run are left in the arrays.
        """
        arrays = [arg for arg in args if isinstance(arg, np.ndarray)]
        before = [array.copy() for array in arrays]
        result = Report()
        for policy in policies:
            for array, old in zip(arrays, before, strict=True):
                if array.flags.writeable:
                    array[...] = old
            report = self.launch(name, blocks, args, policy, **options)
            result.statistics = report.statistics
            known = {(issue.kind, issue.line, issue.other_line, issue.message) for issue in result.issues}
            result.issues += [
                issue
                for issue in report.issues
                if (issue.kind, issue.line, issue.other_line, issue.message) not in known
            ]
            if stop and not result.ok:
                break
        return result

    def sync_mutants(self) -> Iterator[Mutant]:
        """The module with each synchronisation removed, with a wrong id, with swapped pipes, with a version fewer."""
        for site in _sync_sites(self.text):
            kinds = ["removed"]
            if site.call != "pipe_barrier":
                kinds.append("wrong id")
            if site.flag:
                kinds.append("pipes swapped")
            for kind in kinds:
                yield self._mutant(site, kind, _Mutation(_KINDS[kind], site.line, site.column))
        for site, versions in _version_channels(self.text):
            source, target = (_PIPES[pipe] for pipe in site.flag[:2])
            mutation = _Mutation(_KINDS["fewer versions"], 0, 0, source, target, 0, versions)
            yield self._mutant(site, "fewer versions", mutation)

    def _mutant(self, site: _Site, kind: str, mutation: _Mutation) -> Mutant:
        module = object.__new__(Module)
        module.__dict__.update(self.__dict__)
        module._mutations = (mutation,)
        return Mutant(site.line, kind, self._line(site.line), self._places.get(site.line), module)

    def _line(self, number: int) -> str:
        if not 0 < number <= len(self._lines):
            return ""
        return self._lines[number - 1].split("//")[0].strip()

    def _report(self, found: dict[str, Any]) -> Report:
        report = Report(statistics=found["statistics"])
        for entry in found["issues"]:
            at, other = entry.pop("at"), entry.pop("other")
            line, other_line = (at or {}).get("line", 0), (other or {}).get("line", 0)
            report.issues.append(
                Issue(
                    **entry,
                    line=line,
                    column=(at or {}).get("column", 0),
                    text=self._line(line),
                    source=self._places.get(line),
                    other_line=other_line,
                    other_text=self._line(other_line),
                    other_source=self._places.get(other_line),
                )
            )
        return report


def _marshal(
    launch: _Launch, parameters: Sequence[Parameter], args: Sequence[Any], uninitialised: set[str]
) -> tuple[_Shared, list[Any]]:
    """Fills in arguments and arrays; what is returned must live as long as the launch."""
    for parameter, arg in zip(parameters, args, strict=True):
        if parameter.pointer != isinstance(arg, np.ndarray):
            raise TypeError(f"parameter '{parameter.name}' takes {'an array' if parameter.pointer else 'a number'}")
        if parameter.pointer and arg.itemsize != parameter.bytes:
            raise TypeError(
                f"parameter '{parameter.name}' has elements of {parameter.bytes} bytes ({parameter.type}), "
                f"but those of the array have {arg.itemsize}"
            )
    unknown = uninitialised - {parameter.name for parameter in parameters if parameter.pointer}
    if unknown:
        raise ValueError(f"there is no array parameter '{unknown.pop()}'")
    # One array given twice is one array.
    arrays = {arg.__array_interface__["data"][0]: arg for arg in args if isinstance(arg, np.ndarray)}
    shared = _Shared(list(arrays.values()))
    where = dict(zip(arrays, shared.addresses, strict=True))
    described: dict[int, _Array] = {}
    bits = []
    for parameter, arg in zip(parameters, args, strict=True):
        if not isinstance(arg, np.ndarray):
            bits.append(_scalar_bits(parameter, arg))
            continue
        address = where[arg.__array_interface__["data"][0]]
        bits.append(address)
        described.setdefault(
            address, _Array(address, arg.nbytes, parameter.name.encode(), parameter.name in uninitialised)
        )
    launch.arguments = (ctypes.c_int64 * max(1, len(bits)))(*bits)
    launch.arrays = (_Array * max(1, len(described)))(*described.values())
    launch.arrayCount = len(described)
    return shared, [launch.arguments, launch.arrays]


def _run(launch: _Launch) -> dict[str, Any]:
    engine = _engine()
    text = engine.tpCceRun(ctypes.byref(launch))
    try:
        result: dict[str, Any] = json.loads(ctypes.string_at(text))
    finally:
        engine.tpCceFree(text)
    for issue in result["issues"]:
        if issue["kind"] == "usage":
            raise ValueError(issue["message"])
    return result


@dataclass(frozen=True)
class _Site:
    """A synchronising call of the text; ``flag`` holds pipes and id of set_flag and wait_flag."""

    call: str
    line: int
    column: int
    flag: tuple[str, ...] = ()


def _arguments(text: str, begin: int) -> str:
    depth, end = 1, begin
    while end < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[begin : end - 1]


def _sync_sites(text: str) -> list[_Site]:
    code = without_comments(text)
    sites = []
    for match in _SYNC.finditer(code):
        start = code.rfind("\n", 0, match.start()) + 1
        line, column = code.count("\n", 0, start) + 1, match.start() - start + 1
        flag: tuple[str, ...] = ()
        if match.group(1) in ("set_flag", "wait_flag"):
            parts = _FLAG.match(_arguments(code, match.end()))
            flag = tuple(parts.groups()) if parts else ()
        sites.append(_Site(match.group(1), line, column, flag))
    return sites


def _version_channels(text: str) -> list[tuple[_Site, int]]:
    """Pairs of pipes with ids that are computed: a site, and how many ids there seem to be.

    The ids set before the loop, or those of the way back, tell how many versions the buffer has.
    """
    literals: dict[tuple[str, str], set[int]] = {}
    computed: dict[tuple[str, str], _Site] = {}
    for site in _sync_sites(text):
        if not site.flag:
            continue
        source, target, number = site.flag
        literal = _LITERAL.match(number.strip())
        if literal:
            literals.setdefault((source, target), set()).add(int(literal.group(1)))
        else:
            computed.setdefault((source, target), site)
    result = []
    for (source, target), site in computed.items():
        known = literals.get((source, target)) or literals.get((target, source)) or {1}
        if max(known) >= 1:
            result.append((site, max(known) + 1))
    return result


if __name__ == "__main__":
    from tilepipe.emulator.cce_main import main

    raise SystemExit(main())
