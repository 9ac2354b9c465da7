"""Operations on vectors."""

from ._vector_enum_gen import *  # noqa: F403
from ._vector_ops_gen import *  # noqa: F403
from ._vector_ops_gen import _Dialect  # noqa: F401
