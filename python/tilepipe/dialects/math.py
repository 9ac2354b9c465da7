"""Mathematical functions."""

from ._math_ops_gen import *  # noqa: F403
from ._math_ops_gen import _Dialect  # noqa: F401
