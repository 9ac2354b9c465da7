"""Statements on whole tiles."""

from __future__ import annotations

from tilepipe import ir
from tilepipe.dialects import scf, tile
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import Builder, current
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.terms import count, near
from tilepipe.frontend.values import Buffer, Element, Expr, Region, Variable, describe
from tilepipe.language import packed, unsigned


class _Side:
    """One side of a copy: where it starts, and for each dimension its extent (None: not said) or that it is 1."""

    def __init__(self, value: object, role: str) -> None:
        if isinstance(value, Buffer):
            self.buffer = value
            self.starts: tuple[object, ...] = (0,) * value.ndim
            self.extents: tuple[object | None, ...] = value.shape
            self.picked = (False,) * value.ndim
            self.whole = True
        elif isinstance(value, Region):
            self.buffer, self.starts = value.buffer, value.starts
            self.extents, self.picked, self.whole = value.extents, value.picked, False
        elif isinstance(value, Element):
            self.buffer, self.starts = value.buffer, value.indices
            self.extents = (None,) * value.buffer.ndim
            self.picked = (False,) * value.buffer.ndim
            self.whole = False
        else:
            raise KernelError(f"the {role} of a copy is a tile or a region of one, got {describe(value)}")

    def sized(self) -> bool:
        return all(extent is not None for extent in self.extents)

    def region(self) -> list[tuple[int, object]]:
        """Dimensions and extents that the copy runs over."""
        return [(d, e) for d, (e, p) in enumerate(zip(self.extents, self.picked, strict=True)) if not p]


def _ignore(function: str, given: dict[str, object], hints: str, others: str = "") -> None:
    """Keywords of TileLang that say how, not what; anything else is a mistake."""
    for name in given:
        if name not in hints.split():
            known = [*hints.split(), *others.split()]
            raise KernelError(f"{function}() got an unexpected keyword argument '{name}'{near(name, known)}")


def copy(src: object, dst: object, **hints: object) -> None:
    """Copies a tile or region. ``A[i, j]`` is a start point: the extent comes from the other side.

    Elements outside of the source are read as zero, elements outside of the target are not written.
    Element types may differ.
    """
    current().require_block("T.copy")
    _ignore("T.copy", hints, "coalesced_width disable_tma eviction_policy loop_layout annotations")
    source, target = _Side(src, "source"), _Side(dst, "target")
    if not source.sized() and not target.sized():
        source.extents = (1,) * source.buffer.ndim
    known = source if source.sized() and (not target.sized() or not source.whole or target.whole) else target
    region = known.region()
    if source.sized() and target.sized():
        region = _smaller(source, target)
    region = _without_units(region, min(source.buffer.ndim, target.buffer.ndim))
    sizes = [extent for _, extent in region]
    source_dims, target_dims = (_dims(side, sizes) for side in (source, target))
    # The op takes extents for the side of lower rank; the other one has extent 1 elsewhere.
    rank = min(source.buffer.ndim, target.buffer.ndim)
    while len(sizes) < rank:
        sizes.insert(0, 1)
        for dims, side in ((source_dims, source), (target_dims, target)):
            dims.insert(0, next(d for d in range(side.buffer.ndim) if d not in dims))
            dims.sort()
    moved = [sorted(dims) if side.buffer.ndim > rank else None for dims, side in ((source_dims, source), (target_dims, target))]
    _emit_copy(current(), source, target, sizes, moved[0], moved[1])


def _without_units(region: list[tuple[int, object]], rank: int) -> list[tuple[int, object]]:
    """A region of at most ``rank`` dimensions where the first ones that have extent 1 can be left out."""
    units = [item for item in region if isinstance(item[1], int) and item[1] == 1]
    dropped = units[: max(0, len(region) - rank)]
    return [item for item in region if item not in dropped]


