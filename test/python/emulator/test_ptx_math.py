"""Mathematical functions of the NVIDIA target, in the emulator against double precision.

The bounds are those stated in lib/Target/NVIDIA/ExpandMath.cpp and ExpandMathDouble.cpp.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from tilepipe import ir
from tilepipe._load import native
from tilepipe.emulator.ptx import Module

if not hasattr(native, "nvidia"):
    pytest.skip("built without the NVIDIA target", allow_module_level=True)

COUNT = 1024
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 2.0]

KERNEL = """
gpu.module @m {{
  gpu.func @k({arguments}, %o: memref<{count}x{element}>) kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c128 = arith.constant 128 : index
    %base = arith.muli %b, %c128 : index
    %i = arith.addi %base, %t : index
    {loads}
    %r = math.{name} {operands} : {element}
    memref.store %r, %o[%i] : memref<{count}x{element}>
    gpu.return
  }}
}}
"""


def _run(name: str, inputs: list[np.ndarray]) -> np.ndarray:
    numbers = range(len(inputs))
    element = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}[inputs[0].dtype]
    text = KERNEL.format(
        name=name,
        element=element,
        count=COUNT,
        arguments=", ".join(f"%a{i}: memref<{COUNT}x{element}>" for i in numbers),
        loads="\n".join(
            f"%x{i} = memref.load %a{i}[%i] : memref<{COUNT}x{element}>" for i in numbers
        ),
        operands=", ".join(f"%x{i}" for i in numbers),
    )
    ptx = native.nvidia.translate(ir.Module.parse(text, ir.Context()), "sm_80")
    result = np.zeros(COUNT, inputs[0].dtype)
    report = Module(ptx.text).launch("k", grid=COUNT // 128, block=128, args=[*inputs, result])
    report.raise_on_issues()
    return result


def _linear(low: float, high: float) -> np.ndarray:
    values = np.random.default_rng(1).uniform(low, high, COUNT).astype(np.float32)
    values[: len(SPECIAL)] = SPECIAL
    return values


def _spread(low: float, high: float) -> np.ndarray:
    values = np.exp(_linear(math.log(low), math.log(high)).astype(np.float64)).astype(np.float32)
    values[: len(SPECIAL)] = SPECIAL
    return values


def _ulps(result: np.ndarray, exact: np.ndarray) -> np.ndarray:
    rounded = exact.astype(result.dtype)
    spacing = np.spacing(np.maximum(np.abs(rounded), np.finfo(result.dtype).tiny))
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    error = np.where(same, 0.0, np.abs(result.astype(exact.dtype) - exact) / spacing)
    return np.where(np.isnan(error), np.inf, error)


@pytest.mark.parametrize(
    ("name", "function", "values", "bound"),
    [
        ("exp", np.exp, _linear(-110, 95), 2),
        ("exp2", np.exp2, _linear(-150, 130), 2),
        ("log", np.log, _spread(1e-37, 3e38), 5),
        ("log2", np.log2, _spread(1e-37, 3e38), 5),
        ("log10", np.log10, _spread(1e-37, 3e38), 5),
        ("log1p", np.log1p, _spread(1e-10, 1e10), 5),
        ("expm1", np.expm1, _linear(-20, 80), 5),
        ("tanh", np.tanh, _linear(-12, 12), 5),
        ("erf", np.vectorize(math.erf), _linear(-5, 5), 5),
        ("sin", np.sin, _linear(-1e4, 1e4), 5),
        ("cos", np.cos, _linear(-1e4, 1e4), 5),
        ("tan", np.tan, _linear(-10, 10), 5),
        ("sqrt", np.sqrt, _spread(1e-44, 3e38), 0.5),
        ("rsqrt", lambda x: 1 / np.sqrt(x), _spread(1e-37, 3e38), 2),
        ("floor", np.floor, _linear(-100, 100), 0),
        ("ceil", np.ceil, _linear(-100, 100), 0),
        ("trunc", np.trunc, _linear(-100, 100), 0),
        ("roundeven", np.rint, _linear(-100, 100), 0),
        ("cosh", np.cosh, _linear(-20, 20), 5),
        ("atan", np.arctan, _linear(-20, 20), 40),
    ],
)
def test_functions_are_as_near_as_stated(
    name: str, function: Callable[..., np.ndarray], values: np.ndarray, bound: float
) -> None:
    with np.errstate(all="ignore"):
        exact = function(values.astype(np.float64))
        error = _ulps(_run(name, [values]), exact)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (
        f"{name}({values[worst]}) is {error[worst]:.1f} ulp from {exact[worst]}"
    )


def test_power_of_every_sign() -> None:
    x, y = _spread(1e-3, 1e3), _linear(-8, 8)
    x[100:300] *= -1
    y[100:200] = np.rint(y[100:200])
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64))
        bound = np.nan_to_num(np.abs(y * np.log2(np.abs(x))), posinf=0, neginf=0) + 3
        assert np.all(_ulps(_run("powf", [x, y]), exact) <= bound)


@pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 60, reason="nothing more exact than double precision here"
)
@pytest.mark.parametrize(
    ("name", "function", "values"),
    [
        ("exp", np.exp, _linear(-760, 720)),
        ("exp2", np.exp2, _linear(-1090, 1030)),
        ("expm1", np.expm1, _linear(-20, 80)),
        ("log", np.log, _spread(1e-30, 1e30)),
        ("log2", np.log2, _spread(1e-30, 1e30)),
        ("log10", np.log10, _spread(1e-30, 1e30)),
        ("log1p", np.log1p, _spread(1e-10, 1e10)),
        ("tanh", np.tanh, _linear(-25, 25)),
        ("sin", np.sin, _linear(-1e5, 1e5)),
        ("cos", np.cos, _linear(-1e5, 1e5)),
        ("sqrt", np.sqrt, _spread(1e-30, 1e30)),
        ("rsqrt", lambda x: 1 / np.sqrt(x), _spread(1e-30, 1e30)),
    ],
)
def test_double_precision(
    name: str, function: Callable[..., np.ndarray], values: np.ndarray
) -> None:
    wide = values.astype(np.float64)
    wide[len(SPECIAL) :] *= 1 + 2.0**-40  # more digits than single precision has
    with np.errstate(all="ignore"):
        error = _ulps(_run(name, [wide]), function(wide.astype(np.longdouble)))
    worst = int(np.argmax(error))
    assert error[worst] <= 4, f"{name}({wide[worst]}) is {error[worst]:.1f} ulp off"
