"""`@tilepipe.jit`: a factory of kernels that compiles each variant once."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tilepipe.compiler import Kernel, compile
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import PrimFunc
from tilepipe.options import ignore_foreign
from tilepipe.target import Target


class _Slot:
    """The kernel of one set of arguments, or the one that is being compiled."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.kernel: Kernel | None = None


class JITFunction:
    """A function that returns a `T.prim_func`. Calling it returns the compiled kernel of these arguments."""

    def __init__(self, factory: Callable[..., PrimFunc], out_idx: Sequence[int] | int | None, target: str | Target,
                 pass_configs: dict[str, Any] | None) -> None:
        functools.update_wrapper(self, factory)
        self.factory = factory
        self.signature = inspect.signature(factory)
        self.out_idx, self.target, self.pass_configs = out_idx, target, pass_configs
        self._kernels: dict[Any, _Slot] = {}
        self._lock = threading.Lock()

    def get_prim_func(self, *args: Any, **kwargs: Any) -> PrimFunc:
        """The kernel of these arguments, not compiled."""
        func = self.factory(*args, **kwargs)
        if not isinstance(func, PrimFunc):
            raise KernelError(
                f"'{self.factory.__name__}' returns a function with @T.prim_func, got {type(func).__name__}"
            )
        return func

    def compile(self, *args: Any, **kwargs: Any) -> Kernel:
        """Compiles the kernel of these arguments."""
        return compile(self.get_prim_func(*args, **kwargs), self.out_idx, self.target, self.pass_configs)

    def __call__(self, *args: Any, **kwargs: Any) -> Kernel:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key = tuple((name, _freeze(value)) for name, value in bound.arguments.items())
        try:
            with self._lock:
                slot = self._kernels.setdefault(key, _Slot())
        except TypeError:
            names = ", ".join(name for name, value in bound.arguments.items() if not _is_hashable(value))
            raise KernelError(f"arguments of '{self.factory.__name__}' are values that can be compared; "
                              f"not hashable: {names}") from None
        # Variants are compiled at the same time, but each only once.
        with slot.lock:
            if slot.kernel is None:
                slot.kernel = self.compile(*args, **kwargs)
            return slot.kernel

    def __repr__(self) -> str:
        return f"<jit {self.factory.__name__}{self.signature}, {len(self._kernels)} compiled>"


def _freeze(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_freeze, value))
    if isinstance(value, dict):
        return ("dict", *((k, _freeze(v)) for k, v in value.items()))
    # 1, 1.0 and True are one key of a dict, but not one argument.
    return (type(value).__name__, value)


def _is_hashable(value: Any) -> bool:
    try:
        hash(_freeze(value))
    except TypeError:
        return False
    return True


def jit(
    func: Callable[..., PrimFunc] | None = None,
    *,
    out_idx: Sequence[int] | int | None = None,
    target: str | Target = "auto",
    pass_configs: dict[str, Any] | None = None,
    **foreign: Any,
) -> Any:
    """Decorates a factory of kernels; with or without arguments. See `tilepipe.compile`."""
    ignore_foreign(foreign)
    if func is not None:
        return JITFunction(func, out_idx, target, pass_configs)
    return lambda factory: JITFunction(factory, out_idx, target, pass_configs)
