"""Targets by name."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from tilepipe.frontend.errors import KernelError

# The machines of each kind of target; the first is meant where none is named.
CHIPS: dict[str, tuple[str, ...]] = {"cpu": (), "cuda": ("sm_80",), "ascend": ("dav-2201",)}


@dataclass(frozen=True)
class Target:
    """A machine to compile for: its ``kind`` (``cpu``, ``cuda``, ``ascend``) and, where there are several, its ``chip``."""

    kind: str
    chip: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.chip}" if self.chip else self.kind


def names() -> tuple[str, ...]:
    """What `parse` takes, besides the kinds alone."""
    return ("auto", *(f"{kind}:{chip}" if chip else kind for kind, chips in CHIPS.items() for chip in chips or ("",)))


def parse(target: str | Target) -> Target:
    """The target of that name; ``auto`` is a CUDA device where one is found, else the CPU.

    Raises where the target is unknown, or left out of this build.
    """
    from tilepipe.targets import is_built

    if target == "auto":
        return _found()
    kind, _, chip = str(target).partition(":")
    chips = CHIPS.get(kind, ())
    if kind not in CHIPS or ((chip or str(target) != kind) and chip not in chips):
        raise KernelError(f"unknown target '{target}'; known are {', '.join(names())}")
    if not is_built(kind):
        raise KernelError(f"target '{target}' is not part of this build")
    return Target(kind, chip or (chips[0] if chips else ""))


@functools.cache
def _found() -> Target:
    from tilepipe.targets import is_built

    if is_built("cuda"):
        from tilepipe.runtime import cuda

        if cuda.is_available():
            return Target("cuda", CHIPS["cuda"][0])
    return Target("cpu")
