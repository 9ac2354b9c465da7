"""Conversions between float8 and integers or double precision, which no target has an instruction for."""

import ml_dtypes
import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.targets import is_built

FLOAT8 = {"float8_e4m3": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2}


def converted(source, target):
    @T.prim_func
    def kernel(A: T.Tensor((32,), source), B: T.Tensor((32,), target)):
        with T.Kernel(1, threads=32):
            a, b = T.alloc_shared((32,), source), T.alloc_fragment((32,), target)
            T.copy(A, a)
            T.copy(a, b)
            T.copy(b, B)

    return tilepipe.compile(kernel, out_idx=[-1], target="cuda:sm_80")


@pytest.mark.skipif(not is_built("cuda"), reason="this build has no target cuda")
@pytest.mark.parametrize("float8", FLOAT8)
@pytest.mark.parametrize("integer", ["int8", "int32"])
def test_both_ways(float8, integer):
    numbers = np.arange(-16, 16).astype(integer)
    as_float = numbers.astype(np.float32).astype(FLOAT8[float8])
    there = converted(integer, float8).emulate(numbers)
    np.testing.assert_array_equal(there.view(np.uint8), as_float.view(np.uint8))
    back = converted(float8, integer).emulate(as_float)
    np.testing.assert_array_equal(back, as_float.astype(np.float32).astype(integer))


@pytest.mark.skipif(not is_built("cuda"), reason="this build has no target cuda")
@pytest.mark.parametrize("float8", FLOAT8)
def test_double_precision_rounds_once(float8):
    """Ties, and numbers next to them that single precision does not tell from them."""
    ties = np.array([1.0625, 1.125, 1.1875, 2**-10, 3 * 2**-11, 2**-17, 232.0, 0.0])
    numbers = np.concatenate([ties, ties * (1 + 2**-50), ties * (1 - 2**-50), [*ties[:5] / 3, np.inf, -np.inf, np.nan]])
    numbers[1:24:2] *= -1
    got = converted("float64", float8).emulate(numbers)
    values = np.arange(256, dtype=np.uint8).view(FLOAT8[float8]).astype(np.float64)
    for number, result in zip(numbers[:29], got, strict=False):
        distance = np.abs(values - number)
        nearest = np.flatnonzero(distance == np.nanmin(distance))
        # Of two, the one with an even code.
        even = nearest[nearest % 2 == 0] if len(set(values[nearest])) > 1 else nearest
        assert float(result) in set(values[even]), number
    special = numbers[29:].astype(FLOAT8[float8]).astype(np.float32)
    np.testing.assert_array_equal(got[29:].astype(np.float32), special)
