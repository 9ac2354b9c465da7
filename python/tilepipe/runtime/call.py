"""One call of a kernel: its arguments bound, checked, and brought into the form that programs take."""

from __future__ import annotations

import inspect
import sys
from typing import Any, Protocol

import numpy as np

from tilepipe.frontend.errors import KernelError, SourceLocation, note_at
from tilepipe.frontend.prim_func import Parameter, TensorType
from tilepipe.runtime import arguments, devices
from tilepipe.runtime.devices import Device


class Declared(Protocol):
    """Where a kernel is defined."""

    @property
    def place(self) -> SourceLocation | None: ...


class Callee(Protocol):
    """What a call needs to know of a kernel."""

    name: str
    params: tuple[Parameter, ...]
    out_idx: tuple[int, ...]
    written: frozenset[int]

    @property
    def func(self) -> Declared: ...


def prepare(kernel: Callee, args: tuple[Any, ...], kwargs: dict[str, Any],
            target: str = "cpu") -> tuple[list[Any], list[Any]]:
    """The arguments of the program in order, and the results that it will fill.

    All tensors are on one device, one where code of the ``target`` runs; results are made there. Raises `KernelError`
    at the line of the call, with a note where the kernel, or the argument, is declared.
    """
    call = _Call(kernel, target)
    try:
        return call.prepare(args, kwargs)
    except KernelError as error:
        raise _explained(error, kernel, call.subject) from None


class _Call:
    def __init__(self, kernel: Callee, target: str) -> None:
        self.kernel = kernel
        self.target = target
        self.streams: dict[Device, int] = {}
        # The argument that is looked at, for errors.
        self.subject: Parameter | None = None
        self.sizes: dict[Any, tuple[int, str]] = {}

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        kernel = self.kernel
        inputs = [p for i, p in enumerate(kernel.params) if i not in kernel.out_idx]
        given = _bind(kernel.name, inputs, args, kwargs)
        self.given = list(given.values())
        prepared: dict[str, Any] = {}
        places: list[tuple[str, Device]] = []
        for self.subject in inputs:
            value = prepared[self.subject.name] = self.one(self.subject, given[self.subject.name])
            if isinstance(value, arguments.View):
                places.append((self.subject.name, value.device))
                devices.common(places, self.target)
        device = devices.common(places, self.target)
        like = next((v for v in self.given if devices.is_torch(v)), None)
        results = []
        for i in kernel.out_idx:
            self.subject = kernel.params[i]
            result = _allocate(self.subject, self.sizes, like, device, self.stream)
            prepared[self.subject.name] = arguments.view_of(result, self.subject.name)
            results.append(result)
        self.subject = None
        ordered = [prepared[p.name] for p in kernel.params]
        arguments.check_written(ordered, kernel.params, kernel.written)
        return ordered, results

    def one(self, parameter: Parameter, value: Any) -> Any:
        if not isinstance(parameter.type, TensorType):
            return arguments.scalar(value, parameter.type, parameter.name)
        view = arguments.view_of(value, parameter.name, self.stream)
        arguments.check_tensor(view, parameter, self.sizes)
        return view

    def stream(self, device: Device) -> int:
        """The stream on which the kernel will run if it runs on this device."""
        if device not in self.streams:
            self.streams[device] = devices.current_stream(device, self.given)
        return self.streams[device]


def _explained(error: KernelError, kernel: Callee, subject: Parameter | None) -> KernelError:
    place, what = kernel.func.place, f"kernel '{kernel.name}'"
    if subject is not None and subject.location is not None:
        place, what = subject.location, f"argument '{subject.name}'"
    notes = error.notes if place is None else (*error.notes, note_at(place, f"{what} is declared here"))
    return KernelError(error.message, error.location, notes).at_caller()


def _bind(name: str, inputs: list[Parameter], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    names = [p.name for p in inputs]
    if len(args) > len(names):
        raise KernelError(f"kernel '{name}' takes {len(names)} arguments ({', '.join(names)}), got {len(args)}")
    given = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in names:
            raise KernelError(f"kernel '{name}' has no argument '{key}'; it has {', '.join(names)}")
        if key in given:
            raise KernelError(f"kernel '{name}' got argument '{key}' twice")
        given[key] = value
    for parameter in inputs:
        if parameter.default is not inspect.Parameter.empty:
            given.setdefault(parameter.name, parameter.default)
    missing = [n for n in names if n not in given]
    if missing:
        raise KernelError(f"kernel '{name}' takes {len(names)} arguments, missing {', '.join(missing)}")
    return given


def _allocate(parameter: Parameter, sizes: dict[Any, tuple[int, str]], like: Any, device: Device,
              stream: arguments.Streams) -> Any:
    """A tensor for a result: of torch where ``like`` is, else of numpy or, on a device, an array of ours."""
    type_ = parameter.type
    assert isinstance(type_, TensorType)
    for size in type_.dynamic_sizes():
        if size not in sizes:
            raise KernelError(f"size '{size.name}' of result '{parameter.name}' is not a size of an argument")
    shape = type_.resolve(lambda size: sizes[size][0])
    if like is not None:
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, type_.dtype.name), device=like.device)
    if device.kind == "cuda":
        from tilepipe.runtime.cuda_program import DeviceArray

        return DeviceArray(shape, type_.dtype.name, device, stream(device))
    return np.empty(shape, arguments.numpy_dtype(type_.dtype.name))
