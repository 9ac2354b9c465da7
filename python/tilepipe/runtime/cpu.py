"""The CPU target: compiles a module for this processor and calls it."""

from __future__ import annotations

import ctypes
import os
import re
from typing import TYPE_CHECKING, Any

from tilepipe import ir
from tilepipe._load import native as _native
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.runtime.arguments import View, dense_strides

if TYPE_CHECKING:
    from tilepipe.targets import Entry


class KernelRunError(KernelError, RuntimeError):
    """What a running kernel found: an assertion that does not hold, an access to memory in flight."""


class CpuProgram:
    """One kernel as native code of this processor. ``threads`` run the blocks of a launch; default all.

    With ``sanitize`` copies go through the asynchronous runtime, which finds each access to memory in flight; calls
    then name the policy by which copies complete.
    """

    # The target's text is the lowered IR.
    text = ""

    def __init__(self, module: ir.Module, entry: Entry, sanitize: bool = False) -> None:
        kernel = _native.CpuKernel.compile(module, async_runtime=sanitize, sanitize=sanitize, keep_object=not sanitize)
        self._start(kernel, entry)

    def _start(self, kernel: Any, entry: Entry) -> None:
        self._kernel = kernel
        self.entry = entry
        self.threads = len(os.sched_getaffinity(0))

    @classmethod
    def from_object(cls, code: bytes, entry: Entry) -> CpuProgram:
        """The program of the ``object`` that another process has made on this kind of processor (`host`)."""
        program = cls.__new__(cls)
        program._start(_native.CpuKernel.load(code, entry.name), entry)
        return program

    @property
    def object(self) -> bytes:
        """The native code."""
        return bytes(self._kernel.object)

    @property
    def names_places(self) -> bool:
        """Whether there are indices of tiles that only a run can check."""
        return b"tilepipe_rt_assert_index" in self.object

    def __call__(self, arguments: list[Any], **how: Any) -> None:
        """Runs on `View`s and ctypes scalars, in the order of the parameters. ``how``: ``policy`` and ``seed``."""
        packed: list[Any] = []
        for argument in arguments:
            if isinstance(argument, View):
                packed.append((argument.address, list(argument.shape), dense_strides(argument.shape)))
            else:
                packed.append(ctypes.addressof(argument))
        try:
            self._kernel.invoke(self.entry.name, packed, self.threads, **how)
        except RuntimeError as error:
            raise _located(str(error)) from None


def host() -> str:
    """The processor that native code is made for: its name and features."""
    return str(_native.CpuKernel.host())


def _located(text: str) -> KernelRunError:
    """The first line is the error, at its place; the others are notes and further errors."""
    first, *rest = text.split("\n")
    found = re.fullmatch(r"(.+):(\d+):(\d+): error: (.*)", first)
    if found is None:
        return KernelRunError(text)
    place = SourceLocation(found[1], int(found[2]), int(found[3]))
    return KernelRunError(found[4], place, tuple(rest))