def _smaller(source: _Side, target: _Side) -> list[tuple[int, object]]:
    a, b = source.region(), target.region()
    if len(a) != len(b):
        a, b = ([(d, e) for d, e in r if not (isinstance(e, int) and e == 1)] or r[-1:] for r in (a, b))
    if len(a) != len(b):
        raise KernelError(f"the sides of a copy have {len(a)} and {len(b)} dimensions")
    for (_, x), (_, y) in zip(a, b, strict=True):
        whole = source.whole or target.whole
        if isinstance(x, int) and isinstance(y, int) and x != y and not whole:
            raise KernelError(f"the sides of a copy have extents {x} and {y}")
    if source.buffer.space == "global" and not target.whole:
        return b
    return b if target.buffer.space != "global" and (target.whole or not source.whole) else a


def _dims(side: _Side, sizes: list[object]) -> list[int]:
    """The dimensions of one side that the region runs over: those not picked, the last ones first."""
    free = [d for d, p in enumerate(side.picked) if not p]
    if len(free) > len(sizes):
        units = [d for d in free if isinstance(side.extents[d], int) and side.extents[d] == 1]
        while len(free) > len(sizes) and units:
            free.remove(units.pop(0))
    if len(free) < len(sizes):
        raise KernelError(f"buffer '{side.buffer.name}' has too few dimensions for a region of {count(len(sizes), 'dimension')}")
    return free[len(free) - len(sizes):]


def _emit_copy(builder: Builder, source: _Side, target: _Side, sizes: list[object],
               source_dims: list[int] | None, target_dims: list[int] | None) -> None:  # fmt: skip
    if source.buffer.dtype.is_packed or target.buffer.dtype.is_packed:
        if source.buffer.dtype is not target.buffer.dtype:
            packed.convert(builder, source, target, sizes)
            return
        sizes = packed.in_bytes(builder, source, target, sizes)
    elif unsigned.is_misread(source.buffer.dtype, target.buffer.dtype):
        _convert(builder, source, target, sizes, source_dims, target_dims)
        return
    tile.CopyOp(
        source.buffer.value, target.buffer.value, builder.mixed(source.starts), builder.mixed(target.starts),
        builder.mixed(sizes), dims=source_dims or target_dims,
    )  # fmt: skip


def _convert(builder: Builder, source: _Side, target: _Side, sizes: list[object],
             source_dims: list[int] | None, target_dims: list[int] | None) -> None:  # fmt: skip
    """A copy whose types the operation would convert as signed: element by element, between tiles of the region."""
    shape = [size for size in sizes if isinstance(size, int)]
    if len(shape) < len(sizes):
        raise KernelError(f"a copy from {source.buffer.dtype} to {target.buffer.dtype} has constant extents")
    tiles = []
    for side in (source, target):
        whole = side.buffer.space != "global" and side.buffer.shape == tuple(shape) and all(s == 0 for s in side.starts)
        tiles.append(side.buffer if whole else unsigned.make_tile(shape, side.buffer.dtype))
    zeros = builder.mixed([0] * len(sizes))
    if tiles[0] is not source.buffer:
        tile.CopyOp(source.buffer.value, tiles[0].value, builder.mixed(source.starts), zeros, builder.mixed(sizes), dims=source_dims)
    unsigned.convert(builder, tiles[0], tiles[1])
    if tiles[1] is not target.buffer:
        tile.CopyOp(tiles[1].value, target.buffer.value, zeros, builder.mixed(target.starts), builder.mixed(sizes), dims=target_dims)


def _as_tile(value: object, role: str) -> Buffer:
    if not isinstance(value, Buffer):
        raise KernelError(f"{role} is a tile, got {describe(value)}")
    if value.dtype.is_packed:
        raise KernelError(f"{role} is not of {value.dtype}, of which two share a byte; T.copy it to a tile of {value.dtype.loads_as}")
    return value


def fill(buffer: object, value: object) -> None:
    """Sets each element of a tile or region to a value."""
    builder = current()
    side = _Side(buffer, "target")
    extents = [1 if extent is None else extent for extent in side.extents]
    if side.buffer.dtype.is_packed:
        packed.fill(builder, side, extents, value)
        return
    element = builder.cast(builder.as_expr(value, side.buffer.dtype), side.buffer.dtype)
    tile.FillOp(side.buffer.value, element.value, builder.mixed(side.starts), builder.mixed(extents))


