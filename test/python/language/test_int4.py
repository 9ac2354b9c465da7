"""int4 and uint4, two in a byte, against numpy."""

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T
from tilepipe import KernelError


def pack(values):
    """The first of two elements in the low half."""
    return ((values[..., ::2] & 15) | (values[..., 1::2] << 4)).astype(np.uint8)


def meaning(values, dtype):
    """What 0 to 15 stand for."""
    return np.where(values > 7, values - 16, values) if dtype == "int4" else values


def draw(*shape):
    return np.random.default_rng(6).integers(0, 16, shape)


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
@pytest.mark.parametrize("columns", [32, 44])  # the second one with a tail
def test_elements_and_copies(dtype, columns):
    @T.prim_func
    def kernel(A: T.Tensor((8, columns), dtype), B: T.Tensor((8, columns), "float32"), C: T.Tensor((8, columns), dtype)):
        with T.Kernel(T.ceildiv(columns, 16)) as bx:
            a, b, c = T.alloc_shared((8, 16), dtype), T.alloc_shared((8, 16), "int32"), T.alloc_shared((8, 16), dtype)
            f = T.alloc_fragment((8, 16), "float32")
            T.copy(A[0, bx * 16], a)
            T.copy(a, b)
            for i, j in T.Parallel(8, 16):
                f[i, j] = a[i, j] * 2.0
                b[i, j] += 1
            T.copy(f, B[0, bx * 16])
            T.copy(b, c)
            T.copy(c, C[0, bx * 16])

    q = draw(8, columns)
    compiled = tilepipe.compile(kernel, out_idx=[1, 2], target="cpu")
    for view in (np.uint8, np.int8):
        b, c = compiled(pack(q).view(view))
        assert (b == 2 * meaning(q, dtype)).all() and (c.view(np.uint8) == pack((q + 1) % 16)).all()
    assert compiled.check()


def test_scalars():
    @T.prim_func
    def kernel(A: T.Tensor((16,), "int4"), at: T.int32, B: T.Tensor((6,), "int32")):
        with T.Kernel(1):
            a, x = T.alloc_shared((16,), "int4"), T.alloc_var("int32")
            T.fill(a, -3)
            B[0] = a[0] + a[15]
            T.copy(A[4:10], a[2:8])
            B[1], B[2], B[3] = a[2], a[7], a[8]
            x = A[at]
            B[4] = x if A[0] > A[1] else -x
            B[5] = T.int32(T.max(A[2], A[3])) * 100

    q = draw(16)
    v = meaning(q, "int4")
    compiled = tilepipe.compile(kernel, out_idx=[2], target="cpu")
    for at in (0, 1, 15):
        want = [-6, v[4], v[9], -3, v[at] if v[0] > v[1] else -v[at], max(v[2], v[3]) * 100]
        assert compiled(pack(q), at).tolist() == want


