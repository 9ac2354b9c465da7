"""Options of one compilation. They travel as a value: nothing is kept in the process or its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tilepipe.frontend.errors import KernelError

_CHOICES = {"policy": ("tilelang", "modulo"), "form": ("peeled", "prologue", "predicated")}
# Keys of TileLang's `pass_configs`; they steer passes that do not exist here.
_FOREIGN = ("tl.", "tir.", "relax.", "cuda.")
# Arguments of TileLang's `jit` and `compile` about things that do not exist here.
_FOREIGN_ARGUMENTS = ("target_host", "execution_backend", "verbose", "debug_root_path", "compile_flags")


def ignore_foreign(arguments: Mapping[str, Any]) -> None:
    """Raises for keyword arguments that are none of TileLang's either."""
    for name in arguments:
        if name not in _FOREIGN_ARGUMENTS:
            raise KernelError(f"unexpected argument '{name}'; there are out_idx, target and pass_configs")


class _ForeignKeys(type):
    def __getattr__(cls, name: str) -> str:
        family, _, rest = name.partition("_")
        if f"{family.lower()}." not in _FOREIGN or not rest:
            raise AttributeError(f"there is no pass config key '{name}'")
        return f"{family.lower()}.{rest.lower()}"


class PassConfigKey(metaclass=_ForeignKeys):
    """The names of TileLang's pass configs: ``PassConfigKey.TL_DISABLE_TMA_LOWER``. They are ignored."""


@dataclass(frozen=True)
class Options:
    """``policy`` is how schedules are chosen, ``form`` the shape of pipelined loops, by default what suits the target."""

    policy: str = "tilelang"
    form: str = "peeled"

    @staticmethod
    def parse(configs: Mapping[str, Any] | None, form: str) -> Options:
        """Options from ``pass_configs``, ``form`` by default; keys of TileLang are accepted and ignored."""
        known = {"form": form}
        for key, value in (configs or {}).items():
            name = str(getattr(key, "value", key))
            if name.startswith(_FOREIGN):
                continue
            if name not in _CHOICES:
                raise KernelError(f"unknown pass config '{name}'; known are {', '.join(_CHOICES)}")
            if value not in _CHOICES[name]:
                *most, last = _CHOICES[name]
                raise KernelError(f"pass config '{name}' is {', '.join(most)} or {last}, got {value!r}")
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
