"""Launches and loops."""

from __future__ import annotations

from collections.abc import Sequence

from tilepipe.frontend import loops
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import describe


def Kernel(*grid: object, threads: int | Sequence[int] = 128) -> loops.Launch:
    """The grid of blocks, ``with T.Kernel(gx, gy, threads=128) as (bx, by):``; one to three extents.

    ``threads`` is the number of threads of a block, 1 to 1024 (a tuple counts as its product).
    """
    count = 1
    for part in threads if isinstance(threads, (tuple, list)) else (threads,):
        if not isinstance(part, int) or isinstance(part, bool):
            raise KernelError(f"threads is an int, got {part!r}")
        count *= part
    if not 1 <= count <= 1024:
        raise KernelError(f"threads is between 1 and 1024, got {count}")
    if not 1 <= len(grid) <= 3:
        raise KernelError(f"a grid has 1 to 3 extents, got {len(grid)}")
    for extent in grid:
        if isinstance(extent, (float, str)):
            raise KernelError(f"an extent of the grid is an integer, got {extent!r}")
        if isinstance(extent, int) and extent < 0:
            raise KernelError(f"an extent of the grid is not negative, got {extent}")
    return loops.Launch(tuple(grid), count)


def serial(start: object, stop: object = None, step: object = 1) -> loops.Serial:
    """A loop that runs one iteration after the other, as `range`."""
    return loops.Serial(0, start, step) if stop is None else loops.Serial(start, stop, step)


def unroll(start: object, stop: object = None, step: object = 1, **_: object) -> loops.Serial:
    """As `serial`, written out where the bounds are constants."""
    first, last = (0, start) if stop is None else (start, stop)
    return loops.Serial(first, last, step, unroll=True)


def vectorized(extent: object) -> loops.Serial:
    """As `serial`; vectors are chosen by targets."""
    return loops.Serial(0, extent)


def grid(*extents: object) -> loops.Grid:
    """Serial loops, one inside of the other: ``for i, j in T.grid(m, n):``."""
    if not extents:
        raise KernelError("T.grid needs an extent")
    return loops.Grid(extents)


def get_thread_binding(dim: int = 0) -> object:
    """Raises: kernels are written on tiles, and targets map them to threads."""
    del dim
    raise KernelError("kernels have no thread index; loop over the elements of a tile with T.Parallel")


def sync_threads() -> None:
    """Accepted for TileLang; the compiler places barriers."""


def Parallel(*extents: object, **_: object) -> loops.Parallel:
    """The points of a box, in no order: ``for i, j in T.Parallel(m, n):``."""
    if not extents:
        raise KernelError("T.Parallel needs an extent")
    return loops.Parallel(extents)


def _check_schedule(stage: Sequence[int] | None, order: Sequence[int] | None) -> None:
    for name, entries in (("stage", stage), ("order", order)):
        if entries is None:
            continue
        if not isinstance(entries, (list, tuple)) or not all(type(e) is int for e in entries):
            raise KernelError(f"{name} is a list of ints, got {entries!r}")
        if entries and min(entries) < 0:
            raise KernelError(f"entries of {name} are at least 0, got {min(entries)}")
    if stage is None and order is None:
        return
    if stage is None or order is None:
        raise KernelError(f"stage and order are given together, got only {'stage' if order is None else 'order'}")
    if len(stage) != len(order):
        raise KernelError(f"stage and order have the same length, got {len(stage)} and {len(order)}")
    for entry in order:
        if list(order).count(entry) > 1:
            raise KernelError(f"order has each number once, got {entry} twice")


def Pipelined(
    start: object,
    stop: object = None,
    num_stages: int = 0,
    order: Sequence[int] | None = None,
    stage: Sequence[int] | None = None,
    annotations: dict[str, object] | None = None,
) -> loops.Pipelined:
    """A loop whose iterations overlap.

    ``num_stages``: 0 is no pipeline, 1 one buffer and no overlap asked, n at most n buffers between a producer
    and its consumer. ``stage`` and ``order``: a manual schedule, one entry for each statement with an effect,
    in source order.
    """
    del annotations
    if not isinstance(num_stages, int) or isinstance(num_stages, bool):
        raise KernelError(f"num_stages is an int, got {num_stages!r}")
    if num_stages < 0:
        raise KernelError(f"num_stages is at least 0, got {num_stages}")
    if isinstance(start, (range, loops.Serial)):
        raise KernelError(f"T.Pipelined takes start and stop, got {describe(start)}; its step is 1")
    _check_schedule(stage, order)
    first, last = (0, start) if stop is None else (start, stop)
    stages = num_stages if num_stages > 0 or stage is None else None
    return loops.Pipelined(first, last, stages, None if order is None else list(order),
                           None if stage is None else list(stage))
