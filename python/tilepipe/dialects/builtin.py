"""Modules and casts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from ._builtin_ops_gen import ModuleOp as _ModuleOp
from ._builtin_ops_gen import _Dialect
from ._ods_common import _cext

if not TYPE_CHECKING:
    from ._builtin_ops_gen import *  # noqa: F403


@_cext.register_operation(_Dialect, replace=True)
class ModuleOp(_ModuleOp):
    """`builtin.module` with its one block."""

    def __init__(self, *, loc: Any = None, ip: Any = None, **attributes: Any) -> None:
        super().__init__(loc=loc, ip=ip, **attributes)
        self.regions[0].blocks.append()

    @property
    def body(self) -> Any:
        return self.regions[0].blocks[0]


def module(*, loc: Any = None, ip: Any = None) -> ModuleOp:
    return ModuleOp(loc=loc, ip=ip)


__all__ = ["ModuleOp", "UnrealizedConversionCastOp", "_ir", "module"]  # noqa: F405


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._builtin_ops_gen import *  # noqa: F403
