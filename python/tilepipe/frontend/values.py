"""Values of a kernel while it is staged: scalars, buffers, elements and regions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilepipe.frontend import dtypes
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.terms import count

if TYPE_CHECKING:
    from tilepipe import ir


class Operators:
    """Python operators that emit arithmetic. Mixed in by all that can be used as a scalar."""

    def _binary(self, op: str, other: object, swap: bool = False) -> Expr:
        from tilepipe.frontend.builder import current

        return current().binary(op, other, self) if swap else current().binary(op, self, other)

    def __add__(self, other: object) -> Expr: return self._binary("+", other)
    def __radd__(self, other: object) -> Expr: return self._binary("+", other, True)
    def __sub__(self, other: object) -> Expr: return self._binary("-", other)
    def __rsub__(self, other: object) -> Expr: return self._binary("-", other, True)
    def __mul__(self, other: object) -> Expr: return self._binary("*", other)
    def __rmul__(self, other: object) -> Expr: return self._binary("*", other, True)
    def __truediv__(self, other: object) -> Expr: return self._binary("/", other)
    def __rtruediv__(self, other: object) -> Expr: return self._binary("/", other, True)
    def __floordiv__(self, other: object) -> Expr: return self._binary("//", other)
    def __rfloordiv__(self, other: object) -> Expr: return self._binary("//", other, True)
    def __mod__(self, other: object) -> Expr: return self._binary("%", other)
    def __rmod__(self, other: object) -> Expr: return self._binary("%", other, True)
    def __and__(self, other: object) -> Expr: return self._binary("&", other)
    def __rand__(self, other: object) -> Expr: return self._binary("&", other, True)
    def __or__(self, other: object) -> Expr: return self._binary("|", other)
    def __ror__(self, other: object) -> Expr: return self._binary("|", other, True)
    def __xor__(self, other: object) -> Expr: return self._binary("^", other)
    def __rxor__(self, other: object) -> Expr: return self._binary("^", other, True)
    def __lshift__(self, other: object) -> Expr: return self._binary("<<", other)
    def __rlshift__(self, other: object) -> Expr: return self._binary("<<", other, True)
    def __rshift__(self, other: object) -> Expr: return self._binary(">>", other)
    def __rrshift__(self, other: object) -> Expr: return self._binary(">>", other, True)
    def __pow__(self, other: object) -> Expr: return self._binary("**", other)
    def __rpow__(self, other: object) -> Expr: return self._binary("**", other, True)
    def __lt__(self, other: object) -> Expr: return self._binary("<", other)
    def __le__(self, other: object) -> Expr: return self._binary("<=", other)
    def __gt__(self, other: object) -> Expr: return self._binary(">", other)
    def __ge__(self, other: object) -> Expr: return self._binary(">=", other)
    def __eq__(self, other: object) -> Expr: return self._binary("==", other)  # type: ignore[override]
    def __ne__(self, other: object) -> Expr: return self._binary("!=", other)  # type: ignore[override]
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Expr:
        return self._binary("-", 0, True)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Expr:
        from tilepipe.frontend.builder import current

        return current().invert(self)

    def __bool__(self) -> bool:
        raise KernelError(
            "a value of the kernel is not known while it is compiled; use 'if' as a statement, "
            "T.if_then_else, or '&' and '|'"
        )

    def __index__(self) -> int:
        raise KernelError("expected a constant here, got a value of the kernel")


_symbols = itertools.count()


@dataclass(frozen=True)
class Linear:
    """``constant + sum(factor * symbol)``: what is known of an index while it is staged."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def symbol() -> Linear:
        return Linear(0, ((next(_symbols), 1),))

    def plus(self, other: Linear, sign: int = 1) -> Linear:
        terms = dict(self.terms)
        for symbol, factor in other.terms:
            terms[symbol] = terms.get(symbol, 0) + sign * factor
        kept = tuple(sorted((s, f) for s, f in terms.items() if f))
        return Linear(self.constant + sign * other.constant, kept)

    def times(self, factor: int) -> Linear:
        return Linear(self.constant * factor, tuple((s, f * factor) for s, f in self.terms if factor))


