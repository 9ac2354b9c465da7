"""LLVM IR."""

from ._llvm_enum_gen import *  # noqa: F403
from ._llvm_ops_gen import *  # noqa: F403
from ._llvm_ops_gen import _Dialect  # noqa: F401
