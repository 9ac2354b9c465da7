"""Elements outside of tensors: read as zero, never written. On all targets, for sizes that no block divides."""

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.targets import is_built

ALL = [t for t in ("cpu", "cuda:sm_80", "ascend:dav-2201") if is_built(t.split(":")[0])]
SCALAR = [t for t in ALL if not t.startswith("ascend")]
PAD = 64
RNG = np.random.default_rng(11)


def fenced(shape, dtype="float32", fill=None):
    """An array in the middle of memory whose ends tell whether somebody wrote there."""
    size = int(np.prod(shape))
    memory = np.full(size + 2 * PAD, 77, dtype)
    inside = memory[PAD : PAD + size].reshape(shape)
    inside[...] = RNG.integers(-8, 9, shape) if fill is None else fill
    return inside


def is_fenced(array):
    base = array if array.base is None else array.base
    return bool((base[:PAD] == 77).all() and (base[len(base) - PAD :] == 77).all())


def run(func, target, *args):
    """Calls the kernel, in the emulator where it is for another machine, and looks at the ends of its arrays."""
    kernel = tilepipe.compile(func, target=target)
    if kernel.backend.runs_here:
        kernel(*args)
    else:
        kernel.emulate(*args)
    assert all(is_fenced(a) for a in args if isinstance(a, np.ndarray))


def clipped(values, start, count):
    """``count`` elements from ``start`` on, zeros where there are none."""
    places = np.arange(start, start + count)
    inside = (places >= 0) & (places < len(values))
    return np.where(inside, values[np.clip(places, 0, len(values) - 1)], 0) if len(values) else np.zeros(count)


def size_of(n, is_dynamic, name="n"):
    return T.dynamic(name) if is_dynamic else n


def scale(n, is_dynamic=False, guard=None, block=16):
    N = size_of(n, is_dynamic)

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=32) as bx:
            for i in T.Parallel(block):
                if guard == "store":
                    if bx * block + i < N:
                        Y[bx * block + i] = 2.0 * X[bx * block + i]
                elif guard == "load":
                    Y[bx * block + i] = 2.0 * T.if_then_else(bx * block + i < N, X[bx * block + i], 0.0)
                elif guard == "continue":
                    if bx * block + i >= N:
                        continue
                    Y[bx * block + i] = 2.0 * X[bx * block + i]
                elif guard == "both ends":
                    if 0 <= bx * block + i and bx * block + i < N:
                        Y[bx * block + i] = 2.0 * X[bx * block + i]
                else:
                    Y[bx * block + i] = 2.0 * X[bx * block + i]

    return kernel


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("guard", [None, "store", "load", "both ends", "continue"])
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_tail_of_a_vector(target, guard, is_dynamic):
    for n in (1, 15, 16, 97) if target != "ascend:dav-2201" else (97,):
        x, y = fenced((n,)), fenced((n,), fill=5)
        run(scale(n, is_dynamic, guard), target, x, y)
        np.testing.assert_array_equal(y, 2 * x)


def plane(m, n, is_dynamic, guard):
    M, N = size_of(m, is_dynamic, "m"), size_of(n, is_dynamic, "n")

    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 8), threads=64) as (bx, by):
            for i, j in T.Parallel(8, 16):
                if guard:
                    if by * 8 + i < M and bx * 16 + j < N:
                        Y[by * 8 + i, bx * 16 + j] = X[by * 8 + i, bx * 16 + j] + 1.0
                else:
                    Y[by * 8 + i, bx * 16 + j] = X[by * 8 + i, bx * 16 + j] + 1.0

    return kernel


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_tail_of_a_plane(target, guard, is_dynamic):
    for m, n in ((13, 29), (8, 17), (3, 48)) if target != "ascend:dav-2201" else ((13, 29),):
        x, y = fenced((m, n)), fenced((m, n), fill=5)
        run(plane(m, n, is_dynamic, guard), target, x, y)
        np.testing.assert_array_equal(y, x + 1)


@pytest.mark.parametrize("target", ALL)
def test_rows_of_sums(target):
    """Rows that do not exist are zero: maxima of what does exist are not changed by negative neighbours."""
    M, N = 13, 29

    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 8), threads=64) as by:
            s, r = T.alloc_fragment((8, 32), "float32"), T.alloc_fragment((8,), "float32")
            for i, j in T.Parallel(8, 32):
                s[i, j] = X[by * 8 + i, j]
            T.reduce_sum(s, r, dim=1)
            for i in T.Parallel(8):
                Y[by * 8 + i] = r[i]

    x, y = fenced((M, N)), fenced((M,), fill=5)
    run(kernel, target, x, y)
    np.testing.assert_array_equal(y, x.sum(1))


