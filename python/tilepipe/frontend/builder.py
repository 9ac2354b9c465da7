"""Emits the operations of one kernel: arithmetic with promotion, loads, stores and casts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from tilepipe import ir
from tilepipe.dialects import arith, math, memref
from tilepipe.frontend import dtypes
from tilepipe.frontend.dtypes import DType
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import Buffer, Element, Expr, Linear, Region, Variable, describe

_state = threading.local()


def current() -> Builder:
    """The builder of the kernel that this thread is staging."""
    builder = getattr(_state, "builder", None)
    if builder is None:
        raise KernelError("tilepipe.language is used outside of a kernel (a function with @T.prim_func)").at_caller()
    return builder


_FLOAT_OPS: dict[str, Callable[..., Any]] = {
    "+": arith.AddFOp, "-": arith.SubFOp, "*": arith.MulFOp, "/": arith.DivFOp,
    "max": arith.MaxNumFOp, "min": arith.MinNumFOp, "**": math.PowFOp,
}  # fmt: skip
_INT_OPS: dict[str, Callable[..., Any]] = {
    "+": arith.AddIOp, "-": arith.SubIOp, "*": arith.MulIOp, "&": arith.AndIOp, "|": arith.OrIOp,
    "^": arith.XOrIOp, "<<": arith.ShLIOp,
}  # fmt: skip
_SIGNED_OPS: dict[str, Callable[..., Any]] = {
    "//": arith.FloorDivSIOp, "%": arith.RemSIOp, ">>": arith.ShRSIOp, "max": arith.MaxSIOp, "min": arith.MinSIOp,
}  # fmt: skip
_UNSIGNED_OPS: dict[str, Callable[..., Any]] = {
    "//": arith.DivUIOp, "%": arith.RemUIOp, ">>": arith.ShRUIOp, "max": arith.MaxUIOp, "min": arith.MinUIOp,
}  # fmt: skip
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
# Numbers of arith.cmpi and arith.cmpf predicates (ArithBase.td).
_SIGNED_PREDICATE = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
_UNSIGNED_PREDICATE = {"==": 0, "!=": 1, "<": 6, "<=": 7, ">": 8, ">=": 9}
_FLOAT_PREDICATE = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "!=": 13}


class Builder:
    """One kernel being staged. Insertion point and location are those of the `ir` context managers."""

    def __init__(self) -> None:
        self.launches = 0
        self.parallels = 0
        self._read: list[Expr] = []

    def require_block(self, what: str) -> None:
        """Statements on whole tiles belong to a block, not to a point of one."""
        if not self.launches:
            raise KernelError(f"{what} belongs inside 'with T.Kernel(...)'")
        if self.parallels:
            raise KernelError(f"{what} cannot be inside T.Parallel, whose points are single elements")

    def __enter__(self) -> Builder:
        self._outer = getattr(_state, "builder", None)
        _state.builder = self
        return self

    def __exit__(self, *_: object) -> None:
        _state.builder = self._outer

    # Scalars ----------------------------------------------------------------------------------------------

    def constant(self, value: bool | int | float, dtype: DType) -> Expr:
        """A constant of the given type. Integers are reduced modulo the width."""
        type_ = dtype.mlir()
        if dtype.is_float:
            attribute: ir.Attribute = ir.FloatAttr.get(type_, float(value))
        elif dtype.kind == "index":
            attribute = ir.IntegerAttr.get(type_, int(value))
        else:
            bits = dtype.bits
            wrapped = int(value) & ((1 << bits) - 1)
            signed = wrapped - (1 << bits) if bits > 1 and wrapped >> (bits - 1) else wrapped
            attribute = ir.IntegerAttr.get(type_, signed)
        result = arith.ConstantOp(type_, attribute).result
        linear = Linear(int(value)) if dtype.is_integer else Linear.symbol()
        return Expr(result, dtype, linear)

    def as_expr(self, value: object, like: DType | None = None) -> Expr:
        """A scalar of the kernel for anything that can be one; Python numbers take the type ``like``."""
        if isinstance(value, Expr):
            return value
        if isinstance(value, Element):
            return value.value if value.value is not None else self.load(value.buffer, value.indices)
        if isinstance(value, Variable):
            return Expr(memref.LoadOp(value.value, []).result, value.dtype)
        if isinstance(value, bool):
            return self.constant(value, dtypes.bool_)
        if isinstance(value, int):
            return self.constant(value, like if like is not None and like.kind != "bool" else dtypes.int32)
        if isinstance(value, float):
            return self.constant(value, like if like is not None and like.is_float else dtypes.float32)
        if isinstance(value, (Buffer, Region)):
            missing = value.as_scalar_error() if isinstance(value, Region) else None
            raise KernelError(missing or f"expected a scalar, got {describe(value)}; name one element of it")
        raise KernelError(f"expected a scalar, got {describe(value)}")

    def as_index(self, value: object) -> Expr:
        """An index for subscripts and bounds."""
        if isinstance(value, int) and not isinstance(value, bool):
            return self.constant(value, dtypes.index)
        expr = self.as_expr(value)
        if not expr.dtype.is_integer:
            raise KernelError(f"expected an integer index, got {expr.dtype}")
        return self.cast(expr, dtypes.index)

    def mixed(self, items: Iterable[object]) -> list[int | ir.Value]:
        """Constants as ints, other indices as values, as operations with static and dynamic entries take them."""
        return [
            item if isinstance(item, int) and not isinstance(item, bool) and item >= 0 else self.as_index(item).value
            for item in items
        ]

    def cast(self, expr: Expr, to: DType) -> Expr:
        """Converts a scalar; floats to integers truncate, bools are 0 and 1."""
        source = expr.dtype
        if source == to:
            return expr
        linear = expr.linear if source.is_integer and to.is_integer else Linear.symbol()
        return Expr(self._cast(expr.value, source, to), to, linear)

    def _cast(self, value: ir.Value, source: DType, to: DType) -> ir.Value:
        type_ = to.mlir()
        single = dtypes.float32
        if source == to:
            return value
        # Integers and floats of 8 bits: by way of float32.
        if to.computes_as is not to and not source.is_float:
            return self._cast(self._cast(value, source, single), single, to)
        if source.computes_as is not source and not to.is_float:
            return self._cast(self._cast(value, source, single), single, to)
        if "index" in (source.kind, to.kind):
            if source.is_float or to.is_float:
                middle = dtypes.int64
                return self._cast(self._cast(value, source, middle), middle, to)
            unsigned = "uint" in (source.kind, to.kind) or source.kind == "bool"
            if to.kind == "bool":
                return self._is_nonzero(value, source)
            return (arith.IndexCastUIOp if unsigned else arith.IndexCastOp)(type_, value).result
        if source.is_float and to.is_float:
            if source.bits == to.bits:  # two formats of one width go through float32
                return self._cast(self._cast(value, source, single), single, to)
            return (arith.ExtFOp if source.bits < to.bits else arith.TruncFOp)(type_, value).result
        if to.kind == "bool":
            return self._is_nonzero(value, source)
        if source.is_float:
            return (arith.FPToUIOp if to.kind == "uint" else arith.FPToSIOp)(type_, value).result
        if to.is_float:
            signed = source.kind == "int"
            return (arith.SIToFPOp if signed else arith.UIToFPOp)(type_, value).result
        if source.bits == to.bits:
            return value
        if source.bits > to.bits:
            return arith.TruncIOp(type_, value).result
        return (arith.ExtSIOp if source.kind == "int" else arith.ExtUIOp)(type_, value).result

    def _is_nonzero(self, value: ir.Value, dtype: DType) -> ir.Value:
        zero = self.constant(0, dtype).value
        if dtype.is_float:
            return arith.CmpFOp(_FLOAT_PREDICATE["!="], value, zero).result
        return arith.CmpIOp(_SIGNED_PREDICATE["!="], value, zero).result

    def promote(self, left: object, right: object) -> tuple[Expr, Expr]:
        """Both sides in the type that holds both; a Python number takes the type of the other side."""
        a, b = self._peek(left), self._peek(right)
        a, b = (t.computes_as if t is not None else None for t in (a, b))
        if a is None and b is None:
            a = b = dtypes.float32 if isinstance(left, float) or isinstance(right, float) else dtypes.int32
        target = self._common(a, b, left, right)
        return (self.cast(self.as_expr(left, target), target), self.cast(self.as_expr(right, target), target))

    @staticmethod
    def _peek(value: object) -> DType | None:
        return value.dtype if isinstance(value, (Expr, Element, Variable)) else None

    @staticmethod
    def _common(a: DType | None, b: DType | None, left: object, right: object) -> DType:
        for known, number in ((a, right), (b, left)):
            if (b if known is a else a) is None and known is not None:
                if isinstance(number, float) and not known.is_float:
                    return dtypes.float32
                return dtypes.int32 if known.kind == "bool" and not isinstance(number, bool) else known
        assert a is not None and b is not None
        if a == b:
            return a
        if a.is_float or b.is_float:
            if a.is_float and b.is_float:
                return dtypes.float32 if a.bits == b.bits else max(a, b, key=lambda t: t.bits)
            return a if a.is_float else b
        for one, other in ((a, b), (b, a)):
            if one.kind == "bool":
                return other
            if one.kind == "index":
                return other if other.bits == 64 else dtypes.index
        if a.bits != b.bits:
            return a if a.bits > b.bits else b
        return a if a.kind == "uint" else b

    def binary(self, op: str, left: object, right: object) -> Expr:
        """``left op right`` with the meaning of Python: ``//`` and ``%`` round down."""
        if op == "**" and isinstance(right, int):
            base = self.as_expr(left)
            # A square is one rounding; other powers of floats are functions.
            if right == 2 or (base.dtype.is_integer and right >= 0):
                return self._power(base, right)
        a, b = self.promote(left, right)
        if op == "/" and not a.dtype.is_float:
            a, b = self.cast(a, dtypes.float32), self.cast(b, dtypes.float32)
        dtype = a.dtype
        if op in _COMPARISONS:
            return Expr(self._compare(op, a, b), dtypes.bool_)
        if dtype.is_float:
            return self._float_binary(op, a, b)
        if dtype.kind == "bool" and op not in ("&", "|", "^"):
            return self.binary(op, self.cast(a, dtypes.int32), self.cast(b, dtypes.int32))
        table = _UNSIGNED_OPS if dtype.kind == "uint" else _SIGNED_OPS
        emit = _INT_OPS.get(op) or table.get(op)
        if op == "**":
            raise KernelError("'**' of an integer needs a constant exponent that is not negative")
        if emit is None:
            raise KernelError(f"'{op}' is not defined for {dtype}")
        result = emit(a.value, b.value).result
        if op == "%" and dtype.kind != "uint":
            result = self._floor_remainder(result, b)
        return Expr(result, dtype, self._combine(op, a.linear, b.linear))

    def _power(self, base: Expr, exponent: int) -> Expr:
        """By squaring."""
        result: Expr | None = None
        while exponent:
            if exponent & 1:
                result = base if result is None else self.binary("*", result, base)
            exponent >>= 1
            if exponent:
                base = self.binary("*", base, base)
        return result if result is not None else self.constant(1, base.dtype)

    def _float_binary(self, op: str, a: Expr, b: Expr) -> Expr:
        if op == "//":
            return Expr(math.FloorOp(arith.DivFOp(a.value, b.value).result).result, a.dtype)
        if op == "%":
            return self.binary("-", a, self.binary("*", self.binary("//", a, b), b))
        emit = _FLOAT_OPS.get(op)
        if emit is None:
            raise KernelError(f"'{op}' is not defined for {a.dtype}")
        return Expr(emit(a.value, b.value).result, a.dtype)

    def _floor_remainder(self, remainder: ir.Value, divisor: Expr) -> ir.Value:
        """The remainder with the sign of the divisor, as in Python."""
        zero = self.constant(0, divisor.dtype).value
        nonzero = arith.CmpIOp(_SIGNED_PREDICATE["!="], remainder, zero).result
        signs = arith.XOrIOp(remainder, divisor.value).result
        opposite = arith.CmpIOp(_SIGNED_PREDICATE["<"], signs, zero).result
        shifted = arith.AddIOp(remainder, divisor.value).result
        return arith.SelectOp(arith.AndIOp(nonzero, opposite).result, shifted, remainder).result

    @staticmethod
    def _combine(op: str, a: Linear, b: Linear) -> Linear:
        if op in "+-":
            return a.plus(b, 1 if op == "+" else -1)
        if op == "*" and not b.terms:
            return a.times(b.constant)
        if op == "*" and not a.terms:
            return b.times(a.constant)
        return Linear.symbol()

    def _compare(self, op: str, a: Expr, b: Expr) -> ir.Value:
        if a.dtype.is_float:
            return arith.CmpFOp(_FLOAT_PREDICATE[op], a.value, b.value).result
        unsigned = a.dtype.kind in ("uint", "bool")
        predicates = _UNSIGNED_PREDICATE if unsigned else _SIGNED_PREDICATE
        return arith.CmpIOp(predicates[op], a.value, b.value).result

    def invert(self, value: object) -> Expr:
        """``~value``: bitwise for integers, logical for bools."""
        expr = self.as_expr(value)
        if expr.dtype.is_float:
            raise KernelError(f"'~' is not defined for {expr.dtype}")
        ones = self.constant(1 if expr.dtype.kind == "bool" else -1, expr.dtype)
        return Expr(arith.XOrIOp(expr.value, ones.value).result, expr.dtype)

    def select(self, condition: object, then: object, otherwise: object) -> Expr:
        """``then if condition else otherwise``, both computed."""
        a, b = self.promote(then, otherwise)
        return Expr(arith.SelectOp(self.condition(condition), a.value, b.value).result, a.dtype)

    def condition(self, value: object) -> ir.Value:
        """An i1 for anything that can be a condition."""
        return self.cast(self.as_expr(value), dtypes.bool_).value

    def constant_difference(self, stop: object, start: object) -> int | Expr:
        """``stop - start``: a Python int where everything else cancels."""
        a, b = self.as_index(stop), self.as_index(start)
        difference = a.linear.plus(b.linear, -1)
        return self.binary("-", a, b) if difference.terms else difference.constant

    # Memory -----------------------------------------------------------------------------------------------

    def indices(self, buffer: Buffer, indices: tuple[object, ...]) -> list[ir.Value]:
        if len(indices) != buffer.ndim:
            raise KernelError(buffer.wrong_rank(len(indices)))
        indices = self._from_the_end(buffer, indices)
        for dim, (index, size) in enumerate(zip(indices, buffer.shape, strict=True)):
            if isinstance(index, int) and isinstance(size, int) and not 0 <= index < size:
                where = f"dimension {dim} of '{buffer.name}', which has size {size}"
                raise KernelError(f"index {index} is outside of {where}")
        return [self.as_index(index).value for index in indices]

    def read(self, value: object) -> object:
        """``value`` for a list or tuple: what is stored to an element or variable later does not change it."""
        if isinstance(value, Variable) and value.name:
            return self.as_expr(value)
        # It may also stand for the start of a region.
        if isinstance(value, Element) and value.value is None and not value.buffer.dtype.is_packed:
            loaded = self.load(value.buffer, value.indices)
            value = Element(value.buffer, value.indices, loaded)
            self._read.append(loaded)
        return value

    def erase_unused_reads(self) -> None:
        """Of elements that were read by `read`, those that turned out to be starts of regions."""
        for expr in reversed(self._read):
            load: Any = expr.value.owner
            if not any(True for _ in expr.value.uses):
                load.operation.erase()

    def _from_the_end(self, buffer: Buffer, indices: tuple[object, ...]) -> tuple[object, ...]:
        """Negative constants count from the end, as in Python; those of values are outside."""

        def place(index: object, size: int | Expr) -> object:
            if not isinstance(index, int) or index >= 0:
                return index
            if isinstance(size, int):
                return index + size if index + size >= 0 else index
            return self.binary("+", size, index)

        return tuple(place(index, size) for index, size in zip(indices, buffer.shape, strict=True))

    def load(self, buffer: Buffer, indices: tuple[object, ...]) -> Expr:
        """The element of a buffer."""
        if buffer.dtype.is_packed:
            return self._load_half(buffer, indices)
        return Expr(memref.LoadOp(buffer.value, self.indices(buffer, indices)).result, buffer.dtype)

    def _load_half(self, buffer: Buffer, indices: tuple[object, ...]) -> Expr:
        """Half of a byte, with its sign: shifted to the top of the byte and back."""
        dtype = buffer.dtype.loads_as
        *lead, _ = self.indices(buffer, indices)
        last = self.as_index(self._from_the_end(buffer, indices)[-1])
        at = [*lead, self.binary(">>", last, 1).value]
        byte = Expr(memref.LoadOp(buffer.value, at).result, dtype)
        odd = self.cast(self.binary("&", last, 1), dtype)
        top = self.binary("<<", byte, self.binary("-", 4, self.binary("<<", odd, 2)))
        return self.binary(">>", top, 4)

    def store(self, buffer: Buffer, indices: tuple[object, ...], value: object) -> None:
        """Stores a scalar, converted to the element type."""
        if buffer.dtype.is_packed:
            raise KernelError(f"two elements of '{buffer.name}' share a byte and cannot be written one by one; "
                              f"write a tile of {buffer.dtype.loads_as} and T.copy it")  # fmt: skip
        expr = self.cast(self.as_expr(value, buffer.dtype), buffer.dtype)
        memref.StoreOp(expr.value, buffer.value, self.indices(buffer, indices))

    def set_variable(self, variable: Variable, value: object) -> None:
        """Assigns to a scalar that has a buffer of its own."""
        expr = self.cast(self.as_expr(value, variable.dtype), variable.dtype)
        memref.StoreOp(expr.value, variable.value, [])
