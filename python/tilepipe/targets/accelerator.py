"""What targets with a device of their own share: text with one function for each launch, and how these are started."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tilepipe import ir
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import TensorType
from tilepipe.runtime.arguments import View
from tilepipe.targets import Entry

Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Function:
    """One function of the text: threads and dynamic shared memory of a block."""

    name: str
    threads: int = 1
    shared_bytes: int = 0


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
            return Code(read["text"], tuple(Function(**f) for f in read["functions"]))
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
