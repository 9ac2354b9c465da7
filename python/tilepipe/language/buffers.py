"""Tensors of the caller and tiles of a block."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilepipe import ir
from tilepipe.dialects import tile
from tilepipe.frontend import values
from tilepipe.frontend.builder import current
from tilepipe.frontend.dtypes import DType, float32, to_dtype
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Dynamic, TensorType


def Tensor(shape: Sequence[int | Dynamic] | int, dtype: DType | str = float32) -> TensorType:
    """The type of a tensor argument of the given shape (ints or `dynamic` sizes) and element type."""
    try:
        return TensorType.of(_checked_sizes(shape), to_dtype(dtype))
    except KernelError as error:
        raise error.at_caller() from None


def _checked_sizes(shape: Sequence[int | Dynamic] | int) -> tuple[int | Dynamic, ...]:
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for size in sizes:
        if not isinstance(size, (int, Dynamic)) or isinstance(size, bool):
            raise KernelError(f"sizes of a tensor are ints or T.dynamic, got {size!r}")
        if isinstance(size, int) and size < 0:
            raise KernelError(f"sizes of a tensor are not negative, got {size}")
    return sizes


Buffer = Tensor


def dynamic(name: str, dtype: DType | str = "int32") -> Dynamic:
    """A size that is known when the kernel is called. ``dtype`` is accepted for TileLang; sizes are 64 bits."""
    to_dtype(dtype)
    return Dynamic(name)


symbolic = dynamic


_LARGEST_TILE = 1 << 30
"""Bytes. No chip has as much; a larger tile is a tensor by mistake."""


def _alloc(shape: Sequence[int] | int, dtype: DType | str, space: str) -> values.Buffer:
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for dim, size in enumerate(sizes):
        if isinstance(size, values.Expr):
            raise KernelError(f"dimension {dim} of a tile is not a constant; allocate its upper bound")
        if not isinstance(size, int) or size <= 0:
            raise KernelError(f"dimension {dim} of a tile is a positive int, got {size!r}")
    element = to_dtype(dtype)
    stored, inside = element.loads_as, sizes
    if element.is_packed:
        if not sizes or sizes[-1] % 2:
            raise KernelError(f"the last size of a tile of {element} is even, got shape {sizes}")
        inside = (*sizes[:-1], sizes[-1] // 2)
    size_in_bytes = math.prod(inside) * max(8, stored.bits) // 8
    if size_in_bytes > _LARGEST_TILE:
        raise KernelError(f"a tile of {size_in_bytes} bytes does not fit on a chip (at most {_LARGEST_TILE} bytes)")
    place = ir.Attribute.parse(f"#tile.space<{space}>")
    result = tile.AllocOp(ir.MemRefType.get(inside, stored.mlir(), memory_space=place)).result
    return values.Buffer(result, sizes, element, space, "")


def alloc_shared(shape: Sequence[int] | int, dtype: DType | str, scope: str = "shared") -> values.Buffer:
    """A tile in the shared memory of the block, with undefined contents."""
    del scope
    current().require_block("T.alloc_shared")
    return _alloc(shape, dtype, "shared")


def alloc_fragment(shape: Sequence[int] | int, dtype: DType | str, scope: str = "fragment") -> values.Buffer:
    """A tile in the registers of the block, with undefined contents."""
    del scope
    current().require_block("T.alloc_fragment")
    return _alloc(shape, dtype, "fragment")


def alloc_local(shape: Sequence[int] | int, dtype: DType | str, scope: str = "local") -> values.Buffer:
    """As `alloc_fragment`; inside of T.Parallel each point has its own."""
    del scope
    if not current().parallels:
        current().require_block("T.alloc_local")
    return _alloc(shape, dtype, "fragment")


def alloc_var(dtype: DType | str, init: object = None, scope: str = "var") -> values.Variable:
    """A scalar that may be assigned anywhere: ``v = T.alloc_var("int32"); v = v + 1``."""
    del scope
    current()
    element = to_dtype(dtype)
    place = ir.Attribute.parse("#tile.space<fragment>")
    variable = values.Variable(tile.AllocOp(ir.MemRefType.get([], element.mlir(), memory_space=place)).result, element)
    if init is not None:
        current().set_variable(variable, init)
    return variable


__all__ = ["Buffer", "Tensor", "alloc_fragment", "alloc_local", "alloc_shared", "alloc_var", "dynamic", "symbolic"]
