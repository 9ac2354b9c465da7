"""Integer and floating point arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from ._arith_ops_gen import ConstantOp as _ConstantOp
from ._arith_ops_gen import _Dialect
from ._ods_common import _cext

if not TYPE_CHECKING:
    from ._arith_enum_gen import *  # noqa: F403
    from ._arith_ops_gen import *  # noqa: F403


def _to_attribute(kind: Any, value: Any) -> Any:
    if isinstance(value, _ir.Attribute):
        return value
    if isinstance(kind, _ir.FloatType):
        return _ir.FloatAttr.get(kind, float(value))
    if isinstance(kind, (_ir.IntegerType, _ir.IndexType)):
        return _ir.IntegerAttr.get(kind, int(value))
    if isinstance(kind, _ir.ShapedType):
        return _ir.DenseElementsAttr.get_splat(kind, _to_attribute(kind.element_type, value))
    raise ValueError(f"cannot make a constant of type {kind} from {value!r}")


@_cext.register_operation(_Dialect, replace=True)
class ConstantOp(_ConstantOp):
    """`arith.constant`, from a type and a Python number, or from an attribute."""

    def __init__(self, result: Any, value: Any = None, *, loc: Any = None, ip: Any = None) -> None:
        attribute = result if value is None else _to_attribute(result, value)
        super().__init__(attribute, loc=loc, ip=ip)

    @classmethod
    def create_index(cls, value: int, *, loc: Any = None, ip: Any = None) -> ConstantOp:
        context = _ir.Context.current if loc is None else loc.context
        return cls(_ir.IndexType.get(context), value, loc=loc, ip=ip)

    @property
    def type(self) -> Any:
        return self.results[0].type

    @property
    def value(self) -> Any:
        return self.operation.attributes["value"]

    @property
    def literal_value(self) -> Any:
        if not isinstance(self.value, (_ir.IntegerAttr, _ir.FloatAttr, _ir.BoolAttr)):
            raise ValueError("only integer and float constants have literal values")
        return self.value.value


def constant(result: Any, value: Any = None, *, loc: Any = None, ip: Any = None) -> Any:
    return ConstantOp(result, value, loc=loc, ip=ip).result


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._arith_enum_gen import *  # noqa: F403
    from ._arith_ops_gen import *  # noqa: F403