@dataclass(eq=False)
class Expr(Operators):
    """A scalar of the kernel. ``linear`` says how an index is made of others."""

    value: ir.Value
    dtype: dtypes.DType
    linear: Linear = field(default_factory=Linear.symbol)


@dataclass(eq=False)
class Variable(Operators):
    """A scalar that may be assigned anywhere (``T.alloc_var``): a rank-0 buffer of its own."""

    value: ir.Value
    dtype: dtypes.DType
    name: str = ""


@dataclass(eq=False)
class Buffer:
    """A tensor argument or an on-chip tile. ``shape`` holds ints and, where dynamic, `Expr`s."""

    value: ir.Value
    shape: tuple[int | Expr, ...]
    dtype: dtypes.DType
    space: str
    name: str

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, indices: object) -> Element | Region:
        items = indices if isinstance(indices, tuple) else (indices,)
        if len(items) > self.ndim:
            raise KernelError(self.wrong_rank(len(items)))
        if any(isinstance(item, slice) for item in items) or len(items) < self.ndim:
            return Region.from_slices(self, items)
        return Element(self, tuple(items))

    def wrong_rank(self, given: int) -> str:
        dimensions, indices = count(self.ndim, "dimension"), count(given, "index", "indices")
        return f"buffer '{self.name}' has {dimensions}, got {indices}"

    def __bool__(self) -> bool:
        return True


@dataclass(eq=False)
class Element(Operators):
    """``buffer[i, j]``: a scalar where one is needed, the start of a region in a copy.

    ``value`` is what it holds where that was read at once, as Python does for what goes into a list or tuple.
    """

    buffer: Buffer
    indices: tuple[object, ...]
    value: Expr | None = None

    @property
    def dtype(self) -> dtypes.DType:
        return self.buffer.dtype.loads_as


@dataclass(eq=False)
class Region:
    """``buffer[a:b, i]``: starts and extents; a dimension that an index picks has extent None."""

    buffer: Buffer
    starts: tuple[object, ...]
    extents: tuple[object | None, ...]
    picked: tuple[bool, ...] = field(default=())
    given: int = 0

    def as_scalar_error(self) -> str | None:
        """What is wrong where this stands for a scalar: most often, an index is missing."""
        if self.given < self.buffer.ndim and sum(self.picked) == self.given:
            return self.buffer.wrong_rank(self.given)
        return None

    @staticmethod
    def from_slices(buffer: Buffer, items: Sequence[object]) -> Region:
        starts: list[object] = []
        extents: list[object | None] = []
        picked: list[bool] = []
        full = [*items, *[slice(None)] * (buffer.ndim - len(items))]
        for dim, item in enumerate(full):
            if not isinstance(item, slice):
                starts.append(item)
                extents.append(1)
                picked.append(True)
                continue
            if item.step not in (None, 1):
                raise KernelError(f"slices have step 1, got step {item.step}")
            start = 0 if item.start is None else item.start
            stop = buffer.shape[dim] if item.stop is None else item.stop
            starts.append(start)
            extents.append(_difference(stop, start))
            picked.append(False)
        return Region(buffer, tuple(starts), tuple(extents), tuple(picked), len(items))


def describe(value: object) -> str:
    """What a value is, for messages."""
    if isinstance(value, (Expr, Element, Variable)):
        return "a scalar"
    if isinstance(value, Buffer):
        return "a tile" if value.space != "global" else "a tensor"
    return "a region" if isinstance(value, Region) else type(value).__name__


def _difference(stop: Any, start: Any) -> Any:
    """``stop - start``; constant also where both are the same value plus constants."""
    if isinstance(stop, int) and isinstance(start, int):
        return stop - start
    if isinstance(start, int) and start == 0:
        return stop
    from tilepipe.frontend.builder import current

    return current().constant_difference(stop, start)
