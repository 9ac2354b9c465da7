"""Memory buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from ._memref_ops_gen import LoadOp, StoreOp, SubViewOp, _Dialect  # noqa: F401
from ._ods_common import get_op_result_or_value
from .arith import constant

if not TYPE_CHECKING:
    from ._memref_ops_gen import *  # noqa: F403


def _indices(indices: Sequence[Any], loc: Any) -> list[Any]:
    index = _ir.IndexType.get(loc.context if loc is not None else None)
    return [constant(index, i, loc=loc) if isinstance(i, int) else i for i in indices]


def load(mem: Any, indices: Sequence[Any] = (), *, loc: Any = None, ip: Any = None) -> Any:
    return LoadOp(mem, _indices(indices, loc), loc=loc, ip=ip).result


def store(
    value: Any, mem: Any, indices: Sequence[Any] = (), *, loc: Any = None, ip: Any = None
) -> StoreOp:
    return StoreOp(value, mem, _indices(indices, loc), loc=loc, ip=ip)


def split_mixed(values: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Integers go to the static list, values to the dynamic one."""
    dynamic_marker = _ir.ShapedType.get_dynamic_size()
    dynamic = [get_op_result_or_value(v) for v in values if not isinstance(v, int)]
    return dynamic, [v if isinstance(v, int) else dynamic_marker for v in values]


def _subview_type(source: Any, offsets: list[int], sizes: list[int], strides: list[int]) -> Any:
    dynamic = _ir.ShapedType.get_dynamic_size()
    old_strides, offset = source.get_strides_and_offset()

    def times(a: int, b: int) -> int:
        return dynamic if dynamic in (a, b) else a * b

    for at, stride in zip(offsets, old_strides, strict=True):
        step = times(at, stride)
        offset = dynamic if dynamic in (offset, step) else offset + step
    new_strides = [times(a, b) for a, b in zip(old_strides, strides, strict=True)]
    layout = _ir.StridedLayoutAttr.get(offset, new_strides, source.context)
    return _ir.MemRefType.get(sizes, source.element_type, layout, source.memory_space)


def subview(
    source: Any,
    offsets: Sequence[Any],
    sizes: Sequence[Any],
    strides: Sequence[Any] | None = None,
    *,
    result_type: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    """A view of a box; each list mixes integers and index values."""
    source = get_op_result_or_value(source)
    strides = [1] * len(offsets) if strides is None else strides
    parts = [split_mixed(part) for part in (offsets, sizes, strides)]
    (dyn_o, st_o), (dyn_s, st_s), (dyn_t, st_t) = parts
    kind = result_type or _subview_type(source.type, st_o, st_s, st_t)
    return SubViewOp(kind, source, dyn_o, dyn_s, dyn_t, st_o, st_s, st_t, loc=loc, ip=ip).result


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._memref_ops_gen import *  # noqa: F403
