"""Tiles, copies between memory spaces, pipelined loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from .._load import native as _native
from ._ods_common import _cext, get_op_result_or_value, get_op_results_or_values
from ._tile_ops_gen import CopyOp as _CopyOp
from ._tile_ops_gen import FillOp as _FillOp
from ._tile_ops_gen import LaunchOp as _LaunchOp
from ._tile_ops_gen import MapOp as _MapOp
from ._tile_ops_gen import PipelineOp as _PipelineOp
from ._tile_ops_gen import YieldOp, _Dialect
from .arith import constant
from .memref import DimOp, split_mixed

if not TYPE_CHECKING:
    from ._tile_enum_gen import *  # noqa: F403
    from ._tile_ops_gen import *  # noqa: F403

_native_tile = _native.tile
SpaceAttr = _native_tile.SpaceAttr
StageAttr = _native_tile.StageAttr
PipelineScheduleAttr = _native_tile.PipelineScheduleAttr
MemoryAttr = _native_tile.MemoryAttr
TransferAttr = _native_tile.TransferAttr
ComputeUnitAttr = _native_tile.ComputeUnitAttr
TargetAttr = _native_tile.TargetAttr
TokenType = _native_tile.TokenType
get_target = _native_tile.get_target
target_models = _native_tile.target_models


def space(name: str, context: Any = None) -> Any:
    """`#tile.space<name>`."""
    return SpaceAttr.get(name, context)


def _append_body(op: Any, types: Sequence[Any]) -> None:
    here = op.location
    op.regions[0].blocks.append(*types, arg_locs=[here] * len(types))


def _extents(buffer: Any, loc: Any) -> list[Any]:
    """The extents of a buffer, integers where they are known."""
    dynamic = _ir.ShapedType.get_dynamic_size()
    index = _ir.IndexType.get(buffer.context)
    return [
        DimOp(buffer, constant(index, at, loc=loc), loc=loc).result if extent == dynamic else extent
        for at, extent in enumerate(buffer.type.shape)
    ]


class _WithBody:
    @property
    def body(self) -> Any:
        return self.regions[0].blocks[0]


@_cext.register_operation(_Dialect, replace=True)
class LaunchOp(_WithBody, _LaunchOp):
    """`tile.launch`; each extent is an integer or an index value."""

    def __init__(
        self, extents: Sequence[Any], threads: int = 128, *, loc: Any = None, ip: Any = None
    ) -> None:
        dynamic, static = split_mixed(extents)
        super().__init__(dynamic, static, threads, loc=loc, ip=ip)
        _append_body(self, [_ir.IndexType.get(self.context)] * len(static))


@_cext.register_operation(_Dialect, replace=True)
class MapOp(_WithBody, _MapOp):
    """`tile.map`; each extent is an integer or an index value."""

    def __init__(self, extents: Sequence[Any], *, loc: Any = None, ip: Any = None) -> None:
        dynamic, static = split_mixed(extents)
        super().__init__(dynamic, static, loc=loc, ip=ip)
        _append_body(self, [_ir.IndexType.get(self.context)] * len(static))


@_cext.register_operation(_Dialect, replace=True)
class PipelineOp(_WithBody, _PipelineOp):
    """`tile.pipeline` with a body block of the induction variable and the carried values."""

    def __init__(
        self,
        lower: Any,
        upper: Any,
        step: Any,
        inits: Any = (),
        *,
        num_stages: int | None = None,
        stage: Sequence[int] | None = None,
        order: Sequence[int] | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        values = list(get_op_results_or_values(inits))
        types = [value.type for value in values]
        super().__init__(
            types, lower, upper, step, values, num_stages=num_stages, stage=stage, order=order,
            loc=loc, ip=ip,
        )
        _append_body(self, [_ir.IndexType.get(self.context), *types])

    @property
    def induction_variable(self) -> Any:
        return self.body.arguments[0]

    @property
    def inner_iter_args(self) -> Any:
        return self.body.arguments[1:]


@_cext.register_operation(_Dialect, replace=True)
class FillOp(_FillOp):
    """`tile.fill` of a whole buffer, or of the box at `offsets` of extent `sizes`."""

    def __init__(
        self,
        target: Any,
        value: Any,
        offsets: Sequence[Any] = (),
        sizes: Sequence[Any] = (),
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        target = get_op_result_or_value(target)
        if not offsets and not sizes:
            offsets, sizes = [0] * target.type.rank, _extents(target, loc)
        dyn_o, st_o = split_mixed(offsets)
        dyn_s, st_s = split_mixed(sizes)
        super().__init__(target, value, dyn_o, dyn_s, st_o, st_s, loc=loc, ip=ip)


@_cext.register_operation(_Dialect, replace=True)
class CopyOp(_CopyOp):
    """`tile.copy` of the box of extent `sizes`.

    Offsets that are left out are zero, extents those of the buffer of lower rank (of the
    target where the two are equal).
    """

    def __init__(
        self,
        source: Any,
        target: Any,
        source_offsets: Sequence[Any] = (),
        target_offsets: Sequence[Any] = (),
        sizes: Sequence[Any] = (),
        *,
        fill: Any = None,
        guard: Any = None,
        dims: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        source, target = get_op_result_or_value(source), get_op_result_or_value(target)
        ranks = source.type.rank, target.type.rank
        source_offsets = source_offsets or [0] * ranks[0]
        target_offsets = target_offsets or [0] * ranks[1]
        sizes = sizes or _extents(source if ranks[0] < ranks[1] else target, loc)
        dyn_so, st_so = split_mixed(source_offsets)
        dyn_to, st_to = split_mixed(target_offsets)
        dyn_s, st_s = split_mixed(sizes)
        super().__init__(
            source, target, dyn_so, dyn_to, dyn_s, st_so, st_to, st_s, fill=fill, guard=guard,
            dims=dims, loc=loc, ip=ip,
        )


def alloc(
    shape: Sequence[int],
    element_type: Any,
    memory_space: str = "shared",
    name: str | None = None,
    *,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    """`tile.alloc` of a buffer in a memory space given by name."""
    kind = _ir.MemRefType.get(
        list(shape), element_type, memory_space=space(memory_space, element_type.context)
    )
    return AllocOp(kind, name=name, loc=loc, ip=ip).result  # noqa: F405


def copy(*args: Any, **kwargs: Any) -> CopyOp:
    return CopyOp(*args, **kwargs)


def fill(*args: Any, **kwargs: Any) -> FillOp:
    return FillOp(*args, **kwargs)


def launch(*args: Any, **kwargs: Any) -> LaunchOp:
    return LaunchOp(*args, **kwargs)


def map(*args: Any, **kwargs: Any) -> MapOp:
    return MapOp(*args, **kwargs)


def pipeline(*args: Any, **kwargs: Any) -> PipelineOp:
    return PipelineOp(*args, **kwargs)


def yield_(values: Any = (), *, loc: Any = None, ip: Any = None) -> YieldOp:
    return YieldOp([get_op_result_or_value(v) for v in values], loc=loc, ip=ip)


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._tile_enum_gen import *  # noqa: F403
    from ._tile_ops_gen import *  # noqa: F403
