"""Pass pipelines, with the names of upstream's `mlir.passmanager`."""

from ._load import native as _native

PassManager = _native.passmanager.PassManager

__all__ = ["PassManager"]
