"""What targets with a device of their own share: text with one function for each launch, and how these are started."""

from __future__ import annotations

import ctypes
import functools
import json
import math
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tilepipe import ir
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Parameter, TensorType
from tilepipe.runtime.arguments import View, numpy_dtype
from tilepipe.targets import Entry

Grid = tuple[int, int, int]


def binding(target: str) -> Any:
    """The part of the native module that is for a target, None where the build has none."""
    from tilepipe._load import native

    return getattr(native, target, None)


@dataclass(frozen=True)
class Workspace:
    """Device memory that a function takes after its arguments: of this shape for each block."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Function:
    """One function of the text: threads and dynamic shared memory of a block, and what it works in."""

    name: str
    threads: int = 1
    shared_bytes: int = 0
    workspaces: tuple[Workspace, ...] = ()

    @staticmethod
    def parse(read: dict[str, Any]) -> Function:
        spaces = tuple(Workspace(tuple(w["shape"]), w["dtype"]) for w in read.pop("workspaces"))
        return Function(**read, workspaces=spaces)


@dataclass(frozen=True)
class Code:
    """The text of a kernel and its functions, in the order in which a call starts them."""

    text: str
    functions: tuple[Function, ...]

    def dump(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def parse(text: str) -> Code:
        """The code of `dump`; raises `ValueError` where it is none."""
        try:
            read = json.loads(text)
            return Code(read["text"], tuple(Function.parse(f) for f in read["functions"]))
        except (KeyError, TypeError) as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True)
class Launch:
    """One start of a function on a grid of blocks."""

    name: str
    grid: Grid
    threads: int


class Launches:
    """What a call of a kernel starts: computed from its source IR and the sizes of the arguments."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._known: dict[Any, list[Launch]] = {}
        self._lock = threading.Lock()

    @functools.cached_property
    def _module(self) -> ir.Module:
        return ir.Module.parse(self.entry.source, ir.Context())

    def of(self, arguments: Sequence[Any]) -> list[Launch]:
        """The launches for `View`s and ctypes scalars, in the order of the parameters."""
        from tilepipe._load import native

        values = [list(a.shape) if isinstance(a, View) else a.value for a in arguments]
        key = tuple(tuple(v) if isinstance(v, list) else v for v in values)
        with self._lock:
            if key not in self._known:
                try:
                    planned = native.plan_launches(self._module, self.entry.name, values)
                except ir.MLIRError as error:
                    raise KernelError.from_diagnostics(error) from None
                self._known[key] = [Launch(name, _three(grid), threads) for name, grid, threads in planned]
            return self._known[key]

    def from_packed(self, packed: Sequence[Any]) -> list[Launch]:
        """The same for arguments as a kernel takes them: of a tensor its address, then its dynamic sizes."""
        rest = iter(packed)
        values: list[Any] = []
        for parameter in self.entry.params:
            first = next(rest)
            if not isinstance(parameter.type, TensorType):
                values.append(first)
                continue
            shape = tuple(size if isinstance(size, int) else next(rest).value for size in parameter.type.shape)
            values.append(View(first.value, shape, (), parameter.type.dtype.name, None))
        return self.of(values)


def _three(grid: Sequence[int]) -> Grid:
    x, y, z = (*grid, 1, 1, 1)[:3]
    return x, y, z


def unpacked(params: tuple[Parameter, ...], arguments: list[Any]) -> list[Any]:
    """What a function of the text takes: of each tensor its elements, then its dynamic sizes; scalars."""
    values: list[Any] = []
    for parameter, argument in zip(params, arguments, strict=True):
        if not isinstance(argument, View):
            values.append(argument.value)
            continue
        assert isinstance(parameter.type, TensorType)
        values.append(_array(argument))
        values += [n for size, n in zip(parameter.type.shape, argument.shape, strict=True) if not isinstance(size, int)]
    return values


def _array(view: View) -> np.ndarray:
    if isinstance(view.owner, np.ndarray):
        return view.owner
    dtype = numpy_dtype(view.dtype)
    size = math.prod(view.shape) * dtype.itemsize
    memory = (ctypes.c_uint8 * size).from_address(view.address)
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(view.shape)
