"""NVIDIA GPUs: PTX, made in this process; the driver runs it, or the emulator."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tilepipe import ir
from tilepipe.frontend.errors import SourceLocation
from tilepipe.resources import MemoryUse, Resources, capacities, of_module
from tilepipe.runtime import cuda, cuda_program
from tilepipe.targets import Backend, Emulation, Entry, Issue, Mutant, ptxas
from tilepipe.targets.accelerator import Code, Function, Grid, Launches, binding, unpacked


class PtxProgram:
    """PTX and how it is started."""

    names_places = False

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

    def __init__(self, program: PtxProgram, module: Any = None) -> None:
        from tilepipe.emulator import ptx

        self.program = program
        self.module = module or ptx.Module(program.text)

    def run(self, arguments: list[Any], policy: str, seed: int) -> list[Issue]:
        found: list[Issue] = []
        values = unpacked(self.program.entry.params, arguments)
        launches = self.program.launches.of(arguments)
        for launch, function in zip(launches, self.program.code.functions, strict=True):
            if 0 not in launch.grid:
                report = self.module.launch(
                    function.name, launch.grid, launch.threads, function.shared_bytes, values,
                    policy=_POLICIES.get(policy, policy), seed=seed, timeout=_MOST_SECONDS,
                )  # fmt: skip
                found += map(_issue, report.issues)
        return found

    def mutants(self) -> list[tuple[Mutant, Emulation]]:
        lines = self.program.text.splitlines()
        return [(Mutant(m.kind, m.line, lines[m.line - 1].strip()), PtxEmulation(self.program, m.module))
                for m in self.module.sync_mutants()]  # fmt: skip


# What the emulator calls them.
_POLICIES = {"early-write-late-read": "early", "random": "shuffle"}
_MOST_SECONDS = 120.0


def _issue(issue: Any) -> Issue:
    sites = [site for site in issue.sites if site.line]
    message = f"{issue.kind}: {issue.message}"
    for site in sites[1:]:
        message += f"; the other is line {site.line}: {site.text}"
    if issue.missing:
        message += f"; missing: {issue.missing}"
    if not sites:
        return Issue(message)
    return Issue(message, sites[0].line, sites[0].text, _place(sites[0].place))


def _place(text: str) -> SourceLocation | None:
    parts = text.rsplit(":", 2)
    if len(parts) != 3 or not (parts[1].isdigit() and parts[2].isdigit()):
        return None
    return SourceLocation(parts[0], int(parts[1]), int(parts[2]))


class NvidiaBackend(Backend):
    """PTX for one chip."""

    lowering = "tile-to-ptx"
    #: The computation is in the code once: it takes a fraction of the time to compile.
    form = "prologue"

    def __init__(self, target: Any) -> None:
        super().__init__(target)
        self.preparation = f"tile-set-target{{chip={target.chip}}}"

    @staticmethod
    def is_built() -> bool:
        return binding("nvidia") is not None

    @property
    def runs_here(self) -> bool:
        return cuda.is_available()

    def _code(self, injected: ir.Module) -> Code:
        made = binding("nvidia").translate(injected, chip=self.target.chip)
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
