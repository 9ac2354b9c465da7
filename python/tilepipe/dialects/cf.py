"""Control flow between blocks."""

from ._cf_ops_gen import *  # noqa: F403
from ._cf_ops_gen import _Dialect  # noqa: F401
