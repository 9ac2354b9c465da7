"""The CPU of this machine."""

from __future__ import annotations

import base64
from typing import Any, ClassVar

from tilepipe import ir
from tilepipe.passmanager import PassManager
from tilepipe.resources import Resources, of_module
from tilepipe.runtime.cpu import CpuProgram, host
from tilepipe.targets import Backend, Emulation, Entry, Issue, Mutant


class CpuEmulation:
    """The kernel as native code whose copies go through the asynchronous runtime, which watches all accesses."""

    def __init__(self, program: CpuProgram) -> None:
        self.program = program
        # One thread: sums by atomics have one order.
        program.threads = 1

    def run(self, arguments: list[Any], policy: str, seed: int) -> list[Issue]:
        try:
            self.program(arguments, policy=policy, seed=seed)
        except RuntimeError as error:
            return [Issue(str(error).splitlines()[0])]
        return []

    def mutants(self) -> list[tuple[Mutant, Emulation]]:
        return []


class CpuBackend(Backend):
    """Native code by LLVM, in this process."""

    lowering = "tile-to-cpu"
    is_exact: ClassVar[bool] = True

    @staticmethod
    def is_built() -> bool:
        from tilepipe._load import native

        return hasattr(native, "CpuKernel")

    def compile(self, entry: Entry, injected: ir.Module) -> tuple[CpuProgram, str]:
        program = CpuProgram(injected, entry)
        return program, base64.b64encode(program.object).decode()

    def restore(self, entry: Entry, text: str) -> CpuProgram:
        return CpuProgram.from_object(base64.b64decode(text, validate=True), entry)

    @property
    def machine(self) -> str:
        return host()

    def emulation(self, entry: Entry, injected: ir.Module) -> CpuEmulation:
        return CpuEmulation(CpuProgram(injected, entry, sanitize=True))

    def resources(self, program: CpuProgram, injected: ir.Module) -> Resources:
        passes = PassManager.parse("builtin.module(tile-allocate-memory)", context=injected.context)
        passes.run(injected.operation)
        return of_module(injected, program.entry.name)


BACKEND = CpuBackend