@pytest.mark.parametrize("stages", [0, 2, 3])
def test_gemm_with_dynamic_sizes(stages):
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "int8"), W: T.Tensor((n, k), "int4"), C: T.Tensor((m, n), "int32")):
        with T.Kernel(T.ceildiv(n, 16), T.ceildiv(m, 16)) as (bx, by):
            a, w, wide = T.alloc_shared((16, 32), "int8"), T.alloc_shared((16, 32), "int4"), T.alloc_shared((16, 32), "int8")
            c = T.alloc_fragment((16, 16), "int32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                T.copy(A[by * 16, ko * 32], a)
                T.copy(W[bx * 16, ko * 32], w)
                T.copy(w, wide)
                T.gemm(a, wide, c, transpose_B=True)
            T.copy(c, C[by * 16, bx * 16])

    compiled = tilepipe.compile(kernel, out_idx=[2], target="cpu")
    for rows, columns, depth in ((16, 16, 32), (5, 19, 70)):
        a, w = np.random.default_rng(1).integers(-9, 9, (rows, depth)).astype(np.int8), draw(columns, depth)
        assert (compiled(a, pack(w)) == a.astype(int) @ meaning(w, "int4").T).all()
    assert compiled.check(sizes={"m": 20, "n": 18, "k": 70})
    with pytest.raises(KernelError, match="size 'k' is 70 in 'A' dimension 1 and 68 in 'W' dimension 1"):
        compiled(np.zeros((4, 70), np.int8), np.zeros((4, 34), np.uint8))


def test_results():
    n = T.dynamic("n")

    @T.prim_func
    def kernel(A: T.Tensor((n, 8), "int8"), B: T.Tensor((n, 8), "uint4"), C: T.Tensor((8, n), "int4")):
        with T.Kernel(n) as i:
            a, b = T.alloc_shared((1, 8), "int8"), T.alloc_shared((1, 8), "uint4")
            T.copy(A[i, 0], a)
            T.copy(a, b)
            T.copy(b, B[i, 0])
            T.fill(C[i : i + 1, 0:2], 5)

    a = draw(6, 8).astype(np.int8)
    b, c = tilepipe.compile(kernel, out_idx=[1, 2], target="cpu")(a)
    assert b.shape == (6, 4) and c.shape == (8, 3)
    assert (b.view(np.uint8) == pack(a)).all() and (c[:6, 0].view(np.uint8) == 0x55).all()


@pytest.mark.parametrize("statement, message", [
    (lambda A, a, i: T.copy(A[i], a), "the start of a region of 'A' is even in the last dimension"),
    (lambda A, a, i: T.copy(A[3], a), "as two elements of int4 share a byte, got 3"),
    (lambda A, a, i: T.copy(A[0:5], a[0:5]), "the extent of a region of 'A' is even in the last dimension.*got 5"),
    (lambda A, a, i: T.copy(A, T.alloc_shared((16,), "int8")), "between tiles; copy 'A' to a tile of int4 first"),
    (lambda A, a, i: T.copy(a, T.alloc_shared((16,), "uint4")), "copies between int4 and uint4 are not supported"),
    (lambda A, a, i: T.alloc_shared((3, 5), "int4"), r"the last size of a tile of int4 is even, got shape \(3, 5\)"),
    (lambda A, a, i: T.reduce_sum(a, T.alloc_fragment((1,), "int32")), "is not of int4, of which two share a byte"),
    (lambda A, a, i: T.atomic_add(A[0], 1), "atomics are not defined for int4"),
    (lambda A, a, i: T.alloc_var("int4"), "int4 is a type of tensors and tiles; a scalar of it is int8"),
    (lambda A, a, i: T.cast(i, "int4"), "int4 is a type of tensors and tiles"),
])
def test_what_is_not_defined(statement, message):
    @T.prim_func
    def kernel(A: T.Tensor((16,), "int4")):
        with T.Kernel(4) as i:
            a = T.alloc_shared((16,), "int4")
            statement(A, a, i)

    with pytest.raises(KernelError, match=message) as caught:
        tilepipe.compile(kernel, target="cpu")
    assert caught.value.location is not None


def test_elements_are_not_written_one_by_one():
    @T.prim_func
    def kernel(A: T.Tensor((16,), "int4")):
        with T.Kernel(1):
            A[3] = 1

    with pytest.raises(KernelError, match="two elements of 'A' share a byte .* write a tile of int8 and T.copy it"):
        tilepipe.compile(kernel, target="cpu")


def test_arguments():
    with pytest.raises(KernelError, match=r"the last size of a tensor of int4 is even, got shape \(4, 3\)"):
        T.Tensor((4, 3), "int4")
    with pytest.raises(KernelError, match="argument 'x' is a scalar of uint4; use uint8"):

        @T.prim_func
        def f(x: T.uint4):
            pass

    @T.prim_func
    def kernel(A: T.Tensor((4, 8), "int4"), B: T.Tensor((4, 8), "int4")):
        with T.Kernel(1):
            T.copy(A, B)

    compiled = tilepipe.compile(kernel, out_idx=[1], target="cpu")
    with pytest.raises(KernelError, match=r"size 8 in dimension 1, the kernel expects 4 \(bytes, for 8 elements of int4\)"):
        compiled(np.zeros((4, 8), np.int8))
    with pytest.raises(KernelError, match="has dtype int16, the kernel expects int4: int8 or uint8 with two elements"):
        compiled(np.zeros((4, 4), np.int16))
