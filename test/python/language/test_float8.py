"""float8_e4m3 and float8_e5m2 as element types, against ml_dtypes."""

import ctypes

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T
from tilepipe import KernelError
from tilepipe.targets import is_built

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
TYPES = {"float8_e4m3fn": E4M3, "float8_e5m2": E5M2}
CODES = np.arange(256, dtype=np.uint8)
OTHERS = ["float16", "bfloat16", "float32", "float64", "int8", "int32", "uint8", "bool"]


def quiet():
    return np.errstate(all="ignore")



def numpy_type(name):
    return np.dtype(TYPES.get(name) or getattr(ml_dtypes, name, None) or name)


def same(got, want):
    """Equal bit by bit, but for NaNs, of which there are several."""
    number = np.float64 if got.dtype.kind not in "iub" else got.dtype
    nan = np.isnan(got.astype(number)) & np.isnan(want.astype(number)) if number is np.float64 else False
    return ((got.view(np.uint8) == want.view(np.uint8)).reshape(len(got), -1).all(1) | nan).all()


def convert(source, target, by_copy):
    @T.prim_func
    def kernel(A: T.Tensor((256,), source), B: T.Tensor((256,), target)):
        with T.Kernel(2) as bx:
            a = T.alloc_shared((128,), source)
            if by_copy:
                T.copy(A[bx * 128], a)
                T.copy(a, B[bx * 128])
            else:
                for i in T.Parallel(128):
                    B[bx * 128 + i] = T.cast(A[bx * 128 + i], target)

    return tilepipe.compile(kernel, out_idx=[1], target="cpu")


def numbers(dtype):
    """Numbers of every size, and those half way between two of 8 bits."""
    rng = np.random.default_rng(3)
    sizes = 10.0 ** rng.uniform(-9, 6, 100) * rng.choice([-1, 1], 100)
    with quiet():
        halves = [(c.view(t).astype(float) + (c + 1).astype(np.uint8).view(t).astype(float)) / 2
                  for t in TYPES.values() for c in (rng.integers(0, 255, 70).astype(np.uint8),)]  # fmt: skip
        values = np.concatenate([sizes, *halves, [np.inf, -np.inf, np.nan, 0.0, -0.0, 448.0, 464.0, 465.0, 57344, 61440,
                                                  61439, 2.0**-9, 2.0**-10, 2.0**-16, 2.0**-17, 3 * 2.0**-18]])  # fmt: skip
        return values.astype(dtype)


@pytest.mark.parametrize("by_copy", [True, False])
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("other", OTHERS)
def test_from_eight_bits(name, other, by_copy):
    if other == "bool" and by_copy:
        pytest.skip("a copy does not compare")
    values, target = CODES.view(TYPES[name]).copy(), numpy_type(other)
    if target.kind in "iu":
        values[~np.isfinite(values.astype(float))] = 0
        limits = np.iinfo(target)
        values[(values.astype(float) < limits.min) | (values.astype(float) > limits.max)] = 0
        if other == "uint8" and by_copy:
            values[values.astype(float) > 127] = 0  # copies take integers as signed
    with quiet():
        want = values.astype(np.float32).astype(target)
    assert same(convert(name, other, by_copy)(values), want)


@pytest.mark.parametrize("by_copy", [True, False])
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("other", OTHERS)
def test_to_eight_bits(name, other, by_copy):
    source = numpy_type(other)
    if source.kind in "iub":
        values = np.random.default_rng(1).integers(-128 if source.kind == "i" else 0, 128, 256).astype(source)
    else:
        values = numbers(source)[:256]
    kernel = convert(other, name, by_copy)
    with quiet():
        assert same(kernel(values), values.astype(np.float64 if other == "float64" else np.float32).astype(TYPES[name]))


@pytest.mark.parametrize("a, b", [(E4M3, E5M2), (E5M2, E4M3)])
def test_one_format_to_the_other(a, b):
    names = {v: k for k, v in TYPES.items()}
    values = CODES.view(a).copy()
    with quiet():
        want = values.astype(np.float32).astype(b)
    for by_copy in (True, False):
        assert same(convert(names[a], names[b], by_copy)(values), want)


