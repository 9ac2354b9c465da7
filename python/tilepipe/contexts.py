"""Contexts for compilations, used one after the other.

A context takes 2 ms to make and to take down again, as long as half of what a small kernel needs on top. What it has
made unique (types, attributes, locations) stays until its end, so each serves a limited number of compilations.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from tilepipe import ir

MOST_USES = 64


class _Idle(threading.local):
    """The contexts of a thread that nobody uses now, with how often each was used."""

    def __init__(self) -> None:
        self.contexts: list[tuple[ir.Context, int]] = []


_idle = _Idle()


@contextlib.contextmanager
def borrowed() -> Iterator[ir.Context]:
    """A context that nobody else uses meanwhile; modules made in it may outlive the ``with``.

    One in which something failed is not used again: its handlers may be somebody's.
    """
    context, uses = _idle.contexts.pop() if _idle.contexts else (ir.Context(), 0)
    yield context
    if uses + 1 < MOST_USES:
        _idle.contexts.append((context, uses + 1))