@pytest.mark.parametrize("target", SCALAR)
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_halo(target, is_dynamic):
    """Neighbours on both sides: indices from -3 on."""
    n = 45
    N = size_of(n, is_dynamic)

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 16), threads=32) as bx:
            for i in T.Parallel(16):
                Y[bx * 16 + i] = X[bx * 16 + i - 3] + 10.0 * X[bx * 16 + i + 3]

    x, y = fenced((n,)), fenced((n,), fill=5)
    run(kernel, target, x, y)
    np.testing.assert_array_equal(y, clipped(x, -3, n) + 10 * clipped(x, 3, n))


@pytest.mark.parametrize("target", ALL)
def test_serial_loop(target):
    N = 21

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32"), Z: T.Tensor((1,), "float32")):
        with T.Kernel(T.ceildiv(N, 16), threads=32) as bx:
            for i in T.serial(16):
                Y[bx * 16 + i] = X[bx * 16 + i] + X[bx * 16 + 15 - i]
            if bx == 0:
                Z[0] = X[bx * 16 + 40]

    x, y, z = fenced((N,)), fenced((N,), fill=5), fenced((1,), fill=5)
    run(kernel, target, x, y, z)
    mirrored = np.concatenate([clipped(x, 0, 16)[::-1], clipped(x, 16, 16)[::-1]])[:N]
    np.testing.assert_array_equal(y, x + mirrored)
    assert z[0] == 0


@pytest.mark.parametrize("target", SCALAR)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_gather_and_scatter(target, dtype):
    """Indices from memory, with the largest and smallest numbers among them."""
    N, K = 20, 37
    info = np.iinfo(dtype)

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), I: T.Tensor((K,), dtype), Y: T.Tensor((K,), "float32"),
               Z: T.Tensor((N,), "float32")):  # fmt: skip
        with T.Kernel(T.ceildiv(K, 16), threads=32) as bx:
            for i in T.Parallel(16):
                if bx * 16 + i < K:
                    Y[bx * 16 + i] = X[I[bx * 16 + i]]
                    Z[I[bx * 16 + i]] = 1.0

    x, y, z = fenced((N,)), fenced((K,), fill=5), fenced((N,), fill=0)
    # No place twice: blocks write in no order.
    at = fenced((K,), dtype, RNG.permutation(np.concatenate([np.arange(-8, N + 7), [info.min, info.max]])))
    run(kernel, target, x, at, y, z)
    inside = (at >= 0) & (at < N)
    np.testing.assert_array_equal(y, np.where(inside, x[np.where(inside, at, 0)], 0))
    expected = np.zeros(N, np.float32)
    expected[at[inside]] = 1
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("target", ALL)
def test_gather_one_by_one(target):
    N = 20

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), I: T.Tensor((8,), "int32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            for k in T.serial(8):
                Y[I[k]] = 2.0 * X[I[k]]

    x, y = fenced((N,)), fenced((N,), fill=5)
    at = fenced((8,), "int32", np.array([-1, N, 2**31 - 1, -(2**31), 0, N - 1, 7, 8]))
    run(kernel, target, x, at, y)
    expected = np.full(N, 5, np.float32)
    for k in (0, N - 1, 7, 8):
        expected[k] = 2 * x[k]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("target", SCALAR)
def test_guard_that_wraps_around(target):
    """A condition on `k + 1` says nothing of `k`, which may be the largest number there is."""
    N = 20

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), I: T.Tensor((4,), "int64"), Y: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                if I[i] + 1 < N:
                    Y[i] = X[I[i] + 1]
                    Y[i] = Y[i] + X[I[i]]

    x, y = fenced((N,)), fenced((4,), fill=0)
    at = fenced((4,), "int64", np.array([2**63 - 1, -(2**63), 5, -1]))
    run(kernel, target, x, at, y)
    np.testing.assert_array_equal(y, [0, 0, x[6] + x[5], x[0]])


