"""The CPU target: compiles a module for this processor and calls it."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

from tilepipe import ir
from tilepipe._load import native as _native
from tilepipe.runtime.arguments import View, dense_strides

if TYPE_CHECKING:
    from tilepipe.targets import Entry

class CpuProgram:
    """One kernel as native code of this processor. ``threads`` run the blocks of a launch; default all.

    With ``sanitize`` copies go through the asynchronous runtime, which finds each access to memory in flight; calls
    then name the policy by which copies complete.
    """

    # The target's text is the lowered IR.
    text = ""

    def __init__(self, module: ir.Module, entry: Entry, sanitize: bool = False) -> None:
        self._kernel = _native.CpuKernel.compile(module, async_runtime=sanitize, sanitize=sanitize)
        self.entry = entry
        self.threads = len(os.sched_getaffinity(0))

    def __call__(self, arguments: list[Any], **how: Any) -> None:
        """Runs on `View`s and ctypes scalars, in the order of the parameters. ``how``: ``policy`` and ``seed``."""
        packed: list[Any] = []
        for argument in arguments:
            if isinstance(argument, View):
                packed.append((argument.address, list(argument.shape), dense_strides(argument.shape)))
            else:
                packed.append(ctypes.addressof(argument))
        self._kernel.invoke(self.entry.name, packed, self.threads, **how)
