"""Runs PTX on the CPU, adversarially, and says what is wrong with it.

    module = Module(text)
    report = module.launch("gemm", grid=(2, 2), block=128, shared_bytes=49152, args=[a, b, c])
    report.raise_on_issues()

Arrays are updated in place and their bounds are checked. Nothing the kernel does can harm
the process; the interpreter lock is released while it runs.
"""

import ctypes
import json
import os
import pathlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = [
    "POLICIES",
    "Issue",
    "Kernel",
    "Module",
    "Mutant",
    "Param",
    "PtxError",
    "Report",
    "SharedVariable",
    "Site",
]

POLICIES = ("eager", "late", "early", "shuffle")
_INTERFACE = 1
_NUMBERS = {
    "u8": "<u1", "s8": "<i1", "b8": "<u1", "u16": "<u2", "s16": "<i2", "b16": "<u2", "u32": "<u4", "s32": "<i4",
    "b32": "<u4", "u64": "<u8", "s64": "<i8", "b64": "<u8", "f16": "<f2", "f32": "<f4", "f64": "<f8",
}  # fmt: skip


class PtxError(ValueError):
    """Text that is not PTX the emulator knows, or arguments that do not fit the kernel."""


@dataclass(frozen=True)
class Param:
    name: str
    type: str
    offset: int
    bytes: int


@dataclass(frozen=True)
class SharedVariable:
    """A variable of shared memory that the kernel uses, and where it lies."""

    name: str
    offset: int
    bytes: int
    dynamic: bool


@dataclass(frozen=True)
class Kernel:
    name: str
    line: int
    params: tuple[Param, ...]
    shared: tuple[SharedVariable, ...]
    static_shared: int
    dynamic_shared: bool
    dynamic_offset: int
    local_bytes: int
    instructions: int
    max_threads: tuple[int, int, int]
    required_threads: tuple[int, int, int]


@dataclass(frozen=True)
class Site:
    """One end of an issue: the line of the PTX, and the place in the user's source."""

    access: str
    line: int
    text: str
    place: str


@dataclass(frozen=True)
class Issue:
    """`kind`: race, in-flight, uninitialised, bounds, alignment, divergence, deadlock, pending-copy, limit, fault."""

    kind: str
    message: str
    missing: str
    sites: tuple[Site, ...]
    block: tuple[int, int, int]
    count: int
    fatal: bool
    text: str

    def __str__(self) -> str:
        return self.text.rstrip()


@dataclass(frozen=True)
class Report:
    issues: tuple[Issue, ...]
    statistics: dict[str, Any]
    completed: bool

    def __bool__(self) -> bool:
        """True if the kernel ran to its end and nothing was found."""
        return self.completed and not self.issues

    def __str__(self) -> str:
        return "\n".join(map(str, self.issues)) or "no issues"

    def raise_on_issues(self) -> None:
        if not self:
            raise PtxError(str(self))


@dataclass(frozen=True)
class Mutant:
    """The module with one synchronising instruction removed or loosened."""

    kernel: str
    line: int
    kind: str
    module: "Module" = field(repr=False)


class _Argument(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
    )


class _Options(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("policy", ctypes.c_char_p),
        ("seed", ctypes.c_uint64),
        ("max_instructions", ctypes.c_uint64),
        ("timeout", ctypes.c_double),
        ("max_issues", ctypes.c_uint32),
        ("races", ctypes.c_uint8),
        ("undefined", ctypes.c_uint8),
        ("census", ctypes.c_uint8),
    )


def _find_library() -> pathlib.Path:
    name = "libTilePipePtxEmulator.so"
    package = pathlib.Path(__file__).parent.parent
    places = [package / "_lib"]
    # A build directory: build/python/tilepipe beside build/lib; sources are links there.
    for parent in pathlib.Path(os.path.abspath(__file__)).parents[:5]:
        places += [parent / "lib", parent / "build" / "lib"]
    if chosen := os.environ.get("TILEPIPE_PTX_EMULATOR"):
        return pathlib.Path(chosen)
    for place in places:
        if (place / name).exists():
            return place / name
    raise ImportError(
        f"{name} is not in {' or '.join(str(place) for place in places[:1])}; build TilePipePtxEmulator"
    )


