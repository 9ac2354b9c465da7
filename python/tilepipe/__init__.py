"""tilepipe: tile kernels with software-pipelined loops, on MLIR."""

from ._version import __version__

__all__ = ["__version__"]
