"""Bridge between memrefs and NVIDIA instructions."""

from ._nvgpu_enum_gen import *  # noqa: F403
from ._nvgpu_ops_gen import *  # noqa: F403
from ._nvgpu_ops_gen import _Dialect  # noqa: F401
