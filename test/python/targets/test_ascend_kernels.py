"""What only the Ascend target does: layouts of L1 and L0, epilogues of FIX, vector shapes, tails of tiles."""

import re

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.targets import is_built

if not is_built("ascend"):
    pytest.skip("this build has no target ascend", allow_module_level=True)
TARGET = "ascend:dav-2201"


def compiled(func):
    return tilepipe.compile(func, out_idx=[-1], target=TARGET)


def is_right(kernel, reference, sizes=({},)):
    for number, size in enumerate(sizes):
        report = kernel.check(sizes=size, seeds=1, seed=number, reference=reference)
        assert report, repr(report)


def gemm(M, N, K, block, stages, transpose_A=False, transpose_B=True, dtype="float16", out="float32", relu=False):
    bm, bn, bk = block
    shape_A, tile_A = ((K, M), (bk, bm)) if transpose_A else ((M, K), (bm, bk))
    shape_B, tile_B = ((N, K), (bn, bk)) if transpose_B else ((K, N), (bk, bn))

    @T.prim_func
    def kernel(A: T.Tensor(shape_A, dtype), B: T.Tensor(shape_B, dtype), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            a, b = T.alloc_shared(tile_A, dtype), T.alloc_shared(tile_B, dtype)
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                if transpose_A:
                    T.copy(A[ko * bk, by * bm], a)
                else:
                    T.copy(A[by * bm, ko * bk], a)
                if transpose_B:
                    T.copy(B[bx * bn, ko * bk], b)
                else:
                    T.copy(B[ko * bk, bx * bn], b)
                T.gemm(a, b, c, transpose_A=transpose_A, transpose_B=transpose_B)
            if relu:
                for i, j in T.Parallel(bm, bn):
                    c[i, j] = T.max(c[i, j], 0.0)
            T.copy(c, C[by * bm, bx * bn])

    return kernel


def product(A, B, transpose_A=False, transpose_B=True):
    a, b = A.astype(np.float32), B.astype(np.float32)
    return (a.T if transpose_A else a) @ (b.T if transpose_B else b)


@pytest.mark.parametrize("transpose_A", [False, True])
@pytest.mark.parametrize("transpose_B", [False, True])
def test_transposed_operands(transpose_A, transpose_B):
    kernel = compiled(gemm(70, 50, 90, (32, 32, 32), 3, transpose_A, transpose_B))
    is_right(kernel, lambda A, B: product(A, B, transpose_A, transpose_B))


@pytest.mark.parametrize("transpose_B", [False, True])
def test_large_tiles_take_several_steps_of_k(transpose_B):
    kernel = compiled(gemm(200, 130, 300, (256, 128, 64), 2, transpose_B=transpose_B))
    is_right(kernel, lambda A, B: product(A, B, transpose_B=transpose_B))


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_other_operands(dtype):
    kernel = compiled(gemm(70, 50, 90, (32, 32, 32), 2, dtype=dtype))
    is_right(kernel, product)


def test_float32_is_not_transposed():
    with pytest.raises(tilepipe.KernelError, match=r"must be \[m, k\] and \[n, k\]"):
        compiled(gemm(32, 32, 32, (32, 32, 32), 2, transpose_B=False, dtype="float32")).get_kernel_source()


def test_relu_and_rounding_need_no_vector_core():
    kernel = compiled(gemm(70, 50, 90, (32, 32, 32), 2, out="float16", relu=True))
    source = kernel.get_kernel_source()
    assert "_mix_ai" not in source and "__ubuf__" not in source
    assert re.search(r"copy_matrix_cc_to_gm\(.*F322F16, 1, ", source)
    is_right(kernel, lambda A, B: np.maximum(product(A, B), 0).astype(np.float16))


def vector_add(N, block, dtype):
    @T.prim_func
    def kernel(a: T.Tensor((N,), dtype), b: T.Tensor((N,), dtype), c: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                c[bx * block + i] = a[bx * block + i] + b[bx * block + i]

    return kernel


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_elements_of_global_memory_pass_through_tiles(dtype):
    kernel = compiled(vector_add(T.dynamic("n"), 256, dtype))
    is_right(kernel, lambda a, b: a + b, ({"n": 256}, {"n": 768}))


def softmax_of_one_row(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=128) as bx:
            x = T.alloc_fragment((N,), "float32")
            top, total = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0:N], x)
            T.reduce_max(x, top, dim=0)
            for i in T.Parallel(N):
                x[i] = T.exp(x[i] - top[0])
            T.reduce_sum(x, total, dim=0)
            for i in T.Parallel(N):
                x[i] = x[i] / total[0]
            T.copy(x, Y[bx, 0:N])

    return kernel


