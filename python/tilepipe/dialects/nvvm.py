"""NVIDIA PTX instructions."""

from ._nvvm_enum_gen import *  # noqa: F403
from ._nvvm_ops_gen import *  # noqa: F403
from ._nvvm_ops_gen import _Dialect  # noqa: F401
