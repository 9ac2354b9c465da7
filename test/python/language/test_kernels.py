"""Kernels of many kinds on the CPU target, against numpy: serial and pipelined, with tails."""

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T

rng = np.random.default_rng(7)


def run(kernel, *args, out_idx=(-1,)):
    return tilepipe.compile(kernel, out_idx=list(out_idx), target="cpu")(*args)


def close(got, want, tolerance=1e-5):
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n", [1, 64, 100])
def test_elementwise_with_a_tail(n):
    @T.prim_func
    def kernel(A: T.Tensor((n, 70), "float32"), B: T.Tensor((n, 70), "float32"), C: T.Tensor((n, 70), "float32")):
        with T.Kernel(T.ceildiv(n, 32), T.ceildiv(70, 32), threads=128) as (bx, by):
            a, b = T.alloc_shared((32, 32), "float32"), T.alloc_shared((32, 32), "float32")
            T.copy(A[bx * 32, by * 32], a)
            T.copy(B[bx * 32, by * 32], b)
            for i, j in T.Parallel(32, 32):
                a[i, j] = T.exp(a[i, j]) * b[i, j] - T.sqrt(T.abs(b[i, j]))
            T.copy(a, C[bx * 32, by * 32])

    a, b = (rng.standard_normal((n, 70)).astype(np.float32) for _ in range(2))
    close(run(kernel, a, b), np.exp(a) * b - np.sqrt(np.abs(b)))


@pytest.mark.parametrize("stages", [0, 2, 3])
@pytest.mark.parametrize("m, n, k", [(64, 64, 64), (50, 33, 70)])
def test_gemm_variants(m, n, k, stages):
    def make(ta, tb, accumulate):
        a_shape, b_shape = (k, m) if ta else (m, k), (n, k) if tb else (k, n)

        @T.prim_func
        def kernel(A: T.Tensor(a_shape, "float32"), B: T.Tensor(b_shape, "float32"), C: T.Tensor((m, n), "float32")):
            with T.Kernel(T.ceildiv(n, 32), T.ceildiv(m, 32)) as (bx, by):
                a = T.alloc_shared((16, 32) if ta else (32, 16), "float32")
                b = T.alloc_shared((32, 16) if tb else (16, 32), "float32")
                c = T.alloc_fragment((32, 32), "float32")
                if accumulate:
                    T.fill(c, 1.0)
                else:
                    T.clear(c)
                for ko in T.Pipelined(T.ceildiv(k, 16), num_stages=stages):
                    if ta:
                        T.copy(A[ko * 16, by * 32], a)
                    else:
                        T.copy(A[by * 32, ko * 16], a)
                    if tb:
                        T.copy(B[bx * 32, ko * 16], b)
                    else:
                        T.copy(B[ko * 16, bx * 32], b)
                    T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
                T.copy(c, C[by * 32, bx * 32])

        return kernel

    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    for ta, tb, acc in ((False, False, False), (True, False, True), (False, True, False), (True, True, False)):
        got = run(make(ta, tb, acc), np.ascontiguousarray(a.T) if ta else a, np.ascontiguousarray(b.T) if tb else b)
        close(got, a @ b + (1 if acc else 0), 1e-4)


def test_dynamic_shapes():
    M, N = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def scale(A: T.Tensor((M, N), "float32"), s: T.float32, B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), T.ceildiv(N, 16)) as (bx, by):
            tile = T.alloc_shared((16, 16), "float32")
            T.copy(A[bx * 16, by * 16], tile)
            for i, j in T.Parallel(16, 16):
                tile[i, j] = tile[i, j] * s
            T.copy(tile, B[bx * 16, by * 16])

    kernel = tilepipe.compile(scale, out_idx=[-1], target="cpu")
    for shape in ((1, 1), (16, 16), (33, 7), (5, 100)):
        a = rng.standard_normal(shape).astype(np.float32)
        close(kernel(a, 2.5), a * np.float32(2.5))


