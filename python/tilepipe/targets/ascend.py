"""Huawei's AI cores: CCE text; the emulator runs it."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tilepipe import ir
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.passmanager import PassManager
from tilepipe.resources import MemoryUse, Resources, capacities, used_memory
from tilepipe.targets import Backend, Emulation, Entry, Issue, Mutant, no_device
from tilepipe.targets.accelerator import Code, Function, Launches, binding, unpacked


class CceProgram:
    """CCE text and how it is started."""

    def __init__(self, entry: Entry, target: str, code: Code) -> None:
        self.entry, self.target, self.code = entry, target, code
        self.text = code.text
        self.launches = Launches(entry)

    def __call__(self, arguments: list[Any]) -> None:
        raise no_device(self.entry.name, self.target)


class CceEmulation:
    """CCE text in the emulator, with all detectors."""

    def __init__(self, program: CceProgram, module: Any = None) -> None:
        from tilepipe.emulator import cce

        self.program = program
        try:
            self.module = module or cce.Module(program.text)
        except cce.CompileError as error:
            raise KernelError(f"the CCE text of kernel '{program.entry.name}' does not compile: {error}") from None

    def run(self, arguments: list[Any], policy: str, seed: int) -> list[Issue]:
        found: list[Issue] = []
        values = unpacked(self.program.entry.params, arguments)
        launches = self.program.launches.of(arguments)
        for launch, function in zip(launches, self.program.code.functions, strict=True):
            blocks = math.prod(launch.grid)
            if blocks:
                report = self.module.launch(function.name, blocks, values, policy, seed)
                found += [_issue(issue) for issue in report.errors]
        return found

    def mutants(self) -> list[tuple[Mutant, Emulation]]:
        return [(Mutant(m.kind, m.line, m.text, _place(m.source)), CceEmulation(self.program, m.module))
                for m in self.module.sync_mutants()]  # fmt: skip


def _place(place: Any) -> SourceLocation | None:
    return SourceLocation(place.file, place.line, place.column) if place else None


def _issue(issue: Any) -> Issue:
    message = f"{issue.kind}: {issue.message}"
    if issue.other_line:
        message += f"; the other is line {issue.other_line}: {issue.other_text}"
    return Issue(message + (f"; missing: {issue.missing}" if issue.missing else ""), issue.line, issue.text, _place(issue.source))


_LOWERING = "tile-to-cce"


class AscendBackend(Backend):
    """CCE text for one chip."""

    language: ClassVar[str] = "CCE"

    def __init__(self, target: Any) -> None:
        super().__init__(target)
        self.preparation = f"tile-set-target{{chip={target.chip}}},tile-assign-spaces"

    @staticmethod
    def is_built() -> bool:
        return binding("ascend") is not None

    @property
    def policies(self) -> tuple[str, ...]:
        from tilepipe.emulator import cce

        policies: tuple[str, ...] = cce.POLICIES
        return policies

    @property
    def runs_here(self) -> bool:
        return False

    def lowering(self, entry: Entry) -> str:
        return _LOWERING

    def _lower(self, injected: ir.Module) -> Code:
        PassManager.parse(f"builtin.module({_LOWERING})", context=injected.context).run(injected.operation)
        text, names = binding("ascend").translate(injected)
        return Code(text, tuple(Function(name) for name in names))

    def compile(self, entry: Entry, injected: ir.Module) -> tuple[CceProgram, str]:
        code = self._lower(injected)
        return CceProgram(entry, str(self.target), code), code.dump()

    def restore(self, entry: Entry, text: str) -> CceProgram:
        return CceProgram(entry, str(self.target), Code.parse(text))

    def emulation(self, entry: Entry, injected: ir.Module) -> CceEmulation:
        return CceEmulation(CceProgram(entry, str(self.target), self._lower(injected)))

    def resources(self, program: CceProgram, injected: ir.Module) -> Resources:
        limits = capacities(injected)
        PassManager.parse(f"builtin.module({_LOWERING})", context=injected.context).run(injected.operation)
        # Cube and vector cores have memories of their own.
        return Resources(1, {s: MemoryUse(size, limits.get(s)) for s, size in used_memory(injected.operation).items()})


BACKEND = AscendBackend
