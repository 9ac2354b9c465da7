"""Targets by name."""

from __future__ import annotations

from dataclasses import dataclass

from tilepipe.frontend.errors import KernelError

NAMES = ("auto", "cpu")


@dataclass(frozen=True)
class Target:
    """A machine to compile for: its ``kind`` (``cpu``) and, where there are several, its ``chip``."""

    kind: str
    chip: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.chip}" if self.chip else self.kind


def parse(target: str | Target) -> Target:
    """The target of that name; ``auto`` is the CPU where no accelerator is found."""
    if isinstance(target, Target):
        return target
    if target not in NAMES:
        raise KernelError(f"unknown target '{target}'; known are {', '.join(NAMES)}")
    return Target("cpu")