@pytest.mark.parametrize("stages", [0, 3])
def test_softmax_rows(stages):
    rows, columns, block = 10, 100, 32

    @T.prim_func
    def softmax(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows) as bx:
            x = T.alloc_shared((1, block), "float32")
            part = T.alloc_fragment((1,), "float32")
            top, total = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            T.fill(top, -T.infinity("float32"))
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(columns, block), num_stages=stages):
                T.copy(X[bx, ko * block], x)
                for i, j in T.Parallel(1, block):
                    x[i, j] = T.if_then_else(ko * block + j < columns, x[i, j], -T.infinity("float32"))
                T.reduce_max(x, part, dim=1)
                for i in T.Parallel(1):
                    old = top[i]
                    top[i] = T.max(top[i], part[i])
                    total[i] = total[i] * T.exp(old - top[i])
                for i, j in T.Parallel(1, block):
                    x[i, j] = T.exp(x[i, j] - top[i])
                T.reduce_sum(x, part, dim=1)
                for i in T.Parallel(1):
                    total[i] = total[i] + part[i]
            for ko in T.serial(T.ceildiv(columns, block)):
                T.copy(X[bx, ko * block], x)
                for i, j in T.Parallel(1, block):
                    x[i, j] = T.exp(x[i, j] - top[i]) / total[i]
                T.copy(x, Y[bx, ko * block])

    x = rng.standard_normal((rows, columns)).astype(np.float32) * 4
    e = np.exp(x - x.max(1, keepdims=True))
    close(run(softmax, x), e / e.sum(1, keepdims=True))