def _load_library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_find_library()))
    if library.tilepipePtxInterfaceVersion() != _INTERFACE:
        raise ImportError(f"{library._name} belongs to another version of tilepipe")
    pointer, text = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
    library.tilepipePtxParse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, text]
    library.tilepipePtxParse.restype = pointer
    library.tilepipePtxDestroy.argtypes = [pointer]
    library.tilepipePtxDestroy.restype = None
    library.tilepipePtxFree.argtypes = [pointer]
    library.tilepipePtxFree.restype = None
    for name in ("tilepipePtxDescribe", "tilepipePtxMutants"):
        getattr(library, name).argtypes = [pointer]
        getattr(library, name).restype = pointer
    library.tilepipePtxLaunch.argtypes = [
        pointer, ctypes.c_char_p, ctypes.POINTER(_Options), ctypes.POINTER(_Argument), ctypes.c_size_t, text,
    ]  # fmt: skip
    library.tilepipePtxLaunch.restype = ctypes.c_int
    return library


_cached_library: ctypes.CDLL | None = None


def _library() -> ctypes.CDLL:
    global _cached_library
    if _cached_library is None:
        _cached_library = _load_library()
    return _cached_library


def _take(pointer: Any) -> str:
    """The text the library made; it is given back."""
    if not pointer:
        raise MemoryError("the PTX emulator ran out of memory")
    try:
        return ctypes.string_at(pointer).decode(errors="replace")
    finally:
        _library().tilepipePtxFree(pointer)


def _three(value: int | Sequence[int], name: str) -> Any:
    values = (value,) if isinstance(value, int | np.integer) else tuple(value)
    if not 1 <= len(values) <= 3 or any(not 1 <= int(v) < 2**32 for v in values):
        raise PtxError(f"{name} must be one to three positive numbers, not {value!r}")
    return (ctypes.c_uint32 * 3)(*(int(v) for v in values), *([1] * (3 - len(values))))


class Module:
    """A parsed PTX module."""

    def __init__(self, text: str) -> None:
        self._handle = None
        self.text = text
        data, error = text.encode(), ctypes.c_void_p()
        self._handle = _library().tilepipePtxParse(data, len(data), ctypes.byref(error))
        if not self._handle:
            raise PtxError("ptx:" + _take(error.value))
        facts = json.loads(_take(_library().tilepipePtxDescribe(self._handle)))
        self.target: str = facts["target"]
        self.census: dict[str, int] = facts["census"]
        self.kernels: dict[str, Kernel] = {k["name"]: self._kernel(k) for k in facts["kernels"]}

    @staticmethod
    def _kernel(facts: dict[str, Any]) -> Kernel:
        facts["params"] = tuple(Param(**p) for p in facts["params"])
        facts["shared"] = tuple(SharedVariable(**v) for v in facts["shared"])
        facts["max_threads"] = tuple(facts["max_threads"])
        facts["required_threads"] = tuple(facts["required_threads"])
        return Kernel(**facts)

    def __del__(self) -> None:
        if self._handle:
            _library().tilepipePtxDestroy(self._handle)

    def launch(
        self,
        kernel: str,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        shared_bytes: int = 0,
        args: Sequence[Any] = (),
        *,
        policy: str = "late",
        seed: int = 0,
        races: bool = True,
        undefined: bool = True,
        census: bool = False,
        threads: int = 1,
        max_instructions: int = 0,
        timeout: float = 0,
        max_issues: int = 32,
    ) -> Report:
        """Runs `kernel`; arrays among `args` are buffers, numbers take the width of their parameter.

        `census` adds to the statistics how often each instruction ran, and bank conflicts by line.
        `shared_bytes` is the dynamic shared memory. `max_instructions` (of warps) and `timeout`
        (in seconds) end a kernel that does not end by itself.
        """
        if kernel not in self.kernels:
            raise PtxError(
                f"no kernel '{kernel}' in the module, which has {', '.join(self.kernels) or 'none'}"
            )
        params = self.kernels[kernel].params
        if len(args) != len(params):
            raise PtxError(f"kernel '{kernel}' takes {len(params)} arguments, got {len(args)}")
        keep: list[Any] = []
        arguments = (_Argument * len(args))(
            *(_argument(a, p, keep) for a, p in zip(args, params, strict=True))
        )
        options = _Options(
            _three(grid, "grid"), _three(block, "block"), shared_bytes, threads, policy.encode(), seed,
            max_instructions, timeout, max_issues, races, undefined, census,
        )  # fmt: skip
        result = ctypes.c_void_p()
        failed = _library().tilepipePtxLaunch(
            self._handle,
            kernel.encode(),
            ctypes.byref(options),
            arguments,
            len(args),
            ctypes.byref(result),
        )
        text = _take(result.value)
        if failed:
            raise PtxError(text)
        return _report(json.loads(text))

    def check(
        self, kernel: str, *positional: Any, seeds: Sequence[int] = (0,), **named: Any
    ) -> dict[str, Report]:
        """Launches under every policy; buffers keep what the last run left in them."""
        reports = {}
        for policy in POLICIES:
            for seed in seeds if policy == "shuffle" else (0,):
                name = f"{policy}:{seed}" if policy == "shuffle" else policy
                reports[name] = self.launch(kernel, *positional, policy=policy, seed=seed, **named)
        return reports

    def mutated(self, begin: int, end: int, replacement: str) -> "Module":
        """The module with these bytes of its text replaced."""
        data = self.text.encode()
        return Module((data[:begin] + replacement.encode() + data[end:]).decode())

    def sync_mutants(self) -> Iterator[Mutant]:
        """One mutant for each barrier, wait and commit removed, and for each wait one too loose."""
        for facts in json.loads(_take(_library().tilepipePtxMutants(self._handle))):
            module = self.mutated(facts["begin"], facts["end"], facts["replacement"])
            yield Mutant(facts["kernel"], facts["line"], facts["kind"], module)


