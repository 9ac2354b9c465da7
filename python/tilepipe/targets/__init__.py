"""What a kind of target does for the compiler: one class, one module for each.

A kernel goes through the stages source, planned, injected and lowered. A `Backend` has the passes that belong to
its machine, turns the lowered IR into the text that the machine's tools get, and runs kernels: on the machine, and
in an emulator that lets asynchronous work complete as awkwardly as it may.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from tilepipe import ir
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.frontend.prim_func import Parameter
from tilepipe.resources import Resources
from tilepipe.target import Target

_MODULES = {"cpu": "cpu", "cuda": "nvidia", "ascend": "ascend"}


@dataclass(frozen=True)
class Issue:
    """Something wrong that a run showed: where in the target's text (``line``, ``text``), and where in the kernel."""

    message: str
    line: int = 0
    text: str = ""
    location: SourceLocation | None = None

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line else ""
        if self.location:
            where += (" of " if where else "") + f"{self.location}"
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True)
class Mutant:
    """A kernel with one synchronisation removed or loosened. Detected where a run of it shows that something is wrong."""

    description: str
    line: int
    text: str
    location: SourceLocation | None = None


@dataclass(frozen=True)
class Entry:
    """What a backend knows of a kernel: the name of its function, its parameters, its source IR."""

    name: str
    params: tuple[Parameter, ...]
    source: str


class Program(Protocol):
    """A kernel that can be called: with `View`s and ctypes scalars, in the order of its parameters.

    ``text`` is what the target's tools get, empty where that is the lowered IR. ``names_places`` says whether what it
    reports when it runs depends on where the kernel stands.
    """

    entry: Entry
    text: str

    @property
    def names_places(self) -> bool: ...

    def __call__(self, arguments: list[Any]) -> None: ...


class Emulation(Protocol):
    """A kernel in an emulator."""

    def run(self, arguments: list[Any], policy: str, seed: int) -> list[Issue]:
        """Runs it with all detectors; ``arguments`` as those of a `Program`."""
        ...

    def mutants(self) -> list[tuple[Mutant, Emulation]]:
        """The kernel with each of its synchronisations removed or loosened once."""
        ...


class Backend(ABC):
    """Compiles for one target."""

    #: Passes on the source before planning, and on injected IR.
    preparation: str = ""
    lowering: str = ""
    #: How pipelined loops are expanded where nobody says.
    form: ClassVar[str] = "peeled"
    #: Whether a kernel adds and rounds as the CPU does, for all arguments.
    is_exact: ClassVar[bool] = False

    def __init__(self, target: Target) -> None:
        self.target = target

    @property
    def policies(self) -> tuple[str, ...]:
        """The ways in which asynchronous work completes, as the emulator calls them."""
        return "eager", "late", "early-write-late-read", "random"

    @property
    def machine(self) -> str:
        """What programs depend on besides the target: the processor, where they are its code."""
        return ""

    @property
    def runs_here(self) -> bool:
        """Whether this machine can run the kernels."""
        return True

    @abstractmethod
    def compile(self, entry: Entry, injected: ir.Module) -> tuple[Program, str]:
        """A program, and what `restore` makes it from."""

    @abstractmethod
    def restore(self, entry: Entry, text: str) -> Program:
        """The program of an earlier `compile`."""

    @abstractmethod
    def emulation(self, entry: Entry, injected: ir.Module) -> Emulation:
        """The kernel in the emulator."""

    @abstractmethod
    def resources(self, program: Any, injected: ir.Module) -> Resources:
        """What the kernel needs; ``injected`` may be changed."""


def no_device(kernel: str, target: str) -> KernelError:
    """What a call says where this machine cannot run the target's code."""
    return KernelError(
        f"kernel '{kernel}' is for {target}, and this machine has no device for it; k.emulate(...) runs it in the "
        "emulator, k.check() compares it with the serial kernel"
    )


def is_built(kind: str) -> bool:
    """Whether this build has the target."""
    return bool(_class(kind).is_built())


def _class(kind: str) -> Any:
    return importlib.import_module(f"tilepipe.targets.{_MODULES[kind]}").BACKEND


def backend_of(target: Target) -> Backend:
    """The backend of a target."""
    backend: Backend = _class(target.kind)(target)
    return backend