def clear(buffer: object) -> None:
    """Sets each element of a tile to zero."""
    if isinstance(buffer, Variable):
        current().set_variable(buffer, 0)
        return
    fill(buffer, 0)


def gemm(
    a: object, b: object, c: object, transpose_A: bool = False, transpose_B: bool = False,
    policy: object = None, clear_accum: bool = False, **hints: object,
) -> None:  # fmt: skip
    """``c += a @ b`` on tiles of rank 2; with ``clear_accum``, ``c = a @ b``.

    ``transpose_A``: a is stored [K, M]; ``transpose_B``: b is stored [N, K]. Sums are formed in the element
    type of c.
    """
    del policy
    current().require_block("T.gemm")
    _ignore("T.gemm", hints, "k_pack wg_wait mbar annotations", "transpose_A transpose_B clear_accum policy")
    tiles = [_as_tile(value, f"operand '{name}' of T.gemm") for name, value in (("a", a), ("b", b), ("c", c))]
    for name, operand in zip("abc", tiles, strict=True):
        if operand.ndim != 2:
            raise KernelError(f"operand '{name}' of T.gemm has 2 dimensions, got {operand.ndim}")
    if tiles[2].dtype.computes_as is not tiles[2].dtype:
        raise KernelError(f"T.gemm cannot sum in {tiles[2].dtype}; use float32 for '{tiles[2].name or 'c'}'")
    for name, operand in zip("ab", tiles[:2], strict=True):
        if unsigned.is_misread(operand.dtype, tiles[2].dtype):
            raise KernelError(f"operand '{name}' of T.gemm is {operand.dtype}, which cannot be multiplied into "
                              f"{tiles[2].dtype}; T.copy it to a tile of {unsigned.wider(operand.dtype) or tiles[2].dtype}")  # fmt: skip
    tile.GemmOp(*[t.value for t in tiles], transpose_a=transpose_A, transpose_b=transpose_B, clear=clear_accum)


def reduce(src: object, dst: object, kind: str, dim: int = -1, clear: bool = True) -> None:
    """Combines the elements of ``src`` along ``dim`` into ``dst``; without ``clear`` into what ``dst`` holds.

    ``kind`` is one of sum, prod, max, min, abssum, absmax, and, or, xor.
    """
    builder = current()
    builder.require_block("T.reduce")
    source, target = _as_tile(src, "the source of a reduction"), _as_tile(dst, "the target of a reduction")
    if not -source.ndim <= dim < source.ndim:
        raise KernelError(f"dim is in [{-source.ndim}, {source.ndim}), got {dim}")
    if target.dtype.computes_as is not target.dtype:
        raise KernelError(f"a reduction into {target.dtype} would round at each step; reduce into float32")
    axis = dim % source.ndim
    left = source.shape[:axis] + source.shape[axis + 1 :]
    if target.shape not in (left, (*source.shape[:axis], 1, *source.shape[axis + 1 :])):
        raise KernelError(
            f"the target of a reduction of {_shape(source)} along dim {axis} has shape {left}, got {_shape(target)}"
        )
    if unsigned.needs_signed(kind, source.dtype, target.dtype):
        unsigned.reduce(builder, source, target, kind, clear, lambda a, b, by: reduce(a, b, by, dim, clear))
        return
    attribute = ir.Attribute.parse(f"#tile.reduce_kind<{kind}>")
    if target.shape == left:
        tile.ReduceOp(attribute, source.value, target.value, axis, clear=clear)
        return
    # The reduced dimension is kept as 1: through a tile without it.
    place = ir.Attribute.parse("#tile.space<fragment>")
    type_ = ir.MemRefType.get([int(size) for size in left], target.dtype.mlir(), memory_space=place)
    part = Buffer(tile.AllocOp(type_).result, left, target.dtype, "fragment", "part")
    if not clear:
        _reshape(builder, target, part, axis, drop=True)
    tile.ReduceOp(attribute, source.value, part.value, axis, clear=clear)
    _reshape(builder, part, target, axis, drop=False)