def softmax(X):
    e = np.exp(X - X.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@pytest.mark.parametrize("columns", [7, 100, 5000])
def test_one_row_is_reduced_in_levels(columns):
    is_right(compiled(softmax_of_one_row(3, columns)), softmax)


def online_softmax(M, N, num_stages, rows=4, block=32):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x, y = T.alloc_shared((rows, block), "float32"), T.alloc_fragment((rows, block), "float32")
            top, new, total = (T.alloc_fragment((rows,), "float32") for _ in range(3))
            T.fill(top, T.min_value("float32"))
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.if_then_else(ko * block + j < N, x[i, j], -T.infinity("float32"))
                T.copy(top, new)
                T.reduce_max(y, new, dim=1, clear=False)
                for i in T.Parallel(rows):
                    total[i] *= T.exp(top[i] - new[i])
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.exp(y[i, j] - new[i])
                T.copy(new, top)
                T.reduce_sum(y, total, dim=1, clear=False)
            for ko in T.Pipelined(T.ceildiv(N, block), num_stages=num_stages):
                T.copy(X[bx * rows, ko * block], x)
                for i, j in T.Parallel(rows, block):
                    y[i, j] = T.exp(x[i, j] - top[i]) / total[i]
                T.copy(y, Y[bx * rows, ko * block])

    return kernel


@pytest.mark.parametrize("num_stages", [1, 3])
def test_online_softmax(num_stages):
    kernel = compiled(online_softmax(T.dynamic("m"), T.dynamic("n"), num_stages))
    is_right(kernel, softmax, ({"m": 8, "n": 64}, {"m": 5, "n": 101}, {"m": 1, "n": 1}))


def columns_and_choices(M, N):
    """Rows and columns of one value each, sums along both, choices by place and by value."""

    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((M, N), "float32")
            row, column = T.alloc_fragment((N,), "float32"), T.alloc_fragment((M,), "float32")
            T.copy(X, x)
            T.reduce_min(x, column, dim=1)
            T.reduce_abs_max(x, row, dim=0)
            for i, j in T.Parallel(M, N):
                x[i, j] = T.if_then_else(x[i, j] > row[j] * 0.5, x[i, j] - column[i], T.if_then_else(i < 3, 1.0, 2.0))
            T.reduce_sum(x, row, dim=0)
            T.copy(row, Y)

    return kernel


def columns_and_choices_reference(X):
    column, row = X.min(1)[:, None], np.abs(X).max(0)
    other = np.where(np.arange(X.shape[0])[:, None] < 3, np.float32(1), np.float32(2))
    return np.where(X > row * np.float32(0.5), X - column, other).sum(0)


def test_columns_and_choices():
    is_right(compiled(columns_and_choices(16, 96)), columns_and_choices_reference)


def gather(M, N, L):
    @T.prim_func
    def kernel(A: T.Tensor((M, N), "float32"), rows: T.Tensor((L,), "int32"), Y: T.Tensor((L, N), "float32")):
        with T.Kernel(L, threads=32) as bx:
            x = T.alloc_shared((N,), "float32")
            T.copy(A[rows[bx], 0:N], x)
            for j in T.Parallel(N):
                x[j] = x[j] * 2.0
            T.copy(x, Y[bx, 0:N])

    return kernel


def test_a_row_that_is_not_there_reads_as_zeros():
    rows = np.array([0, 2, -1, 3, -4, 1, 2**31 - 1], np.int32)
    A = np.arange(120, dtype=np.float32).reshape(3, 40)
    expected = np.stack([2 * A[r] if 0 <= r < 3 else np.zeros(40, np.float32) for r in rows])
    Y = np.zeros_like(expected)
    report = compiled(gather(3, 40, len(rows))).check(A, rows, Y, seeds=1, reference=lambda A, rows: expected)
    assert report, repr(report)


ARITHMETIC = {
    "i32": ("int32", "int32", lambda x, y: T.max(x + y * 3 - x, y) - 5),
    "i32-f32": ("int32", "float32", lambda x, y: T.cast(x, "float32") * 0.5),
    "f32-i32": ("float32", "int32", lambda x, y: T.cast(x * 1.7, "int32")),
    "f16-f32": ("float16", "float32", lambda x, y: T.cast(x, "float32") * T.cast(y, "float32")),
    "f32-f16": ("float32", "float16", lambda x, y: T.cast(x * y + 0.1, "float16")),
    "f16": ("float16", "float16", lambda x, y: T.max(x * y, x) - y),
    "exp2": ("float32", "float32", lambda x, y: T.exp2(x * 0.25) + y),
    "sqrt-log": ("float32", "float32", lambda x, y: T.sqrt(T.abs(x)) - T.log(T.abs(y) + 1.0)),
    "rsqrt": ("float32", "float32", lambda x, y: T.rsqrt(x * x + 1.0) * (2.0 - y) / 3.0),
    "division": ("float32", "float32", lambda x, y: 1.0 / (T.abs(x) + 2.0) - x / 4.0),
    "min": ("float32", "float32", lambda x, y: T.min(x, 2.0) - T.min(y, x)),
}


def elementwise(dtype, out, function, N=512, block=128):
    @T.prim_func
    def kernel(a: T.Tensor((N,), dtype), b: T.Tensor((N,), dtype), c: T.Tensor((N,), out)):
        with T.Kernel(N // block, threads=32) as bx:
            x, y = T.alloc_shared((block,), dtype), T.alloc_shared((block,), dtype)
            z = T.alloc_fragment((block,), out)
            T.copy(a[bx * block], x)
            T.copy(b[bx * block], y)
            for i in T.Parallel(block):
                z[i] = function(x[i], y[i])
            T.copy(z, c[bx * block])

    return kernel


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name):
    report = compiled(elementwise(*ARITHMETIC[name])).check(seeds=1)
    assert report, repr(report)


def test_the_text_has_the_names_of_the_kernel():
    source = compiled(gemm(70, 50, 90, (32, 32, 32), 2)).get_kernel_source()
    assert "kernel(__gm__ half *A, __gm__ half *B, __gm__ float *C)" in source


@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("shape", [(24, 1), (1, 24), (33, 1), (1, 1), (1, 300)])
def test_reductions_of_one_row_or_column(shape, dim, clear):
    left = shape[1 - dim]

    @T.prim_func
    def kernel(A: T.Tensor((3, *shape), "float32"), B: T.Tensor((3, left), "float32")):
        with T.Kernel(1) as _:
            a, b = T.alloc_shared(shape, "float32"), T.alloc_fragment((left,), "float32")
            T.fill(b, 1)
            for i in T.Pipelined(3, num_stages=2):
                T.copy(A[i, 0, 0], a)
                T.reduce_abs_sum(a, b, dim=dim, clear=clear)
                T.copy(b, B[i, 0])

    def reference(A):
        sums = np.abs(A).sum(1 + dim)
        return sums if clear else 1 + np.cumsum(sums, 0, dtype=np.float32)

    is_right(compiled(kernel), reference)
