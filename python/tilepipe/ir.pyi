from collections.abc import Callable
from typing import Any

from ._errors import MLIRError as MLIRError
from ._native.ir import *
from ._native.ir import _OperationBase as _OperationBase

def register_attribute_builder(kind: str, replace: bool = ...) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
