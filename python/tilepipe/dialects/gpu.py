"""Kernels and launches, for any GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from ._gpu_ops_gen import GPUModuleOp as _GPUModuleOp
from ._gpu_ops_gen import _Dialect
from ._ods_common import _cext

if not TYPE_CHECKING:
    from ._gpu_enum_gen import *  # noqa: F403
    from ._gpu_ops_gen import *  # noqa: F403


@_cext.register_operation(_Dialect, replace=True)
class GPUModuleOp(_GPUModuleOp):
    """`gpu.module` with its one block."""

    def __init__(
        self, sym_name: Any, targets: Any = None, *, loc: Any = None, ip: Any = None,
        **attributes: Any,
    ) -> None:
        if targets is not None and not isinstance(targets, _ir.Attribute):
            targets = _ir.ArrayAttr.get(list(targets))
        super().__init__(sym_name, targets=targets, loc=loc, ip=ip, **attributes)
        self.regions[0].blocks.append()

    @property
    def body(self) -> Any:
        return self.regions[0].blocks[0]


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._gpu_enum_gen import *  # noqa: F403
    from ._gpu_ops_gen import *  # noqa: F403
