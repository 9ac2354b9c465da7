"""From a kernel to something that can be called."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilepipe import cache, ir
from tilepipe.effects import written_arguments
from tilepipe.foreign import ForeignFunc
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Parameter, PrimFunc, TensorType
from tilepipe.options import Options, ignore_foreign
from tilepipe.passmanager import PassManager
from tilepipe.plan import (
    Plan,
    Remark,
    buffer_bytes,
    complete,
    operations,
    place_of,
    read_loops,
    space_of,
)
from tilepipe.runtime.call import prepare
from tilepipe.runtime.cpu import CpuProgram
from tilepipe.target import Target, parse

if TYPE_CHECKING:
    from tilepipe.check import CheckReport

STAGES = ("source", "planned", "injected", "lowered")


@dataclass(frozen=True)
class MemoryUse:
    """Bytes that a kernel needs of one memory, and how many there are (None where the target does not say)."""

    bytes: int
    capacity: int | None


@dataclass(frozen=True)
class Resources:
    """What a kernel needs: threads of a block, and bytes of each on-chip memory with all versions of buffers."""

    threads: int
    memory: dict[str, MemoryUse]


def _run(module: ir.Module, passes: str) -> None:
    try:
        PassManager.parse(f"builtin.module({passes})", context=module.context).run(module.operation)
    except ir.MLIRError as error:
        raise KernelError.from_diagnostics(error) from None


class Kernel:
    """A compiled kernel.

    Calling it with tensors runs it. Arguments named by ``out_idx`` are allocated and returned; without
    ``out_idx`` all are passed. ``written`` has the numbers of those it may write, ``plan`` is what was decided for its loops, ``ir(stage)`` its IR as text, ``check()``
    whether it does what the serial kernel does.
    """

    def __init__(self, func: PrimFunc | ForeignFunc, target: Target, out_idx: Sequence[int] | int | None,
                 options: Options) -> None:  # fmt: skip
        self.func = func
        self.target = target
        self.options = options
        self.name = func.name
        self.params = func.params
        self.out_idx = _positions(func.params, out_idx)
        self.written: frozenset[int] = frozenset()
        self._program = self._load(self._compiled())

    def _module(self, stage: str, options: Options | None = None) -> ir.Module:
        module = self.func.build(ir.Context())
        passes = self._passes(options or self.options)[: STAGES.index(stage)]
        if passes:
            _run(module, ",".join(passes))
        return module

    @staticmethod
    def _passes(options: Options) -> tuple[str, ...]:
        return options.planning, options.injection, "tile-to-cpu"

    def _compiled(self) -> ir.Module:
        """The injected module, from the disk cache where it has it."""
        module = self.func.build(ir.Context())
        self.written = written_arguments(self._entry(module))
        store = cache.default()
        key = cache.make_key(str(module), str(self.target), str(self.options)) if store else ""
        text = store.get(key) if store else None
        if store and text is not None:
            try:
                return ir.Module.parse(text, ir.Context())
            except ir.MLIRError:
                store.discard(key)
        _run(module, ",".join(self._passes(self.options)[:2]))
        if store:
            # With locations: what goes wrong at run time is told at its place.
            store.put(key, module.operation.get_asm(enable_debug_info=True))
        return module

    def _load(self, module: ir.Module, sanitize: bool = False) -> CpuProgram:
        try:
            return CpuProgram(module, self.name, sanitize)
        except ir.MLIRError as error:
            raise KernelError.from_diagnostics(error) from None

    def _form(self, form: str | None) -> CpuProgram:
        """The serial kernel, or a pipelined form of it whose copies are watched."""
        if form is None:
            return self._load(self._module("source"))
        options = Options(self.options.policy, form)
        return self._load(self._module("injected", options), sanitize=True)

    def ir(self, stage: str = "source") -> str:
        """The IR of the kernel after a stage: ``source``, ``planned``, ``injected`` or ``lowered``."""
        if stage not in STAGES:
            raise KernelError(f"unknown stage '{stage}'; known are {', '.join(STAGES)}")
        return str(self._module(stage))

    def get_kernel_source(self) -> str:
        """The text that the target's tools get; for the CPU a module of the llvm dialect."""
        return self.ir("lowered")

    def _entry(self, module: ir.Module) -> Any:
        functions = (op.operation for op in module.body.operations if op.operation.name == "func.func")
        return next(op for op in functions if op.attributes["sym_name"].value == self.name)

    @functools.cached_property
    def plan(self) -> Plan:
        """What was decided for each pipelined loop: stages, orders, versions, waits, bytes, and the remarks."""
        module = self.func.build(ir.Context())
        remarks: list[Remark] = []

        def keep(diagnostic: Any) -> bool:
            if diagnostic.severity != ir.DiagnosticSeverity.REMARK:
                return False
            remarks.append(Remark(diagnostic.message, place_of(diagnostic.location)))
            return True

        handler = module.context.attach_diagnostic_handler(keep)
        try:
            _run(module, self.options.planning)
            loops = read_loops(self._entry(module), [p.name for p in self.params])
            _run(module, self.options.injection)
        finally:
            handler.detach()
        return complete(self.name, loops, self._entry(module), remarks)

    @functools.cached_property
    def resources(self) -> Resources:
        """Threads of a block and bytes of on-chip memory."""
        module = self._module("injected")
        _run(module, "tile-allocate-memory")
        threads, used = 1, dict[str, int]()
        for op in operations(self._entry(module)):
            if op.name == "tile.launch" and "threads" in op.attributes:
                threads = op.attributes["threads"].value
            if op.name == "tile.alloc":
                kind = op.results[0].type
                space, size = space_of(kind), buffer_bytes(kind)
                # Placed buffers may share bytes; of the others each has its own.
                placed = op.attributes["offset"].value if "offset" in op.attributes else None
                end = used.get(space, 0) + size if placed is None else max(used.get(space, 0), placed + size)
                used[space] = end
        target = str(module.operation.attributes["tile.target"]) if "tile.target" in module.operation.attributes else ""
        capacities = {name: int(size) for name, size in re.findall(r"memory<(\w+), capacity = (\d+)", target)}
        return Resources(threads, {space: MemoryUse(size, capacities.get(space)) for space, size in used.items()})

    def check(self, *args: Any, sizes: dict[str, int] | None = None, seeds: int = 4, seed: int = 0) -> CheckReport:
        """Runs the pipelined kernel in both forms and under each completion policy against the serial one.

        On ``args`` (all of the kernel's), or on random ones with dynamic ``sizes`` by name. Integer tensors are
        then 0 or 1: pass ``args`` where they are indices of more. The results must be equal bit by bit, and no copy
        in flight may be touched. ``seeds`` random orders of completion are tried.
        """
        from tilepipe.check import check

        return check(self, args, sizes, seeds, seed)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        ordered, results = prepare(self, args, kwargs)
        self._program(ordered)
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.target}>"


