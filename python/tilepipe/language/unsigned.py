"""Statements on tiles of unsigned integers and bool.

The compiler's integers have no sign of their own: its copies, reductions and products read them as signed. Where that
makes a difference the elements are converted one by one first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilepipe import ir
from tilepipe.dialects import tile
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import Builder
from tilepipe.frontend.dtypes import DType
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import Buffer, Expr


def is_misread(source: DType, target: DType) -> bool:
    """True if a conversion differs from that of signed integers of the same widths."""
    kinds = {source.kind, target.kind}
    if source is target or not kinds & {"uint", "bool"}:
        return False
    if kinds <= {"int", "uint", "index"}:
        return source.kind == "uint" and target.bits > source.bits
    return True


def wider(dtype: DType) -> DType | None:
    """The signed type that has all values of a type, None where there is none."""
    if dtype.kind not in ("uint", "bool"):
        return dtype
    return dtypes.int32 if dtype.bits < 32 else dtypes.int64 if dtype.bits == 32 else None


def make_tile(shape: Sequence[int], dtype: DType) -> Buffer:
    """A fragment for values in between."""
    place = ir.Attribute.parse("#tile.space<fragment>")
    type_ = ir.MemRefType.get(list(shape), dtype.mlir(), memory_space=place)
    return Buffer(tile.AllocOp(type_).result, tuple(shape), dtype, "fragment", "converted")


def convert(builder: Builder, source: Buffer, target: Buffer) -> None:
    """Each element of one tile to the type of another one of the same shape."""
    block = tile.MapOp(builder.mixed(source.shape or (1,))).body
    with ir.InsertionPoint(block):
        points = tuple(Expr(a, dtypes.index) for a in block.arguments)[: source.ndim]
        builder.store(target, points, builder.cast(builder.load(source, points), target.dtype))
        tile.YieldOp([])


_ORDERED = {"max": "max", "min": "min", "absmax": "max", "abssum": "sum"}


def needs_signed(kind: str, source: DType, target: DType) -> bool:
    """True if a reduction differs from that of signed integers of the same widths."""
    if kind in _ORDERED:
        return bool({source.kind, target.kind} & {"uint", "bool"})
    return is_misread(source, target)


def reduce(builder: Builder, source: Buffer, target: Buffer, kind: str, clear: bool,
           signed: Callable[[Buffer, Buffer, str], None]) -> None:  # fmt: skip
    """A reduction that ``signed`` does in types where signs make no difference."""
    if kind not in _ORDERED:
        part = make_tile([int(size) for size in source.shape], target.dtype)
        convert(builder, source, part)
        signed(part, target, kind)
        return
    types = [source.dtype, target.dtype]
    if any(t.is_float for t in types):
        raise KernelError(f"a reduction of {types[0]} into {types[1]} is not supported; T.copy the source to a tile of {types[1]}")
    wide = [wider(t) for t in types]
    if None in wide:
        raise KernelError(f"the {kind} of {dtypes.uint64} is not supported; use int64")
    common = max((t for t in wide if t), key=lambda t: t.bits)
    parts = [make_tile([int(size) for size in buffer.shape], common) for buffer in (source, target)]
    convert(builder, source, parts[0])
    if not clear:
        convert(builder, target, parts[1])
    signed(parts[0], parts[1], _ORDERED[kind] if source.dtype.kind != "int" else kind)
    convert(builder, parts[1], target)
