"""What a kernel does to its arguments."""

from __future__ import annotations

from typing import Any

from tilepipe import ir
from tilepipe.plan import operations, root_of

# Operands that an operation only reads; a memref anywhere else counts as written.
_READ = {"tile.copy": (0,), "tile.gemm": (0, 1), "tile.reduce": (0,), "memref.load": (0,), "memref.dim": (0,),
         "memref.copy": (0,), "memref.prefetch": (0,), "affine.load": (0,), "vector.load": (0,),
         "vector.transfer_read": (0,), "linalg.matmul": (0, 1)}  # fmt: skip
_VIEWS = ("memref.subview", "memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast",
          "memref.transpose")  # fmt: skip


def written_arguments(function: Any) -> frozenset[int]:
    """The numbers of the memref arguments that a function of source IR may write."""
    written = set()
    for op in operations(function):
        if op.name in _VIEWS:
            continue
        for number, value in enumerate(op.operands):
            if not isinstance(value.type, ir.MemRefType) or number in _READ.get(op.name, ()):
                continue
            root = root_of(value)
            if isinstance(root, ir.BlockArgument) and root.owner == function.regions[0].blocks[0]:
                written.add(root.arg_number)
    return frozenset(written)
