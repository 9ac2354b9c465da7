"""What the loop constructs of the language evaluate to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import Expr

if TYPE_CHECKING:
    from tilepipe.frontend.builder import Builder


@dataclass(frozen=True)
class Launch:
    """``T.Kernel``: the grid, first extent fastest, and the threads of a block."""

    grid: tuple[object, ...]
    threads: int


@dataclass(frozen=True)
class Serial:
    """``range``, ``T.serial`` and ``T.unroll``. ``until`` names a flag that ends the loop early."""

    start: object
    stop: object
    step: object = 1
    unroll: bool = False
    until: str | None = None


@dataclass(frozen=True)
class Grid:
    """``T.grid``: serial loops, one inside of the other."""

    extents: tuple[object, ...]


@dataclass(frozen=True)
class Parallel:
    """``T.Parallel``: points of a box in no order."""

    extents: tuple[object, ...]


@dataclass(frozen=True)
class Pipelined:
    """``T.Pipelined``: a loop whose iterations overlap."""

    start: object
    stop: object
    num_stages: int | None = None
    order: list[int] | None = None
    stage: list[int] | None = None


def normalized(builder: Builder, spec: Serial) -> tuple[Expr, Expr, int]:
    """Start, number of iterations and step of a serial loop."""
    step = spec.step
    if not isinstance(step, int) or isinstance(step, bool):
        raise KernelError("the step of a loop is a constant")
    if step == 0:
        raise KernelError("the step of a loop is not 0")
    start = builder.as_index(spec.start)
    distance = builder.constant_difference(spec.stop, spec.start)
    if isinstance(distance, int):
        return start, builder.as_index(max(0, -(-distance // step))), step
    span = distance if step > 0 else builder.binary("-", 0, distance)
    size = abs(step)
    count = builder.binary("//", builder.binary("+", span, size - 1), size)
    return start, builder.binary("max", builder.as_index(count), builder.as_index(0)), step