def _positions(params: tuple[Parameter, ...], out_idx: Sequence[int] | int | None) -> tuple[int, ...]:
    if out_idx is None:
        return ()
    positions = []
    for index in [out_idx] if isinstance(out_idx, int) else out_idx:
        if not -len(params) <= index < len(params):
            raise KernelError(f"out_idx {index} is out of range for {len(params)} arguments")
        position = index % len(params)
        if not isinstance(params[position].type, TensorType):
            raise KernelError(f"out_idx {index} names '{params[position].name}', which is not a tensor")
        positions.append(position)
    return tuple(positions)


def compile(
    func: PrimFunc | ForeignFunc,
    out_idx: Sequence[int] | int | None = None,
    target: str | Target = "auto",
    pass_configs: dict[str, Any] | None = None,
    **foreign: Any,
) -> Kernel:
    """Compiles a kernel (a function with `T.prim_func`) for a target. Raises `KernelError` where it is wrong.

    ``pass_configs``: ``policy`` ("tilelang" or "modulo") and ``form`` of loops ("peeled" or "predicated"); keys of
    TileLang are ignored, as are its further arguments (``verbose``, ``execution_backend``, ...).
    """
    ignore_foreign(foreign)
    if not isinstance(func, (PrimFunc, ForeignFunc)):
        raise KernelError(f"expected a function with @T.prim_func, got {type(func).__name__}")
    return Kernel(func, parse(target), out_idx, Options.parse(pass_configs))
