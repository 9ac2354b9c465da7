"""The kernel language, `import tilepipe.language as T`.

Kernels of TileLang run with the import changed. Loops and scalars are Python syntax; everything here is
called inside of a function with `@T.prim_func`.
"""

# All names are exported (see the end).
# ruff: noqa: F401

from tilepipe.frontend.dtypes import (
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    index,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tilepipe.frontend.dtypes import bool_ as bool
from tilepipe.frontend.dtypes import float8_e4m3fn as float8_e4m3
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
from tilepipe.language.debug import device_assert, print
from tilepipe.language.loops import (
    Kernel,
    Parallel,
    Pipelined,
    get_thread_binding,
    grid,
    serial,
    sync_threads,
    unroll,
    vectorized,
)
from tilepipe.language.math import (
    Cast,
    abs,
    all_of,
    any_of,
    atan,
    cast,
    ceil,
    ceildiv,
    clamp,
    cos,
    cosh,
    erf,
    exp,
    exp2,
    exp10,
    floor,
    floordiv,
    floormod,
    fma,
    if_then_else,
    infinity,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    max,
    max_value,
    min,
    min_value,
    pow,
    round,
    rsqrt,
    sigmoid,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
)
from tilepipe.language.math import all_of as all
from tilepipe.language.math import any_of as any
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
    reduce_all,
    reduce_any,
    reduce_bitand,
    reduce_bitor,
    reduce_bitxor,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
    use_swizzle,
)

__all__ = [name for name in dir() if not name.startswith("_")]