@pytest.mark.parametrize("target", SCALAR)
@pytest.mark.parametrize("start", [-3, 0, 15, 100])
def test_atomics(target, start):
    N = 20

    @T.prim_func
    def kernel(X: T.Tensor((16,), "float32"), s: T.int32, Y: T.Tensor((N,), "float32"), Z: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.alloc_fragment((16,), "float32")
            T.copy(X, t)
            for i in T.Parallel(16):
                T.atomic_add(Y[s + i], X[i])
            T.atomic_add(Z[s], t)

    x, y, z = fenced((16,)), fenced((N,), fill=1), fenced((N,), fill=1)
    run(kernel, target, x, start, y, z)
    expected = np.ones(N, np.float32)
    for i in range(16):
        if 0 <= start + i < N:
            expected[start + i] += x[i]
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("start", [-20, -8, 0, 16, 24, 100, 2**31 - 1])
def test_copies_that_start_anywhere(target, start):
    if target.startswith("ascend") and start < 0:
        pytest.skip("offsets along a row may not be negative: a located error")
    N = 20

    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), s: T.int32, Y: T.Tensor((16,), "float32"), Z: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.alloc_shared((16,), "float32")
            T.copy(X[T.max(s, 0) if target.startswith("ascend") else s], t)
            T.copy(t, Y)
            T.copy(t, Z[T.max(s, 0) if target.startswith("ascend") else s])

    x, y, z = fenced((N,)), fenced((16,), fill=5), fenced((N,), fill=5)
    run(kernel, target, x, start, y, z)
    np.testing.assert_array_equal(y, clipped(x, start, 16))
    expected = np.full(N, 5, np.float32)
    for i in range(16):
        if 0 <= start + i < N:
            expected[start + i] = x[start + i]
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("target", SCALAR)
@pytest.mark.parametrize("start", [-20, -3, 0, 12, 100])
def test_fills_of_regions(target, start):
    N = 20

    @T.prim_func
    def kernel(s: T.int32, Y: T.Tensor((N,), "float32"), Z: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.alloc_shared((16,), "float32")
            T.fill(Y[s : s + 16], 3.0)
            T.clear(t)
            T.fill(t[s : s + 8], 4.0)
            T.copy(t, Z)

    y, z = fenced((N,), fill=5), fenced((16,), fill=5)
    run(kernel, target, start, y, z)
    expected, tile = np.full(N, 5, np.float32), np.zeros(16, np.float32)
    for i in range(16):
        if 0 <= start + i < N:
            expected[start + i] = 3
        if i < 8 and 0 <= start + i < 16:
            tile[start + i] = 4
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(z, tile)


@pytest.mark.parametrize("target", SCALAR)
def test_tensors_without_elements(target):
    n = T.dynamic("n")

    @T.prim_func
    def kernel(X: T.Tensor((n,), "float32"), E: T.Tensor((0, 4), "float32"), Y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                Y[i] = X[i] + E[i, 2] + 1.0

    y = fenced((8,), fill=5)
    run(kernel, target, np.zeros(0, np.float32), np.zeros((0, 4), np.float32), y)
    np.testing.assert_array_equal(y, np.ones(8))


@pytest.mark.parametrize("target", SCALAR)
@pytest.mark.parametrize("num_stages", [0, 2, 3])
def test_inside_of_a_pipeline(target, num_stages):
    """Elements that are copied one by one, the last steps beyond the tensor."""
    M, K = 19, 41

    @T.prim_func
    def kernel(X: T.Tensor((M, K), "float32"), W: T.Tensor((K,), "float32"), Y: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 8), threads=32) as by:
            s, r = T.alloc_shared((8, 16), "float32"), T.alloc_fragment((8,), "float32")
            T.clear(r)
            for ko in T.Pipelined(T.ceildiv(K, 16), num_stages=num_stages):
                for i, k in T.Parallel(8, 16):
                    s[i, k] = X[by * 8 + i, ko * 16 + k]
                for i in T.Parallel(8):
                    for k in T.serial(16):
                        r[i] = r[i] + s[i, k] * W[ko * 16 + k]
            for i in T.Parallel(8):
                Y[by * 8 + i] = r[i]

    x, w, y = fenced((M, K)), fenced((K,)), fenced((M,), fill=5)
    run(kernel, target, x, w, y)
    np.testing.assert_array_equal(y, x @ w)
    if num_stages:
        assert tilepipe.compile(kernel, target=target).check(x, w, y, seeds=1)


@pytest.mark.parametrize("target", SCALAR)
def test_negative_constants_count_from_the_end(target):
    n = T.dynamic("n")

    @T.prim_func
    def kernel(X: T.Tensor((5,), "float32"), Z: T.Tensor((n,), "float32"), Y: T.Tensor((3,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.alloc_shared((4,), "float32")
            for i in T.Parallel(4):
                t[i] = X[i]
            Y[0] = X[-1]
            Y[1] = Z[-2]
            Y[-1] = t[-4]

    x, z, y = fenced((5,)), fenced((7,)), fenced((3,), fill=5)
    run(kernel, target, x, z, y)
    np.testing.assert_array_equal(y, [x[4], z[5], x[0]])


# Tiles ------------------------------------------------------------------------------------------------------------


def looks_up(K=16, size=16):
    @T.prim_func
    def kernel(X: T.Tensor((size,), "float32"), I: T.Tensor((K,), "int32"), Y: T.Tensor((K,), "float32")):
        with T.Kernel(2, threads=32) as bx:
            t = T.alloc_shared((size,), "float32")
            T.copy(X, t)
            for i in T.Parallel(8):
                Y[bx * 8 + i] = t[I[bx * 8 + i]]  # here

    return kernel


@pytest.mark.parametrize("target", SCALAR)
def test_index_of_a_tile_inside(target):
    x, y, at = fenced((16,)), fenced((16,)), fenced((16,), "int32", RNG.integers(0, 16, 16))
    run(looks_up(), target, x, at, y)
    np.testing.assert_array_equal(y, x[at])


@pytest.mark.parametrize("index", [16, -1, 2**31 - 1, -(2**31)])
def test_index_of_a_tile_outside_is_an_error_on_the_cpu(index):
    kernel = tilepipe.compile(looks_up(), target="cpu")
    x, y, at = fenced((16,)), fenced((16,), fill=5), fenced((16,), "int32", 3)
    at[4] = index
    with pytest.raises(tilepipe.KernelError) as caught:
        kernel(x, at, y)
    assert caught.value.message == f"index {index} of dimension 0 is out of range, 't' has 16 elements there"
    assert "# here" in str(caught.value) and "note: the buffer" in str(caught.value)
    # The other block has run.
    np.testing.assert_array_equal(y[8:], x[3])
    assert is_fenced(y)


def test_places_of_such_errors_come_from_this_source(tmp_path):
    """A cached program says where the access stands now."""
    text = (
        "import tilepipe\nimport tilepipe.language as T\n{blank}@T.prim_func\n"
        "def kernel(I: T.Tensor((4,), 'int32'), Y: T.Tensor((4,), 'int32')):\n    with T.Kernel(1):\n"
        "        t = T.alloc_shared((4,), 'int32')\n        T.clear(t)\n        for i in T.Parallel(4):\n"
        "            Y[i] = t[I[i]]\n"
    )
    for blank in ("", "\n\n\n"):
        file = tmp_path / f"kernel{len(blank)}.py"
        file.write_text(text.format(blank=blank))
        space = {}
        exec(compile(file.read_text(), str(file), "exec"), space)
        with pytest.raises(tilepipe.KernelError) as caught:
            tilepipe.compile(space["kernel"], target="cpu")(np.full(4, 9, np.int32), np.zeros(4, np.int32))
        assert caught.value.location.line == 9 + len(blank)


@pytest.mark.parametrize("target", ALL)
def test_index_that_must_leave_the_tile(target):
    @T.prim_func
    def kernel(X: T.Tensor((16,), "float32"), Y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.alloc_shared((16,), "float32")
            T.copy(X, t)
            for i in T.Parallel(16):
                Y[i] = t[i + 8]  # here

    with pytest.raises(tilepipe.KernelError) as caught:
        tilepipe.compile(kernel, target=target)
    assert caught.value.message == "the read of an element: index of dimension 0 is 8 to 23, but 't' has 16 elements there"
    assert "# here" in str(caught.value) and "note: the buffer" in str(caught.value)


def test_accesses_that_are_inside_cost_nothing():
    """Not a comparison in kernels whose blocks divide their tensors; one for the tail of each dimension else."""
    def guards(func):
        text = tilepipe.compile(func, target="cpu").ir("injected")
        from tilepipe import ir
        from tilepipe.passmanager import PassManager

        module = ir.Module.parse(text, context=ir.Context())
        PassManager.parse("builtin.module(tile-guard-accesses,canonicalize,cse)", context=module.context).run(module.operation)
        return str(module).count("arith.cmpi")

    assert guards(scale(96)) == 0
    assert guards(scale(97)) == 1
    assert guards(scale(97, is_dynamic=True)) == 1
    assert guards(scale(97, is_dynamic=True, guard="store")) == 1
    assert guards(plane(16, 32, False, False)) == 0
    assert guards(plane(16, 33, False, False)) == 1
    assert guards(plane(15, 33, True, False)) == 2


@pytest.mark.skipif("cuda:sm_80" not in ALL, reason="this build has no target cuda")
def test_guards_leave_vectors_whole():
    """Where the end of the tensor lies between groups of four, a group is loaded at once or not at all."""
    for guard in (None, "store"):
        text = tilepipe.compile(scale(1000, guard=guard, block=512), target="cuda:sm_80").get_kernel_source()
        assert "ld.global.v4" in text.replace(".b32", "") and "st.global.v4" in text.replace(".b32", ""), text
    text = tilepipe.compile(scale(1001, block=512), target="cuda:sm_80").get_kernel_source()
    assert ".v4" not in text
