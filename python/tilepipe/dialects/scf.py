"""Structured control flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from ._ods_common import _cext, get_op_result_or_value, get_op_results_or_values
from ._scf_ops_gen import ForOp as _ForOp
from ._scf_ops_gen import IfOp as _IfOp
from ._scf_ops_gen import WhileOp as _WhileOp
from ._scf_ops_gen import YieldOp, _Dialect
from .arith import constant

if not TYPE_CHECKING:
    from ._scf_ops_gen import *  # noqa: F403


def _locations(values: Sequence[Any]) -> list[Any]:
    return [value.location for value in values]


@_cext.register_operation(_Dialect, replace=True)
class ForOp(_ForOp):
    """`scf.for` with a body block of the induction variable and the carried values."""

    def __init__(
        self,
        lower_bound: Any,
        upper_bound: Any,
        step: Any,
        iter_args: Any = None,
        *,
        unsigned_cmp: bool = False,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        inits = list(get_op_results_or_values(iter_args if iter_args is not None else []))
        lower = get_op_result_or_value(lower_bound)
        types = [init.type for init in inits]
        super().__init__(
            types, lower, upper_bound, step, inits, unsignedCmp=unsigned_cmp, loc=loc, ip=ip
        )
        here = self.location
        self.regions[0].blocks.append(lower.type, *types, arg_locs=[here] * (len(types) + 1))

    @property
    def body(self) -> Any:
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self) -> Any:
        return self.body.arguments[0]

    @property
    def inner_iter_args(self) -> Any:
        return self.body.arguments[1:]


def for_(
    start: Any,
    stop: Any = None,
    step: Any = None,
    iter_args: Any = None,
    *,
    loc: Any = None,
    ip: Any = None,
) -> Iterator[Any]:
    """`for iv in for_(0, n, 1):`, or `for iv, args, results in for_(..., iter_args)`.

    The Python body runs once and emits the loop's body; end it with `yield_`.
    """
    if stop is None:
        start, stop = 0, start
    bounds = [start, stop, 1 if step is None else step]
    values = [b for b in bounds if not isinstance(b, int)]
    kind = get_op_result_or_value(values[0]).type if values else _ir.IndexType.get()
    bounds = [constant(kind, b) if isinstance(b, int) else b for b in bounds]
    loop = ForOp(*bounds, iter_args, loc=loc, ip=ip)
    inner = tuple(loop.inner_iter_args)
    with _ir.InsertionPoint(loop.body):
        if len(inner) > 1:
            yield loop.induction_variable, inner, loop.results
        elif inner:
            yield loop.induction_variable, inner[0], loop.results[0]
        else:
            yield loop.induction_variable


@_cext.register_operation(_Dialect, replace=True)
class IfOp(_IfOp):
    """`scf.if` with the blocks of its branches."""

    def __init__(
        self,
        cond: Any,
        results_: Sequence[Any] | None = None,
        *,
        has_else: bool = False,
        hasElse: bool = False,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        super().__init__(list(results_ or []), cond, loc=loc, ip=ip)
        self.regions[0].blocks.append()
        if has_else or hasElse:
            self.regions[1].blocks.append()

    @property
    def then_block(self) -> Any:
        return self.regions[0].blocks[0]

    @property
    def else_block(self) -> Any:
        blocks = self.regions[1].blocks
        return blocks[0] if len(blocks) else None


@_cext.register_operation(_Dialect, replace=True)
class WhileOp(_WhileOp):
    """`scf.while` with the blocks of its regions."""

    def __init__(
        self, results_: Sequence[Any], inits: Any, *, loc: Any = None, ip: Any = None
    ) -> None:
        values = list(get_op_results_or_values(inits))
        super().__init__(list(results_), values, loc=loc, ip=ip)
        here = self.location
        types = [value.type for value in values]
        self.regions[0].blocks.append(*types, arg_locs=[here] * len(types))
        self.regions[1].blocks.append(*results_, arg_locs=[here] * len(results_))

    @property
    def before_block(self) -> Any:
        return self.regions[0].blocks[0]

    @property
    def after_block(self) -> Any:
        return self.regions[1].blocks[0]


def if_(cond: Any, results_: Sequence[Any] | None = None, **options: Any) -> IfOp:
    return IfOp(cond, results_, **options)


def yield_(results_: Any = (), *, loc: Any = None, ip: Any = None) -> YieldOp:
    return YieldOp(results_, loc=loc, ip=ip)


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._scf_ops_gen import *  # noqa: F403
