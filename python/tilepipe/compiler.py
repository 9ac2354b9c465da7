"""From a kernel to something that can be called."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tilepipe import cache, contexts, ir
from tilepipe.effects import written_arguments
from tilepipe.foreign import ForeignFunc
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Parameter, PrimFunc, TensorType
from tilepipe.options import Options, ignore_foreign
from tilepipe.passmanager import PassManager
from tilepipe.plan import Plan, Remark, complete, operations, place_of, read_loops
from tilepipe.resources import Resources
from tilepipe.runtime.call import prepare
from tilepipe.runtime.cpu import CpuProgram
from tilepipe.target import Target, parse
from tilepipe.targets import Emulation, Entry, Program, backend_of, no_device

if TYPE_CHECKING:
    from tilepipe.check import CheckReport

_HAS_PLACES = "has places"
"""An entry for kernels whose programs have assertions of the compiler: the program is under a key with places."""
STAGES = ("source", "planned", "injected", "lowered")


@contextlib.contextmanager
def _located() -> Iterator[None]:
    """What MLIR says of the kernel is said at its place in the kernel."""
    try:
        yield
    except ir.MLIRError as error:
        raise KernelError.from_diagnostics(error) from None


def _run(module: ir.Module, passes: str, verify: bool = True) -> None:
    with _located():
        manager = PassManager.parse(f"builtin.module({passes})", context=module.context)
        manager.enable_verifier(verify)
        manager.run(module.operation)


class Kernel:
    """A compiled kernel.

    Calling it with tensors runs it. Arguments named by ``out_idx`` are allocated and returned; without
    ``out_idx`` all are passed. ``written`` has the numbers of those it may write, ``plan`` is what was decided for its loops, ``ir(stage)`` its IR as text, ``check()``
    whether it does what the serial kernel does.
    """

    def __init__(self, func: PrimFunc | ForeignFunc, target: Target, out_idx: Sequence[int] | int | None,
                 pass_configs: dict[str, Any] | None = None) -> None:  # fmt: skip
        self.func = func
        self.target = target
        self.backend = backend_of(target)
        self.options = Options.parse(pass_configs, self.backend.form)
        self.name = func.name
        self.params = func.params
        self.out_idx = _positions(func.params, out_idx)
        self.written: frozenset[int] = frozenset()
        self._emulations: dict[str, Emulation] = {}
        with contexts.borrowed() as context:
            self._program = self._compiled(context)

    def _module(self, stage: str, options: Options | None = None) -> ir.Module:
        module = self.func.build(ir.Context())
        passes = self._passes(options or self.options)[: STAGES.index(stage)]
        if passes:
            _run(module, ",".join(passes))
        return module

    def _passes(self, options: Options) -> tuple[str, ...]:
        """Those that lead to each stage after the source."""
        planning = ",".join(filter(None, (self.backend.preparation, options.planning)))
        return planning, options.injection, self.backend.lowering

    def _compiled(self, context: ir.Context) -> Program:
        """The program, from the disk cache where it has it."""
        module = self.func.build(context)
        self.written = written_arguments(self._entry(module))
        self._refuse_prints(module)
        # With locations: what is wrong with a grid is said when it is computed.
        entry = Entry(self.name, self.params, str(module.operation.get_asm(enable_debug_info=True)))
        store = cache.default()
        key = self._key(module) if store else ""
        text = store.get(key) if store else None
        if store and text == _HAS_PLACES:
            key = self._key(module, with_places=True)
            text = store.get(key)
        if store and text is not None:
            try:
                return self.backend.restore(entry, text)
            except (ir.MLIRError, ValueError):
                store.discard(key)
        # Built modules are verified, and the back end verifies what it gets: not after each pass as well.
        _run(module, ",".join(self._passes(self.options)[:2]), verify=False)
        with _located():
            program, text = self.backend.compile(entry, module)
        if store:
            if program.names_places:
                store.put(key, _HAS_PLACES)
                key = self._key(module, with_places=True)
            store.put(key, text)
        return program

    def _refuse_prints(self, module: Any) -> None:
        for op in operations(self._entry(module)) if self.target.kind != "cpu" else ():
            if op.name == "llvm.call":
                raise KernelError(f"T.print is for target 'cpu', this is '{self.target}'", place_of(op.location))

    def _key(self, module: Any, with_places: bool = False) -> str:
        source = str(module)
        # What an assertion says names its place, so then the place counts.
        if with_places or "cf.assert" in source:
            source = module.operation.get_asm(enable_debug_info=True)
        return cache.make_key(source, f"{self.target} {self.backend.machine}", str(self.options))

    @functools.cached_property
    def serial(self) -> CpuProgram:
        """The kernel without pipelining, on the CPU: what others are compared with."""
        with _located():
            return CpuProgram(self._module("source"), self._program.entry)

    def emulation(self, form: str | None = None) -> Emulation:
        """The kernel in the target's emulator, with loops of a ``form``: "peeled", "prologue" or "predicated"."""
        options = Options(self.options.policy, form or self.options.form)
        if options.form not in self._emulations:
            with _located():
                made = self.backend.emulation(self._program.entry, self._module("injected", options))
            self._emulations[options.form] = made
        return self._emulations[options.form]

    def ir(self, stage: str = "source") -> str:
        """The IR of the kernel after a stage: ``source``, ``planned``, ``injected`` or ``lowered``."""
        if stage not in STAGES:
            raise KernelError(f"unknown stage '{stage}'; known are {', '.join(STAGES)}")
        return str(self._module(stage))

    def get_kernel_source(self) -> str:
        """The text that the target's tools get; for the CPU a module of the llvm dialect."""
        return self._program.text or self.ir("lowered")

    def _entry(self, module: Any) -> Any:
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
            planning, injection, _ = self._passes(self.options)
            _run(module, planning)
            loops = read_loops(self._entry(module), [p.name for p in self.params])
            _run(module, injection)
        finally:
            handler.detach()
        return complete(self.name, loops, self._entry(module), remarks)

    @functools.cached_property
    def resources(self) -> Resources:
        """Threads of a block, bytes of on-chip memory, and what the target's assembler says where it is at hand."""
        module = self._module("injected")
        with _located():
            return self.backend.resources(self._program, module)

    def check(
        self, *args: Any, sizes: dict[str, int] | None = None, seeds: int = 4, seed: int = 0,
        reference: Callable[..., Any] | None = None, mutants: bool = False, progress: bool | None = None,
    ) -> CheckReport:  # fmt: skip
        """Runs the pipelined kernel in both forms and under each completion policy against the serial one.

        On ``args`` (all of the kernel's), or on random ones with dynamic ``sizes`` by name. Integer tensors are
        then 0 or 1: pass ``args`` where they are indices of more. The results must be equal bit by bit, and no copy
        in flight may be touched. ``seeds`` random orders of completion are tried.

        For an accelerator this is its code in the emulator, with all detectors, against the serial kernel on the
        CPU; where arithmetic may round differently there, results are compared within the tolerance that the
        report names. ``reference`` gets the inputs and returns the results, as for
        `tilepipe.testing.assert_matches`. With ``mutants`` each synchronisation is removed or loosened once, and
        the report says which of these kernels are found to be wrong. ``progress`` goes to standard error; by
        default where that is a terminal.
        """
        from tilepipe.check import Checker

        return Checker(self, args, sizes, seed, seeds, reference, progress).report(mutants)

    def emulate(self, *args: Any, policy: str = "late", seed: int = 0, **kwargs: Any) -> Any:
        """A call in the emulator of the target, with asynchronous work that completes by ``policy``.

        Raises `KernelError` for what the detectors find.
        """
        if policy not in self.backend.policies:
            raise KernelError(f"unknown policy '{policy}'; known are {', '.join(self.backend.policies)}")
        ordered, results = prepare(self, args, kwargs)
        issues = self.emulation().run(ordered, policy, seed)
        if issues:
            raise KernelError(f"kernel '{self.name}' in the emulator, policy {policy}: {issues[0]}", issues[0].location)
        return _returned(results)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.backend.runs_here:
            raise no_device(self.name, str(self.target)).at_caller()
        ordered, results = prepare(self, args, kwargs, str(self.target))
        self._program(ordered)
        return _returned(results)

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.target}>"


def _returned(results: list[Any]) -> Any:
    if not results:
        return None
    return results[0] if len(results) == 1 else tuple(results)


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

    ``pass_configs``: ``policy`` ("tilelang" or "modulo") and ``form`` of loops ("peeled", "prologue" or
    "predicated", by default what suits the target); keys of TileLang are ignored, as are its further arguments (``verbose``, ``execution_backend``, ...).
    """
    ignore_foreign(foreign)
    if not isinstance(func, (PrimFunc, ForeignFunc)):
        raise KernelError(f"expected a function with @T.prim_func, got {type(func).__name__}")
    return Kernel(func, parse(target), out_idx, pass_configs)
