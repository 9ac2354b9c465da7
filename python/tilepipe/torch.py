"""Kernels as operators of torch, so that `torch.compile` and `torch.export` trace through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

try:
    import torch
except ImportError as error:
    raise ImportError("tilepipe.torch needs torch; install it with 'pip install torch'") from error

from tilepipe.compiler import Kernel
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Dynamic, Halved, Parameter, TensorType


def mutated_arguments(kernel: Kernel) -> tuple[str, ...]:
    """The names of the tensors that the kernel may write, results that it allocates left out."""
    return tuple(kernel.params[i].name for i in sorted(kernel.written) if i not in kernel.out_idx)


def _schema(kernel: Kernel, mutates: Sequence[str]) -> str:
    arguments = []
    for number, parameter in enumerate(p for i, p in enumerate(kernel.params) if i not in kernel.out_idx):
        if isinstance(parameter.type, TensorType):
            alias = f"(a{number}!)" if parameter.name in mutates else ""
            kind = f"Tensor{alias}"
        else:
            kind = "bool" if parameter.type.kind == "bool" else "float" if parameter.type.is_float else "SymInt"
        arguments.append(f"{kind} {parameter.name.replace('.', '_')}")
    results = len(kernel.out_idx)
    returned = "Tensor" if results == 1 else "(" + ", ".join(["Tensor"] * results) + ")"
    return f"({', '.join(arguments)}) -> {returned}"


def _check_fake(parameter: Parameter, value: Any, sizes: dict[Dynamic, Any]) -> None:
    type_ = parameter.type
    if not isinstance(type_, TensorType):
        return
    if value.dim() != len(type_.shape):
        raise KernelError(f"argument '{parameter.name}' has {value.dim()} dimensions, the kernel expects {len(type_.shape)}")
    if str(value.dtype) != f"torch.{type_.dtype.name}":
        raise KernelError(f"argument '{parameter.name}' has dtype {value.dtype}, the kernel expects {type_.dtype}")
    for want, got in zip(type_.shape, value.shape, strict=True):
        if isinstance(want, Halved):
            sizes.setdefault(want.of, 2 * got)
        elif isinstance(want, int):
            torch._check(got == want, lambda: f"argument '{parameter.name}': a size is not {want}")  # noqa: B023
        else:
            sizes.setdefault(want, got)


def register(kernel: Kernel, name: str, mutates: Sequence[str] | None = None) -> Any:
    """Makes the operator ``name`` ("namespace::operator") of a kernel and returns it.

    It is called as the kernel is, and traces: its fake implementation gives the shapes of the results. Tensors that
    the kernel writes to are declared as mutated; which they are is found in the kernel, or named by ``mutates``.
    Inputs that are only read are made contiguous, as tracing compilers choose layouts.
    """
    if not isinstance(kernel, Kernel):
        raise KernelError(f"expected a compiled kernel, got {type(kernel).__name__}")
    written = tuple(mutates) if mutates is not None else mutated_arguments(kernel)
    inputs = [p for i, p in enumerate(kernel.params) if i not in kernel.out_idx]
    for argument in written:
        if argument not in [p.name for p in inputs]:
            raise KernelError(f"kernel '{kernel.name}' has no argument '{argument}' to mutate")

    def run(*values: Any) -> Any:
        return kernel(*(
            v.contiguous() if isinstance(v, torch.Tensor) and p.name not in written else v
            for p, v in zip(inputs, values, strict=True)
        ))  # fmt: skip

    def fake(*values: Any) -> Any:
        sizes: dict[Dynamic, Any] = {}
        for parameter, value in zip(inputs, values, strict=True):
            _check_fake(parameter, value, sizes)
        like = next(v for v in values if isinstance(v, torch.Tensor))
        results = [_empty(kernel.params[i], sizes, like) for i in kernel.out_idx]
        return results[0] if len(results) == 1 else tuple(results) if results else None

    op = torch.library.custom_op(name, run, mutates_args=[w.replace(".", "_") for w in written],
                                 schema=_schema(kernel, written))  # fmt: skip
    op.register_fake(fake)
    return op


def _empty(parameter: Parameter, sizes: dict[Dynamic, Any], like: Any) -> Any:
    type_ = parameter.type
    assert isinstance(type_, TensorType)
    return torch.empty(type_.resolve(sizes.__getitem__), dtype=getattr(torch, type_.dtype.name), device=like.device)
