"""Affine loops and accesses."""

from ._affine_ops_gen import *  # noqa: F403
from ._affine_ops_gen import _Dialect  # noqa: F401
