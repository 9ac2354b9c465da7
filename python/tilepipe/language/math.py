"""Scalar functions."""

from __future__ import annotations

import ast
import builtins
import math as _math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilepipe import ir
from tilepipe.dialects import arith, math
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import current
from tilepipe.frontend.dtypes import DType, to_dtype
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import Buffer, Element, Expr, Variable

if TYPE_CHECKING:
    from tilepipe.frontend.expressions import ExpressionInterpreter

_Staged = (Expr, Element, Variable)


def _is_constant(x: Any) -> bool:
    """True for a Python number; raises for what is no scalar at all."""
    if isinstance(x, _Staged):
        return False
    if not isinstance(x, (builtins.bool, int, float)):
        current().as_expr(x)
    return True


def _unary(name: str, op: Callable[..., Any], constant: Callable[[float], float]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if _is_constant(x):
            return constant(x)
        builder = current()
        expr = builder.as_expr(x)
        expr = builder.cast(expr, expr.dtype.computes_as if expr.dtype.is_float else dtypes.float32)
        return Expr(op(expr.value).result, expr.dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{name}(x)`` of a float; integers are converted to float32."
    return function


exp = _unary("exp", math.ExpOp, _math.exp)
exp2 = _unary("exp2", math.Exp2Op, lambda x: 2.0**x)
log = _unary("log", math.LogOp, _math.log)
log2 = _unary("log2", math.Log2Op, _math.log2)
sqrt = _unary("sqrt", math.SqrtOp, _math.sqrt)
rsqrt = _unary("rsqrt", math.RsqrtOp, lambda x: 1 / _math.sqrt(x))
tanh = _unary("tanh", math.TanhOp, _math.tanh)
sin = _unary("sin", math.SinOp, _math.sin)
cos = _unary("cos", math.CosOp, _math.cos)
erf = _unary("erf", math.ErfOp, _math.erf)
floor = _unary("floor", math.FloorOp, _math.floor)
ceil = _unary("ceil", math.CeilOp, _math.ceil)


trunc = _unary("trunc", math.TruncOp, _math.trunc)
round = _unary("round", math.RoundEvenOp, builtins.round)
atan = _unary("atan", math.AtanOp, _math.atan)
tan = _unary("tan", math.TanOp, _math.tan)
sinh = _unary("sinh", math.SinhOp, _math.sinh)
cosh = _unary("cosh", math.CoshOp, _math.cosh)
log1p = _unary("log1p", math.Log1pOp, _math.log1p)
exp10 = _unary("exp10", lambda x: math.ExpOp(_scaled(x, _math.log(10.0))), lambda x: 10.0**x)


def _scaled(value: Any, factor: float) -> Any:
    return arith.MulFOp(value, arith.ConstantOp(value.type, ir.FloatAttr.get(value.type, factor)).result).result


def _float_only(name: str, x: Any) -> Expr:
    expr = current().as_expr(x)
    if not expr.dtype.is_float:
        raise KernelError(f"T.{name} is defined for floats, got {expr.dtype}")
    return current().cast(expr, expr.dtype.computes_as)


def isnan(x: Any) -> Any:
    """True for a NaN."""
    if _is_constant(x):
        return _math.isnan(x)
    expr = _float_only("isnan", x)
    return expr != expr


def isinf(x: Any) -> Any:
    """True for an infinity."""
    return _math.isinf(x) if _is_constant(x) else abs(_float_only("isinf", x)) == _math.inf


def isfinite(x: Any) -> Any:
    """True for what is neither infinite nor a NaN."""
    return _math.isfinite(x) if _is_constant(x) else abs(_float_only("isfinite", x)) < _math.inf


def clamp(x: Any, low: Any, high: Any) -> Any:
    """``x``, at least ``low`` and at most ``high``."""
    return min(max(x, low), high)


def fma(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, rounded once."""
    builder = current()
    x, y = builder.promote(a, b)
    x, z = builder.promote(x, c)
    if not x.dtype.is_float:
        return x * y + z
    return Expr(math.FmaOp(x.value, builder.cast(y, x.dtype).value, z.value).result, x.dtype)


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``."""
    return 1.0 / (1.0 + exp(-x if isinstance(x, _Staged) else -float(x)))


def abs(x: Any) -> Any:
    """The absolute value."""
    if _is_constant(x):
        return builtins.abs(x)
    expr = current().as_expr(x)
    if expr.dtype.kind in ("uint", "bool"):
        return expr
    expr = current().cast(expr, expr.dtype.computes_as)
    op = math.AbsFOp if expr.dtype.is_float else math.AbsIOp
    return Expr(op(expr.value).result, expr.dtype)


def pow(x: Any, y: Any) -> Any:
    """``x`` to the power of ``y``, as floats."""
    if not isinstance(x, _Staged) and not isinstance(y, _Staged):
        return x**y
    builder = current()
    a, b = builder.promote(x, y)
    if not a.dtype.is_float:
        a, b = builder.cast(a, dtypes.float32), builder.cast(b, dtypes.float32)
    return builder.binary("**", a, b)


def max(a: Any, b: Any, *rest: Any) -> Any:
    """The largest value; a NaN gives way to a number."""
    return _fold("max", builtins.max, a, b, *rest)


def min(a: Any, b: Any, *rest: Any) -> Any:
    """The smallest value; a NaN gives way to a number."""
    return _fold("min", builtins.min, a, b, *rest)


def _fold(op: str, constant: Callable[..., Any], *args: Any) -> Any:
    if not any(isinstance(a, _Staged) for a in args):
        return constant(*args)
    result = args[0]
    for arg in args[1:]:
        result = current().binary(op, result, arg)
    return result


def floordiv(a: Any, b: Any) -> Any:
    """``a // b``, rounded down."""
    return a // b


def floormod(a: Any, b: Any) -> Any:
    """``a % b``, with the sign of ``b``."""
    return a % b


def ceildiv(a: Any, b: Any) -> Any:
    """``a / b`` rounded up, of integers."""
    if isinstance(a, int) and isinstance(b, int):
        if b == 0:
            raise KernelError("division by zero")
        return -(-a // b)
    return (a + b - 1) // b


def cast(value: Any, dtype: DType | str) -> Any:
    """``value`` converted to ``dtype``."""
    return to_dtype(dtype)(value)


def Cast(dtype: DType | str, value: Any) -> Any:
    """`cast` with its arguments the other way round, as in TileLang."""
    return cast(value, dtype)


def infinity(dtype: DType | str = "float32") -> Any:
    """Infinity of a float type."""
    type_ = to_dtype(dtype)
    if not type_.is_float or type_.name == "float8_e4m3fn":
        raise KernelError(f"{type_} has no infinity")
    return current().constant(_math.inf, type_)


_LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float16": 65504.0, "bfloat16": 3.3895313892515355e38,
            "float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}


def max_value(dtype: DType | str) -> Any:
    """The largest finite value of a type."""
    type_ = to_dtype(dtype)
    if type_.is_float:
        return current().constant(_LARGEST[type_.name], type_)
    bits = type_.bits - (type_.kind in ("int", "index"))
    return current().constant((1 << bits) - 1, type_)


def min_value(dtype: DType | str) -> Any:
    """The smallest finite value of a type."""
    type_ = to_dtype(dtype)
    if type_.is_float:
        return current().constant(-_LARGEST[type_.name], type_)
    return current().constant(-(1 << (type_.bits - 1)) if type_.kind == "int" else 0, type_)


def _quantify(name: str, op: str, args: tuple[Any, ...]) -> Any:
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = tuple(args[0])
    builder = current()
    result: Any = op == "&"
    for arg in args:
        if isinstance(arg, Buffer):
            raise KernelError(f"T.{name} takes conditions; for the elements of a tile see T.reduce_{name[:3]}")
        result = builder.binary(op, Expr(builder.condition(result), dtypes.bool_),
                                Expr(builder.condition(arg), dtypes.bool_))
    return result


def any_of(*args: Any) -> Any:
    """True if one of the conditions holds; all are computed."""
    return _quantify("any_of", "|", args)


def all_of(*args: Any) -> Any:
    """True if all of the conditions hold; all are computed."""
    return _quantify("all_of", "&", args)


def if_then_else(condition: Any, then: Any, otherwise: Any) -> Any:
    """``then if condition else otherwise``; only the chosen value is computed."""
    return then if condition else otherwise


def _if_then_else_lazily(interpreter: ExpressionInterpreter, node: ast.Call) -> Any:
    if len(node.args) != 3 or node.keywords:
        raise KernelError(f"T.if_then_else has 3 arguments, got {len(node.args) + len(node.keywords)}")
    condition = interpreter.eval(node.args[0])
    if not isinstance(condition, _Staged):
        return interpreter.eval(node.args[1] if condition else node.args[2])
    return interpreter.select_value(condition, node.args[1], node.args[2])


if_then_else.stage_lazily = _if_then_else_lazily  # type: ignore[attr-defined]
