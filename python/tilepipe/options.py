"""Options of one compilation. They travel as a value: nothing is kept in the process or its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tilepipe.frontend.errors import KernelError

_CHOICES = {"policy": ("tilelang", "modulo"), "form": ("peeled", "predicated")}
# Keys of TileLang's `pass_configs`; they steer passes that do not exist here.
_FOREIGN = ("tl.", "tir.", "relax.", "cuda.")


@dataclass(frozen=True)
class Options:
    """``policy`` is how schedules are chosen, ``form`` the shape of pipelined loops."""

    policy: str = "tilelang"
    form: str = "peeled"

    @staticmethod
    def parse(configs: Mapping[str, Any] | None) -> Options:
        """Options from ``pass_configs``; keys of TileLang are accepted and ignored."""
        known = {}
        for key, value in (configs or {}).items():
            name = str(getattr(key, "value", key))
            if name.startswith(_FOREIGN):
                continue
            if name not in _CHOICES:
                raise KernelError(f"unknown pass config '{name}'; known are {', '.join(_CHOICES)}")
            if value not in _CHOICES[name]:
                raise KernelError(f"pass config '{name}' is {' or '.join(_CHOICES[name])}, got {value!r}")
            known[name] = value
        return Options(**known)

    @property
    def planning(self) -> str:
        return f"pipeline-planning{{policy={self.policy}}}"

    @property
    def injection(self) -> str:
        return f"inject-software-pipeline{{form={self.form}}}"

    def __str__(self) -> str:
        return ",".join(f"{f.name}={getattr(self, f.name)}" for f in fields(self))