@pytest.mark.parametrize("kind, reference", [
    ("sum", lambda x: x.sum(1)), ("max", lambda x: x.max(1)), ("min", lambda x: x.min(1)),
    ("abs_max", lambda x: np.abs(x).max(1)), ("abs_sum", lambda x: np.abs(x).sum(1)),
])
def test_reductions(kind, reference):
    reduce = getattr(T, f"reduce_{kind}")

    @T.prim_func
    def kernel(X: T.Tensor((8, 24), "float32"), Y: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            x, y = T.alloc_shared((8, 24), "float32"), T.alloc_fragment((8,), "float32")
            T.copy(X, x)
            reduce(x, y, dim=1)
            T.copy(y, Y)

    x = rng.standard_normal((8, 24)).astype(np.float32)
    close(run(kernel, x), reference(x), 1e-4)


def test_cumsum_and_atomics():
    @T.prim_func
    def kernel(X: T.Tensor((4, 16), "float32"), I: T.Tensor((64,), "int32"), Y: T.Tensor((4, 16), "float32"),
               H: T.Tensor((8,), "int32")):
        with T.Kernel(4) as bx:
            x, bins = T.alloc_shared((4, 16), "float32"), T.alloc_shared((16,), "int32")
            if bx == 0:
                T.copy(X, x)
                T.cumsum(x, dim=1)
                T.copy(x, Y)
            T.copy(I[bx * 16], bins)
            for i in T.Parallel(16):
                T.atomic_add(H[bins[i]], 1)

    x = rng.standard_normal((4, 16)).astype(np.float32)
    index = rng.integers(0, 8, 64).astype(np.int32)
    y, h = np.zeros_like(x), np.zeros(8, np.int32)
    tilepipe.compile(kernel, target="cpu")(x, index, y, h)
    close(y, np.cumsum(x, 1), 1e-4)
    assert (h == np.bincount(index, minlength=8)).all()


def test_control_flow_and_variables():
    @T.prim_func
    def collatz(N: T.Tensor((16,), "int32"), S: T.Tensor((16,), "int32")):
        with T.Kernel(16) as bx:
            n, steps = T.alloc_var("int32", 0), T.alloc_var("int32", 0)
            n = N[bx]
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps = steps + 1
            S[bx] = steps

    def reference(n):
        count = 0
        while n != 1:
            n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
        return count

    n = np.arange(1, 17, dtype=np.int32)
    assert (run(collatz, n) == [reference(int(v)) for v in n]).all()


def test_python_semantics_of_integers():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32"), Q: T.Tensor((8, 4), "int32")):
        with T.Kernel(8) as i:
            Q[i, 0] = A[i] // B[i]
            Q[i, 1] = A[i] % B[i]
            Q[i, 2] = (A[i] << 2) ^ (B[i] & 3)
            Q[i, 3] = T.max(A[i], B[i]) if A[i] > 0 and B[i] > 0 else T.min(A[i], B[i])

    a = np.array([7, -7, 7, -7, 5, -1, 0, 9], np.int32)
    b = np.array([2, 2, -2, -2, 5, 3, 4, -9], np.int32)
    got = run(kernel, a, b)
    assert (got[:, 0] == a // b).all() and (got[:, 1] == a % b).all()
    assert (got[:, 2] == ((a << 2) ^ (b & 3))).all()
    assert (got[:, 3] == np.where((a > 0) & (b > 0), np.maximum(a, b), np.minimum(a, b))).all()


def test_casts_and_half_types():
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @T.prim_func
    def kernel(A: T.Tensor((32,), "float32"), H: T.Tensor((32,), "float16"), B: T.Tensor((32,), "bfloat16"),
               I: T.Tensor((32,), "int8")):
        with T.Kernel(1):
            for i in T.Parallel(32):
                H[i] = A[i]
                B[i] = T.cast(A[i], "bfloat16")
                I[i] = T.int8(A[i])

    a = (rng.standard_normal(32) * 20).astype(np.float32)
    h, b, i = run(kernel, a, out_idx=(1, 2, 3))
    assert (h == a.astype(np.float16)).all() and (i == a.astype(np.int8)).all()
    assert (np.asarray(b) == a.astype(ml_dtypes.bfloat16)).all()


def test_macro_closure_and_unroll():
    scale, shifts = 3.0, [1.0, 2.0, 4.0]

    @T.macro
    def affine(value, factor=scale):
        return value * factor + 1.0

    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(16):
                total = affine(A[i])
                for s in shifts:
                    total = total + s
                for k in T.unroll(3):
                    total = total + k
                B[i] = total

    a = rng.standard_normal(16).astype(np.float32)
    close(run(kernel, a), a * 3 + 1 + 7 + 3)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("stages", [0, 2])
def test_flash_attention(causal, stages):
    length, dim, block = 80, 16, 32

    @T.prim_func
    def attention(Q: T.Tensor((length, dim), "float32"), K: T.Tensor((length, dim), "float32"),
                  V: T.Tensor((length, dim), "float32"), O: T.Tensor((length, dim), "float32")):
        with T.Kernel(T.ceildiv(length, block)) as bx:
            q, k, v = (T.alloc_shared((block, dim), "float32") for _ in range(3))
            s, p = T.alloc_fragment((block, block), "float32"), T.alloc_shared((block, block), "float32")
            o = T.alloc_fragment((block, dim), "float32")
            top, new, total, part = (T.alloc_fragment((block,), "float32") for _ in range(4))
            T.copy(Q[bx * block, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for ko in T.Pipelined(T.ceildiv(length, block), num_stages=stages):
                T.copy(K[ko * block, 0], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block, block):
                    valid = ko * block + j < length
                    if causal:
                        valid = valid & (ko * block + j <= bx * block + i)
                    s[i, j] = T.if_then_else(valid, s[i, j], -1e30)
                T.reduce_max(s, new, dim=1)
                for i in T.Parallel(block):
                    new[i] = T.max(new[i], top[i])
                    total[i] = total[i] * T.exp(top[i] - new[i])
                for i, j in T.Parallel(block, dim):
                    o[i, j] = o[i, j] * T.exp(top[i] - new[i])
                for i, j in T.Parallel(block, block):
                    p[i, j] = T.exp(s[i, j] - new[i])
                T.reduce_sum(p, part, dim=1)
                for i in T.Parallel(block):
                    total[i] = total[i] + part[i]
                    top[i] = new[i]
                T.copy(V[ko * block, 0], v)
                T.gemm(p, v, o)
            for i, j in T.Parallel(block, dim):
                o[i, j] = o[i, j] / total[i]
            T.copy(o, O[bx * block, 0])

    q, k, v = (rng.standard_normal((length, dim)).astype(np.float32) for _ in range(3))
    scores = q @ k.T
    if causal:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    close(run(attention, q, k, v), weights @ v / weights.sum(1, keepdims=True), 1e-4)
