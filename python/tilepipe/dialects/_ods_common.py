"""What generated operation classes need; the names are mlir-tblgen's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ir as _python_ir
from .._load import native as _native


class _Globals:
    @staticmethod
    def register_traceback_file_exclusion(path: str) -> None:
        """Generated files never name a location of their own."""


class _Cext:
    """The module that generated code calls `_cext`."""

    ir = _native.ir
    globals = _Globals()
    register_dialect = staticmethod(_native.register_dialect)
    register_operation = staticmethod(_native.register_operation)


_cext = _Cext
_ir = _native.ir


def equally_sized_accessor(
    elements: Sequence, n_simple: int, n_variadic: int, n_preceding_simple: int,
    n_preceding_variadic: int,
) -> tuple[int, int]:
    """Start and length of one of several variadic groups of the same size."""
    length, remainder = divmod(len(elements) - n_simple, n_variadic) if n_variadic else (0, 0)
    if remainder:
        raise ValueError("the variadic groups do not have the same size")
    return n_preceding_simple + n_preceding_variadic * length, length


def segmented_accessor(elements: Any, raw_segments: Any, idx: int) -> Any:
    """The elements of segment `idx`."""
    segments = _ir.DenseI32ArrayAttr(raw_segments)
    start = sum(segments[i] for i in range(idx))
    return elements[start : start + segments[idx]]


def get_default_loc_context(location: Any = None) -> Any:
    """The context of `location`, else the current one."""
    return location.context if location is not None else _ir.Context.current


def get_op_result_or_value(arg: Any) -> Any:
    """The value itself, or the one result of an operation."""
    if isinstance(arg, _ir._OperationBase):
        return arg.result
    if isinstance(arg, _ir.OpResultList):
        return arg[0]
    return arg


def get_op_results_or_values(arg: Any) -> Any:
    """All results of an operation, or the values of a sequence."""
    if isinstance(arg, _ir._OperationBase):
        return arg.results
    return [get_op_result_or_value(element) for element in arg]


def get_op_result_or_op_results(op: Any) -> Any:
    """An operation's result, its results, or itself if it has none."""
    count = len(op.operation.results)
    return op.operation.result if count == 1 else op.operation.results if count else op


__all__ = [
    "_cext", "_python_ir", "equally_sized_accessor", "get_default_loc_context",
    "get_op_result_or_op_results", "get_op_result_or_value",
    "get_op_results_or_values", "segmented_accessor",
]
