"""The kernel language, `import tilepipe.language as T`.

Kernels of TileLang run with the import changed. Loops and scalars are Python syntax; everything here is
called inside of a function with `@T.prim_func`.
"""

from tilepipe.frontend.dtypes import (
    bfloat16,
    float16,
    float32,
    float64,
    index,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tilepipe.frontend.dtypes import bool_ as bool  # noqa: A004
from tilepipe.frontend.prim_func import macro, prim_func
from tilepipe.language.buffers import (
    Buffer,
    Tensor,
    alloc_fragment,
    alloc_local,
    alloc_shared,
    alloc_var,
    dynamic,
    symbolic,
)
from tilepipe.language.loops import Kernel, Parallel, Pipelined, serial, unroll
from tilepipe.language.math import (
    Cast,
    abs,  # noqa: A004
    cast,
    ceil,
    ceildiv,
    cos,
    erf,
    exp,
    exp2,
    floor,
    floordiv,
    floormod,
    if_then_else,
    infinity,
    log,
    log2,
    max,  # noqa: A004
    max_value,
    min,  # noqa: A004
    min_value,
    pow,  # noqa: A004
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    tanh,
)
from tilepipe.language.tiles import (
    annotate_layout,
    atomic_add,
    atomic_max,
    atomic_min,
    clear,
    copy,
    cumsum,
    fill,
    gemm,
    reduce,
    reduce_abs_max,
    reduce_abs_sum,
    reduce_max,
    reduce_min,
    reduce_sum,
    use_swizzle,
)

__all__ = [name for name in dir() if not name.startswith("_")]