def _shape(buffer: Buffer) -> str:
    return f"({', '.join('dynamic' if isinstance(s, Expr) else str(s) for s in buffer.shape)}{',' * (buffer.ndim == 1)})"


def _reshape(builder: Builder, source: Buffer, target: Buffer, axis: int, drop: bool) -> None:
    """Copies between a tile and one without its dimension ``axis``, which is 1."""
    small = target if drop else source
    block = tile.MapOp(builder.mixed(small.shape or (1,))).body
    with ir.InsertionPoint(block):
        points = tuple(Expr(a, dtypes.index) for a in block.arguments)[: small.ndim]
        full = (*points[:axis], 0, *points[axis:])
        at_source, at_target = (full, points) if drop else (points, full)
        builder.store(target, at_target, builder.load(source, at_source))
        tile.YieldOp([])


def reduce_sum(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Sums along ``dim``. See `reduce`."""
    reduce(src, dst, "sum", dim, clear)


def reduce_max(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Maxima along ``dim``. See `reduce`."""
    reduce(src, dst, "max", dim, clear)


def reduce_min(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Minima along ``dim``. See `reduce`."""
    reduce(src, dst, "min", dim, clear)


def reduce_abs_sum(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Sums of absolute values along ``dim``. See `reduce`."""
    reduce(src, dst, "abssum", dim, clear)


def reduce_abs_max(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Maxima of absolute values along ``dim``. See `reduce`."""
    reduce(src, dst, "absmax", dim, clear)


def reduce_any(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """True where an element along ``dim`` is; for tiles of bool. See `reduce`."""
    reduce(src, dst, "or", dim, clear)


def reduce_all(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """True where all elements along ``dim`` are; for tiles of bool. See `reduce`."""
    reduce(src, dst, "and", dim, clear)


def reduce_bitand(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Bitwise and along ``dim``, of integers. See `reduce`."""
    reduce(src, dst, "and", dim, clear)


def reduce_bitor(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Bitwise or along ``dim``, of integers. See `reduce`."""
    reduce(src, dst, "or", dim, clear)


def reduce_bitxor(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Bitwise exclusive or along ``dim``, of integers. See `reduce`."""
    reduce(src, dst, "xor", dim, clear)


def reduce_prod(src: object, dst: object, dim: int = -1, clear: bool = True) -> None:
    """Products along ``dim``. See `reduce`."""
    reduce(src, dst, "prod", dim, clear)


def cumsum(src: object, dst: object | None = None, dim: int = -1, reverse: bool = False) -> None:
    """Running sums along ``dim``, in place without ``dst``."""
    builder = current()
    builder.require_block("T.cumsum")
    source = _as_tile(src, "the source of T.cumsum")
    target = source if dst is None else _as_tile(dst, "the target of T.cumsum")
    if not -source.ndim <= dim < source.ndim:
        raise KernelError(f"dim is in [{-source.ndim}, {source.ndim}), got {dim}")
    if _shape(source) != _shape(target):
        raise KernelError(f"the sides of T.cumsum have shapes {_shape(source)} and {_shape(target)}")
    axis = dim % source.ndim
    others = [e for d, e in enumerate(source.shape) if d != axis] or [1]
    block = tile.MapOp(builder.mixed(others)).body
    with ir.InsertionPoint(block):
        points = [Expr(a, dtypes.index) for a in block.arguments][: source.ndim - 1]
        _scan_line(builder, source, target, points, axis, reverse)
        tile.YieldOp([])


def _scan_line(builder: Builder, source: Buffer, target: Buffer, points: list[Expr], axis: int, reverse: bool) -> None:
    zero, one, size = (builder.as_index(n).value for n in (0, 1, source.shape[axis]))
    start = builder.constant(0, target.dtype)
    loop = scf.ForOp(zero, size, one, [start.value])
    with ir.InsertionPoint(loop.body):
        at = Expr(loop.body.arguments[0], dtypes.index)
        if reverse:
            at = builder.binary("-", builder.binary("-", source.shape[axis], 1), at)
        place = (*points[:axis], at, *points[axis:])
        total = builder.binary("+", Expr(loop.body.arguments[1], target.dtype), builder.load(source, place))
        builder.store(target, place, total)
        scf.YieldOp([builder.cast(total, target.dtype).value])


def _atomic(kind: str, target: object, value: object) -> None:
    builder = current()
    if isinstance(target, Element) and not isinstance(value, (Buffer, Region)):
        _atomic_element(builder, kind, target, value)
        return
    side, tile_ = _Side(target, "target"), _as_tile(value, "the value of an atomic on a region")
    block = tile.MapOp(builder.mixed(tile_.shape)).body
    with ir.InsertionPoint(block):
        points = [Expr(a, dtypes.index) for a in block.arguments]
        lead = side.buffer.ndim - tile_.ndim
        places = [
            start if d < lead else builder.binary("+", builder.as_index(start), points[d - lead])
            for d, start in enumerate(side.starts)
        ]
        _guarded_atomic(builder, kind, Element(side.buffer, tuple(places)), builder.load(tile_, tuple(points)))
        tile.YieldOp([])


def _guarded_atomic(builder: Builder, kind: str, target: Element, value: Expr) -> None:
    """Elements outside of the target are left out, as in a copy; in a tensor they are so anyway."""
    if target.buffer.space == "global":
        _atomic_element(builder, kind, target, value)
        return
    inside = None
    for place, extent in zip(target.indices, target.buffer.shape, strict=True):
        here = builder.binary("<", place, builder.as_index(extent))
        here = builder.binary("&", builder.binary(">=", place, 0), here)
        inside = here if inside is None else builder.binary("&", inside, here)
    branch = scf.IfOp(builder.condition(inside))
    with ir.InsertionPoint(branch.then_block):
        _atomic_element(builder, kind, target, value)
        scf.YieldOp([])


def _atomic_element(builder: Builder, kind: str, target: Element, value: object) -> None:
    if target.dtype.computes_as is not target.dtype:
        raise KernelError(f"atomics are not defined for {target.dtype}; collect in float32")
    if target.buffer.dtype.is_packed:
        raise KernelError(f"atomics are not defined for {target.buffer.dtype}, of which two share a byte")
    if kind != "add" and target.dtype.kind in ("uint", "bool"):
        raise KernelError(f"T.atomic_{kind} is not defined for {target.dtype}; use a signed type")
    expr = builder.cast(builder.as_expr(value, target.dtype), target.dtype)
    attribute = ir.Attribute.parse(f"#tile.atomic_kind<{kind}>")
    tile.AtomicOp(attribute, expr.value, target.buffer.value, builder.indices(target.buffer, target.indices))


_ATOMIC_HINTS = "memory_order use_tma"


def atomic_add(target: object, value: object, **hints: object) -> None:
    """Adds to one element, or a tile to a region, as indivisible updates of the elements."""
    _ignore("T.atomic_add", hints, _ATOMIC_HINTS)
    _atomic("add", target, value)


def atomic_max(target: object, value: object, **hints: object) -> None:
    """Maximum with one element, or of a tile with a region. See `atomic_add`."""
    _ignore("T.atomic_max", hints, _ATOMIC_HINTS)
    _atomic("max", target, value)


def atomic_min(target: object, value: object, **hints: object) -> None:
    """Minimum with one element, or of a tile with a region. See `atomic_add`."""
    _ignore("T.atomic_min", hints, _ATOMIC_HINTS)
    _atomic("min", target, value)


def annotate_layout(layouts: dict[object, object]) -> None:
    """Accepted for TileLang; layouts are chosen by targets."""
    del layouts


def use_swizzle(panel_size: int = 8, order: str = "row", enable: bool = True) -> None:
    """Accepted for TileLang; the order of blocks is chosen by targets."""
    del panel_size, order, enable