@pytest.mark.parametrize("m, n, k, stages", [(32, 32, 64, 3), (20, 37, 50, 2), (16, 16, 16, 0)])
@pytest.mark.parametrize("a_type, b_type", [("float8_e4m3", "float8_e4m3"), ("float8_e5m2", "float8_e4m3fn")])
def test_gemm(m, n, k, stages, a_type, b_type):
    @T.prim_func
    def kernel(A: T.Tensor((m, k), a_type), B: T.Tensor((n, k), b_type), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 16), T.ceildiv(m, 16)) as (bx, by):
            a, b = T.alloc_shared((16, 32), a_type), T.alloc_shared((16, 32), b_type)
            c = T.alloc_fragment((16, 16), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                T.copy(A[by * 16, ko * 32], a)
                T.copy(B[bx * 16, ko * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 16, bx * 16])

    rng = np.random.default_rng(2)
    values = [rng.standard_normal((s, k)).astype(TYPES[t.replace("e4m3fn", "e4m3").replace("e4m3", "e4m3fn")])
              for s, t in ((m, a_type), (n, b_type))]  # fmt: skip
    compiled = tilepipe.compile(kernel, out_idx=[2], target="cpu")
    a, b = (v.astype(np.float32) for v in values)
    np.testing.assert_allclose(compiled(*values), a @ b.T, rtol=1e-5, atol=1e-5)
    assert compiled.check()


def test_scalars_are_computed_in_float32():
    @T.prim_func
    def kernel(A: T.Tensor((256,), "float8_e4m3"), s: T.float8_e5m2, B: T.Tensor((256,), "float32"),
               C: T.Tensor((256,), "float8_e4m3"), L: T.Tensor((4,), "float32")):  # fmt: skip
        with T.Kernel(1):
            best = T.alloc_var(T.float8_e4m3, 0.5)
            for i in T.serial(256):
                x = A[i]
                B[i] = T.exp(x) + x * x - s
                C[i] = T.max(x, 1.0) if x > 0 else -T.abs(x) + 0.25
                if C[i] > best:
                    best = C[i]
            L[0], L[1] = best, T.max_value("float8_e4m3")
            L[2], L[3] = T.infinity("float8_e5m2"), T.isnan(A[127])

    values = CODES.view(E4M3).copy()
    b, c, largest = tilepipe.compile(kernel, out_idx=[2, 3, 4], target="cpu")(values, 1.5)
    x = values.astype(np.float32)
    with quiet():
        np.testing.assert_allclose(b, np.exp(x) + x * x - np.float32(1.5), rtol=1e-5)
        want = np.where(x > 0, np.fmax(x, 1), -np.abs(x) + 0.25).astype(E4M3)
    assert same(c, want) and largest.tolist() == [448, 448, np.inf, 1]


def test_reductions_and_sums():
    @T.prim_func
    def kernel(A: T.Tensor((8, 32), "float8_e5m2"), M: T.Tensor((8,), "float32"), S: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            a, m, s = T.alloc_shared((8, 32), "float8_e5m2"), T.alloc_fragment((8,), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(A, a)
            T.reduce_max(a, m, dim=1)
            T.reduce_sum(a, s, dim=1)
            T.copy(m, M)
            T.copy(s, S)

    a = np.random.default_rng(4).standard_normal((8, 32)).astype(E5M2)
    m, s = tilepipe.compile(kernel, out_idx=[1, 2], target="cpu")(a)
    x = a.astype(np.float32)
    assert (m == x.max(1)).all()
    np.testing.assert_allclose(s, x.sum(1), rtol=1e-6)


@pytest.mark.parametrize("statement, message", [
    (lambda a, f: T.reduce_sum(a, T.alloc_fragment((8,), "float8_e4m3")), "a reduction into float8_e4m3fn would round"),
    (lambda a, f: T.atomic_add(f[0, 0], 1.0), "atomics are not defined for float8_e4m3fn; collect in float32"),
    (lambda a, f: T.gemm(a, a, T.alloc_fragment((8, 8), "float8_e4m3")), "T.gemm cannot sum in float8_e4m3fn; use float32"),
    (lambda a, f: T.infinity("float8_e4m3"), "float8_e4m3fn has no infinity"),
])
def test_what_is_not_defined(statement, message):
    @T.prim_func
    def kernel(F: T.Tensor((8, 8), "float8_e4m3")):
        with T.Kernel(1):
            a = T.alloc_shared((8, 8), "float8_e4m3")
            T.copy(F, a)
            statement(a, F)

    with pytest.raises(KernelError, match=message) as caught:
        tilepipe.compile(kernel, target="cpu")
    assert caught.value.location is not None


def test_tensors_without_numpy():
    """float8 by DLPack, as torch has it."""
    from tilepipe.runtime import arguments, dlpack

    class Foreign:
        def __init__(self, array, code):
            self.array, self.sizes = array, (ctypes.c_int64 * 1)(*array.shape)
            self.struct = dlpack._DLTensor(array.ctypes.data, 1, 0, 1, code, 8, 1, self.sizes)

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self):
            new = ctypes.pythonapi.PyCapsule_New
            new.argtypes, new.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
            return new(ctypes.addressof(self.struct), b"dltensor", None)

    values = CODES.view(E5M2).copy()
    foreign = Foreign(values, 12)
    assert arguments.view_of(foreign, "A").dtype == "float8_e5m2"
    with quiet():
        assert same(convert("float8_e5m2", "float32", True)(foreign), values.astype(np.float32))
    with pytest.raises(KernelError, match="argument 'A' has dtype float8_e4m3fn, the kernel expects float8_e5m2"):
        convert("float8_e5m2", "float32", True)(Foreign(values, 10))


@pytest.mark.skipif(not is_built("cuda"), reason="the target is not part of this build")
def test_emitted_ptx():
    """sm_80 has no instructions for float8: conversions are arithmetic there, too."""

    @T.prim_func
    def kernel(A: T.Tensor((256,), "float8_e4m3"), F: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"),
               C: T.Tensor((256,), "float8_e4m3"), D: T.Tensor((256,), "float8_e5m2")):  # fmt: skip
        with T.Kernel(2, threads=128) as bx:
            a, f = T.alloc_shared((128,), "float8_e4m3"), T.alloc_shared((128,), "float32")
            c, d = T.alloc_shared((128,), "float8_e4m3"), T.alloc_shared((128,), "float8_e5m2")
            T.copy(A[bx * 128], a)
            T.copy(F[bx * 128], f)
            T.copy(f, c)
            T.copy(f, d)
            T.copy(a, B[bx * 128])
            T.copy(c, C[bx * 128])
            T.copy(d, D[bx * 128])

    compiled = tilepipe.compile(kernel, out_idx=[2, 3, 4], target="cuda:sm_80")
    values, numbers_ = CODES.view(E4M3).copy(), numbers(np.float32)[:256]
    b, c, d = compiled.emulate(values, numbers_)
    with quiet():
        assert same(b, values.astype(np.float32)) and same(c, numbers_.astype(E4M3)) and same(d, numbers_.astype(E5M2))