def _argument(value: Any, param: Param, keep: list[Any]) -> _Argument:
    name = param.name.encode()
    keep.append(name)
    if isinstance(value, np.ndarray) and value.ndim > 0:
        if not (value.flags.c_contiguous or value.flags.f_contiguous):
            raise PtxError(f"argument '{param.name}' is not contiguous")
        keep.append(value)
        return _Argument(value.ctypes.data, value.nbytes, name, 1 if value.flags.writeable else 2)
    if isinstance(value, bytes | bytearray):
        data = bytes(value)
    elif isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        data = (
            value.tobytes() if value.dtype.itemsize == param.bytes else _number(value.item(), param)
        )
    else:
        data = _number(value, param)
    buffer = ctypes.create_string_buffer(data, len(data))
    keep.append(buffer)
    return _Argument(ctypes.addressof(buffer), len(data), name, 0)


def _number(value: Any, param: Param) -> bytes:
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, float) and param.type in ("b32", "b64"):
        return np.array(value, "<f4" if param.type == "b32" else "<f8").tobytes()
    if not isinstance(value, int | float) or param.type not in _NUMBERS:
        raise PtxError(
            f"argument '{param.name}' of type .{param.type} cannot be {type(value).__name__}"
        )
    code = _NUMBERS[param.type]
    if isinstance(value, int) and code[1] in "ui":
        bits = 8 * int(code[2])
        if not -(1 << (bits - 1)) <= value < 1 << bits:
            raise PtxError(f"argument '{param.name}' of type .{param.type} cannot hold {value}")
        return (value % (1 << bits)).to_bytes(bits // 8, "little")
    if code[1] in "ui":
        raise PtxError(f"argument '{param.name}' of type .{param.type} cannot be {value!r}")
    return np.array(value, code).tobytes()


def _report(facts: dict[str, Any]) -> Report:
    issues = []
    for issue in facts["issues"]:
        issue["sites"] = tuple(Site(**site) for site in issue["sites"])
        issue["block"] = tuple(issue["block"])
        issues.append(Issue(**issue))
    return Report(tuple(issues), facts["statistics"], facts["completed"])
