"""Statements on tiles of int4 and uint4, of which two elements share a byte.

A buffer of ``n`` such elements in its last dimension is ``n / 2`` bytes to the compiler. Copies and fills move whole
bytes, so they start and end at even elements there.
"""

from __future__ import annotations

from typing import Protocol

from tilepipe import ir
from tilepipe.dialects import memref, tile
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import Builder
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import Buffer, Element, Expr, Variable


class Side(Protocol):
    """One side of a copy."""

    buffer: Buffer
    starts: tuple[object, ...]
    picked: tuple[bool, ...]


def _half(builder: Builder, value: object, what: str, buffer: Buffer) -> object:
    """``value / 2`` of a value that is known to be even."""
    if isinstance(value, int):
        if value % 2 == 0:
            return value // 2
    elif isinstance(value, (Expr, Element, Variable)):
        index = builder.as_index(value)
        if index.linear.constant % 2 == 0 and all(factor % 2 == 0 for _, factor in index.linear.terms):
            return builder.binary(">>", index, 1)
    shown = f", got {value}" if isinstance(value, int) else "; write it as a multiple of 2"
    raise KernelError(f"the {what} of a region of '{buffer.name}' is even in the last dimension, as two elements of "
                      f"{buffer.dtype} share a byte{shown}")  # fmt: skip


def _halve_start(builder: Builder, side: Side) -> None:
    if side.picked[-1]:
        raise KernelError(f"the last dimension of '{side.buffer.name}' cannot be left out of a copy: two elements of "
                          f"{side.buffer.dtype} share a byte")  # fmt: skip
    side.starts = (*side.starts[:-1], _half(builder, side.starts[-1], "start", side.buffer))


def in_bytes(builder: Builder, source: Side, target: Side, sizes: list[object]) -> list[object]:
    """The sizes of a copy of one packed buffer to another, with the last one in bytes; starts are changed likewise."""
    _halve_start(builder, source)
    _halve_start(builder, target)
    return [*sizes[:-1], _half(builder, sizes[-1], "extent", source.buffer)]


def fill(builder: Builder, side: Side, extents: list[object], value: object) -> None:
    """Sets both halves of each byte of a region."""
    dtype = side.buffer.dtype.loads_as
    low = builder.binary("&", builder.cast(builder.as_expr(value, dtype), dtype), 15)
    byte = builder.binary("|", low, builder.binary("<<", low, 4))
    _halve_start(builder, side)
    bytes_ = [*extents[:-1], _half(builder, extents[-1], "extent", side.buffer)]
    tile.FillOp(side.buffer.value, byte.value, builder.mixed(side.starts), builder.mixed(bytes_))


def convert(builder: Builder, source: Side, target: Side, sizes: list[object]) -> None:
    """A copy between tiles of which one is packed."""
    packed, other = (s.buffer for s in ((source, target) if source.buffer.dtype.is_packed else (target, source)))
    for side in (source, target):
        if side.buffer.space == "global":
            raise KernelError(f"a copy from {source.buffer.dtype} to {target.buffer.dtype} is between tiles; "
                              f"copy '{side.buffer.name}' to a tile of {side.buffer.dtype} first")  # fmt: skip
    if other.dtype.is_packed:
        raise KernelError(f"copies between {source.buffer.dtype} and {target.buffer.dtype} are not supported; go by way of int8")
    if packed.ndim != other.ndim or any(isinstance(size, Expr) for size in sizes):
        raise KernelError(f"the sides of a copy from or to {packed.dtype} have the same rank and constant extents")
    (_unpack if packed is source.buffer else _pack)(builder, source, target, sizes)


def _at(builder: Builder, side: Side, points: list[Expr]) -> tuple[object, ...]:
    return tuple(builder.binary("+", builder.as_index(s), p) for s, p in zip(side.starts, points, strict=True))


def _unpack(builder: Builder, source: Side, target: Side, sizes: list[object]) -> None:
    block = tile.MapOp(builder.mixed(sizes)).body
    with ir.InsertionPoint(block):
        points = [Expr(argument, dtypes.index) for argument in block.arguments]
        value = builder.load(source.buffer, _at(builder, source, points))
        builder.store(target.buffer, _at(builder, target, points), value)
        tile.YieldOp([])


def _pack(builder: Builder, source: Side, target: Side, sizes: list[object]) -> None:
    """One point for each byte, so that no two write to one."""
    _halve_start(builder, target)
    block = tile.MapOp(builder.mixed([*sizes[:-1], _half(builder, sizes[-1], "extent", target.buffer)])).body
    dtype = target.buffer.dtype.loads_as
    with ir.InsertionPoint(block):
        points = [Expr(argument, dtypes.index) for argument in block.arguments]
        first = _at(builder, source, [*points[:-1], builder.binary("*", points[-1], 2)])
        second = (*first[:-1], builder.binary("+", first[-1], 1))
        low, high = (builder.cast(builder.load(source.buffer, at), dtype) for at in (first, second))
        byte = builder.binary("|", builder.binary("&", low, 15), builder.binary("<<", high, 4))
        indices = [builder.as_index(i).value for i in _at(builder, target, points)]
        memref.StoreOp(byte.value, target.buffer.value, indices)
        tile.YieldOp([])
