"""Integers of the width of the machine."""

from ._index_enum_gen import *  # noqa: F403
from ._index_ops_gen import *  # noqa: F403
from ._index_ops_gen import _Dialect  # noqa: F401
