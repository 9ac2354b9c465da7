"""The CPU target: compiles a module for this processor and calls it."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from tilepipe import ir
from tilepipe._load import native as _native
from tilepipe.frontend.prim_func import Parameter
from tilepipe.runtime.arguments import View, dense_strides


class CpuProgram:
    """One kernel as native code of this processor. ``threads`` run the blocks of a launch; default all."""

    def __init__(self, module: ir.Module, entry: str, params: tuple[Parameter, ...]) -> None:
        self._kernel = _native.CpuKernel.compile(module)
        self._entry = entry
        self._params = params
        self.threads = len(os.sched_getaffinity(0))

    def __call__(self, arguments: list[Any]) -> None:
        """Runs on `View`s and ctypes scalars, in the order of the parameters."""
        packed: list[Any] = []
        for argument in arguments:
            if isinstance(argument, View):
                packed.append((argument.address, list(argument.shape), dense_strides(argument.shape)))
            else:
                packed.append(ctypes.addressof(argument))
        self._kernel.invoke(self._entry, packed, self.threads)
