"""tilepipe: tile kernels with software-pipelined loops, on MLIR.

    import tilepipe
    import tilepipe.language as T

Names are loaded when they are used, so that importing the package costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from ._jit import jit
    from .compiler import Kernel, compile
    from .foreign import from_mlir
    from .frontend import KernelError, PrimFunc
    from .options import PassConfigKey

_HOMES = {
    "Kernel": "compiler",
    "KernelError": "frontend",
    "PassConfigKey": "options",
    "PrimFunc": "frontend",
    "compile": "compiler",
    "from_mlir": "foreign",
    "jit": "_jit",
}
_MODULES = ("cache", "language", "testing", "torch")

__all__ = ["Kernel", "KernelError", "PassConfigKey", "PrimFunc", "__version__", "compile", "from_mlir", "jit"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tilepipe.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'tilepipe' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"tilepipe.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
