"""Operation classes of each dialect; import the module of the one you need."""

import importlib

_NAMES = frozenset(
    "affine arith builtin cf func gpu index llvm math memref nvgpu nvvm scf tile vector".split()
)


def _load(namespace: str) -> None:
    """Called by the native module when it meets a dialect for the first time."""
    if namespace in _NAMES:
        importlib.import_module(f"{__name__}.{namespace}")
