"""NVIDIA GPUs: PTX, made in this process; the driver runs it, or the emulator."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

from tilepipe import ir
from tilepipe.passmanager import PassManager
from tilepipe.resources import MemoryUse, Resources, capacities, of_module
from tilepipe.runtime import cuda, cuda_program
from tilepipe.targets import Backend, Emulation, Entry, Issue, Mutant, ptxas
from tilepipe.targets.accelerator import Code, Function, Grid, Launches


class PtxProgram:
    """PTX and how it is started."""

    def __init__(self, entry: Entry, chip: str, code: Code) -> None:
        self.entry, self.chip, self.code = entry, chip, code
        self.text = code.text
        self.launches = Launches(entry)
        self._on_device: cuda_program.CudaProgram | None = None

    def __call__(self, arguments: list[Any]) -> None:
        if self._on_device is None:
            launches = [self._launch(number, function) for number, function in enumerate(self.code.functions)]
            self._on_device = cuda_program.CudaProgram(self.entry.name, self.chip, self.text, self.entry.params, launches)
        self._on_device(arguments)

    def _launch(self, number: int, function: Function) -> cuda_program.Launch:
        def grid(packed: Sequence[Any]) -> Grid:
            return self.launches.from_packed(packed)[number].grid

        threads = function.threads
        return cuda_program.Launch(function.name, threads, function.shared_bytes, grid)


class PtxEmulation:
    """PTX in the emulator, with all detectors."""

    def __init__(self, program: PtxProgram, text: str | None = None) -> None:
        from tilepipe.emulator import ptx

        self.program = program
        self.module = ptx.Module(text or program.text)

    def run(self, arguments: list[Any], policy: str, seed: int) -> list[Issue]:
        issues = []
        launches = self.program.launches.of(arguments)
        for launch, function in zip(launches, self.program.code.functions, strict=True):
            if 0 in launch.grid:
                continue
            report = self.module.launch(
                function.name, launch.grid, (launch.threads, 1, 1), function.shared_bytes,
                cuda_program.pack(self.program.entry.params, arguments), policy=policy, seed=seed, races=True,
            )  # fmt: skip
            issues += [_issue(found) for found in report.issues]
        return issues

    def mutants(self) -> list[tuple[Mutant, Emulation]]:
        raise NotImplementedError


def _issue(found: Any) -> Issue:
    return Issue(found.message, found.line, found.text, found.location)


class NvidiaBackend(Backend):
    """PTX for one chip."""

    lowering = "tile-to-ptx"
    language: ClassVar[str] = "PTX"

    def __init__(self, target: Any) -> None:
        super().__init__(target)
        self.preparation = f"tile-set-target{{chip={target.chip}}}"

    @staticmethod
    def is_built() -> bool:
        from tilepipe._load import native

        return hasattr(native, "nvidia")

    @property
    def runs_here(self) -> bool:
        return cuda.is_available()

    def _code(self, injected: ir.Module) -> Code:
        from tilepipe._load import native

        PassManager.parse(f"builtin.module({self.lowering})", context=injected.context).run(injected.operation)
        made = native.nvidia.translate(injected, chip=self.target.chip)
        functions = tuple(Function(k.name, k.block_size[0], k.shared_bytes) for k in made.kernels)
        return Code(made.text, functions)

    def compile(self, entry: Entry, injected: ir.Module) -> tuple[PtxProgram, str]:
        code = self._code(injected)
        return PtxProgram(entry, self.target.chip, code), code.dump()

    def restore(self, entry: Entry, text: str) -> PtxProgram:
        return PtxProgram(entry, self.target.chip, Code.parse(text))

    def emulation(self, entry: Entry, injected: ir.Module) -> PtxEmulation:
        return PtxEmulation(PtxProgram(entry, self.target.chip, self._code(injected)))

    def resources(self, program: PtxProgram, injected: ir.Module) -> Resources:
        shared = max((f.shared_bytes for f in program.code.functions), default=0)
        capacity = capacities(injected).get("shared")
        found = of_module(injected, program.entry.name)
        found = dataclasses.replace(found, memory={"shared": MemoryUse(shared, capacity)})
        if ptxas.find() is None:
            return found
        _, usages = ptxas.assemble(program.text, self.target.chip)
        uses = usages.values()
        return dataclasses.replace(
            found, registers=max(u.registers for u in uses), spill_bytes=max(u.spill_bytes for u in uses),
            code_bytes=max(u.code_bytes for u in uses),
        )  # fmt: skip


BACKEND = NvidiaBackend
