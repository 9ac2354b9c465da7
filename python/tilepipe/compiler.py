"""From a kernel to something that can be called."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from tilepipe import ir
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Parameter, PrimFunc, TensorType
from tilepipe.passmanager import PassManager
from tilepipe.runtime import arguments
from tilepipe.target import Target, parse

_STAGES = {
    "source": "",
    "planned": "pipeline-planning",
    "injected": "pipeline-planning,inject-software-pipeline",
}


def _run(module: ir.Module, passes: str) -> None:
    try:
        PassManager.parse(f"builtin.module({passes})", context=module.context).run(module.operation)
    except ir.MLIRError as error:
        raise KernelError.from_diagnostics(error) from None


class Kernel:
    """A compiled kernel.

    Calling it with tensors runs it. Arguments named by ``out_idx`` are allocated and returned; without
    ``out_idx`` all are passed. ``ir(stage)`` is the kernel's IR as text.
    """

    def __init__(self, func: PrimFunc, target: Target, out_idx: Sequence[int] | None) -> None:
        self.func = func
        self.target = target
        self.name = func.name
        self.params = func.params
        self.out_idx = _positions(func.params, out_idx)
        self._lock = threading.Lock()
        self._program: Any = None
        self._compile()

    def _module(self, stage: str) -> ir.Module:
        module = self.func.build(ir.Context())
        if _STAGES[stage]:
            _run(module, _STAGES[stage])
        return module

    def _compile(self) -> None:
        from tilepipe.runtime.cpu import CpuProgram

        try:
            self._program = CpuProgram(self._module("injected"), self.name, self.params)
        except ir.MLIRError as error:
            raise KernelError.from_diagnostics(error) from None

    def ir(self, stage: str = "source") -> str:
        """The IR of the kernel after a stage: ``source``, ``planned`` or ``injected``."""
        if stage not in _STAGES:
            raise KernelError(f"unknown stage '{stage}'; known are {', '.join(_STAGES)}")
        return str(self._module(stage))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inputs = [p for i, p in enumerate(self.params) if i not in self.out_idx]
        given = _bind(self.name, inputs, args, kwargs)
        sizes: dict[Any, tuple[int, str]] = {}
        prepared: dict[str, Any] = {}
        for parameter in inputs:
            value = given[parameter.name]
            if isinstance(parameter.type, TensorType):
                view = arguments.view_of(value, parameter.name)
                arguments.check_tensor(view, parameter, sizes)
                prepared[parameter.name] = view
            else:
                prepared[parameter.name] = arguments.scalar(value, parameter.type, parameter.name)
        like = next((v.owner for v in prepared.values() if isinstance(v, arguments.View)), None)
        results = []
        for i in self.out_idx:
            parameter = self.params[i]
            result = _allocate(parameter, sizes, like)
            prepared[parameter.name] = arguments.view_of(result, parameter.name)
            results.append(result)
        self._program([prepared[p.name] for p in self.params])
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
    missing = [n for n in names if n not in given]
    if missing:
        raise KernelError(f"kernel '{name}' takes {len(names)} arguments, missing {', '.join(missing)}")
    return given


def _allocate(parameter: Parameter, sizes: dict[Any, tuple[int, str]], like: Any) -> Any:
    type_ = parameter.type
    assert isinstance(type_, TensorType)
    shape = []
    for size in type_.shape:
        if isinstance(size, int):
            shape.append(size)
        elif size in sizes:
            shape.append(sizes[size][0])
        else:
            raise KernelError(f"size '{size.name}' of result '{parameter.name}' is not a size of an argument")
    if hasattr(like, "data_ptr"):
        import torch

        return torch.empty(shape, dtype=getattr(torch, type_.dtype.name), device=like.device)
    import numpy as np

    if type_.dtype.name == "bfloat16":
        import ml_dtypes

        return np.empty(shape, ml_dtypes.bfloat16)
    return np.empty(shape, type_.dtype.name)


def compile(
    func: PrimFunc,
    out_idx: Sequence[int] | int | None = None,
    target: str | Target = "auto",
    pass_configs: dict[str, Any] | None = None,
) -> Kernel:
    """Compiles a kernel (a function with `T.prim_func`) for a target. Raises `KernelError` where it is wrong."""
    if not isinstance(func, PrimFunc):
        raise KernelError(f"expected a function with @T.prim_func, got {type(func).__name__}")
    del pass_configs
    return Kernel(func, parse(target), out_idx)  # type: ignore[arg-type]
