"""Huawei's AI cores: CCE text; the emulator runs it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tilepipe import ir
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.passmanager import PassManager
from tilepipe.resources import MemoryUse, Resources, capacities, used_memory
from tilepipe.targets import Backend, Emulation, Entry, Issue, Mutant, no_device
from tilepipe.targets.accelerator import Code, Function, Launches, Workspace, binding, unpacked


class CceProgram:
    """CCE text and how it is started."""

    names_places = False

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
            if not blocks:
                continue
            scratch = [np.empty((blocks, *w.shape), w.dtype) for w in function.workspaces]
            extra = [value for array in scratch for value in (array, blocks)]
            parameters = self._parameters(function.name)
            # Where a device has the counters of cross-core signals; the emulator has its own.
            if parameters[-1].name == "tp_ffts_address":
                extra.append(0)
            names = [p.name for p in parameters if p.pointer]
            report = self.module.launch(
                function.name, blocks, [*values, *extra], policy, seed,
                uninitialised=names[len(names) - len(scratch) :],
            )  # fmt: skip
            found += [_issue(issue) for issue in report.errors]
        return found

    def _parameters(self, name: str) -> Any:
        kernels = self.module.kernels
        return kernels[name] if name in kernels else kernels[f"{name}_mix_aic"]

    def mutants(self) -> list[tuple[Mutant, Emulation]]:
        return [(Mutant(m.kind, m.line, m.text, _place(m.source)), CceEmulation(self.program, m.module))
                for m in self.module.sync_mutants()]  # fmt: skip


def _name_arguments(entry: Entry, module: ir.Module) -> None:
    """Has the text call its arguments as the kernel does."""
    for view in module.body.operations:
        op = view.operation
        if op.name != "func.func" or op.attributes["sym_name"].value != entry.name:
            continue
        # Workspaces come after the kernel's own.
        count = len(op.regions[0].blocks[0].arguments)
        names = [p.name for p in entry.params] + ["workspace"] * (count - len(entry.params))
        known: list[Any] = [{}] * count
        if "arg_attrs" in op.attributes:
            known = [{a.name: a.attr for a in attributes} for attributes in op.attributes["arg_attrs"]]
        with module.context:
            op.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [ir.DictAttr.get({**attributes, "ascend.name": ir.StringAttr.get(name)})
                 for name, attributes in zip(names, known, strict=True)]
            )  # fmt: skip


def _functions(lowered: ir.Module) -> tuple[Function, ...]:
    """The functions that launches start; the two halves of a mixed one are one."""
    found: dict[str, Function] = {}
    for view in lowered.body.operations:
        op = view.operation
        if op.name == "ascend.func":
            name = re.sub(r"_mix_ai[cv]$", "", op.attributes["sym_name"].value)
            found.setdefault(name, Function(name, workspaces=tuple(_workspaces(op))))
    return tuple(found.values())


def _workspaces(function: Any) -> Iterator[Workspace]:
    """Memory that a function wants beside its arguments: a slot for each block."""
    if "arg_attrs" not in function.attributes:
        return
    for argument, attributes in zip(function.regions[0].blocks[0].arguments, function.attributes["arg_attrs"], strict=True):
        if "ascend.workspace" in attributes:
            yield Workspace(tuple(argument.type.shape[1:]), _DTYPES[str(argument.type.element_type)])


_DTYPES = {"f16": "float16", "f32": "float32", "i32": "int32"}


def _place(place: Any) -> SourceLocation | None:
    return SourceLocation(place.file, place.line, place.column) if place else None


def _issue(issue: Any) -> Issue:
    message = f"{issue.kind}: {issue.message}"
    if issue.other_line:
        message += f"; the other is line {issue.other_line}: {issue.other_text}"
    return Issue(message + (f"; missing: {issue.missing}" if issue.missing else ""), issue.line, issue.text, _place(issue.source))


class AscendBackend(Backend):
    """CCE text for one chip."""

    lowering = "tile-to-cce"

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

    def _lower(self, entry: Entry, injected: ir.Module) -> Code:
        _name_arguments(entry, injected)
        PassManager.parse(f"builtin.module({self.lowering})", context=injected.context).run(injected.operation)
        text = binding("ascend").translate(injected)
        return Code(text, _functions(injected))

    def compile(self, entry: Entry, injected: ir.Module) -> tuple[CceProgram, str]:
        code = self._lower(entry, injected)
        return CceProgram(entry, str(self.target), code), code.dump()

    def restore(self, entry: Entry, text: str) -> CceProgram:
        return CceProgram(entry, str(self.target), Code.parse(text))

    def emulation(self, entry: Entry, injected: ir.Module) -> CceEmulation:
        return CceEmulation(CceProgram(entry, str(self.target), self._lower(entry, injected)))

    def resources(self, program: CceProgram, injected: ir.Module) -> Resources:
        limits = capacities(injected)
        PassManager.parse(f"builtin.module({self.lowering})", context=injected.context).run(injected.operation)
        # Cube and vector cores have memories of their own.
        return Resources(1, {s: MemoryUse(size, limits.get(s)) for s, size in used_memory(injected.operation).items()})


BACKEND = AscendBackend
