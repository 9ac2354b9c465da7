"""Torch tensors, and kernels as operators of torch (by kind the field case EMB-06). Skipped without torch."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import tilepipe
import tilepipe.torch
from runtime_kernels import add_into_func, compile_dynamic_matmul, scale_func


@pytest.fixture(scope="module")
def matmul():
    return compile_dynamic_matmul()


@pytest.fixture(scope="module")
def matmul_op(matmul):
    return tilepipe.torch.register(matmul, "tilepipe_test::matmul")


@pytest.fixture(scope="module")
def add_op():
    return tilepipe.torch.register(tilepipe.compile(add_into_func()), "tilepipe_test::add_into")


def test_kernels_take_torch_tensors(matmul):
    a, b = torch.randn(33, 20), torch.randn(20, 7)
    c = matmul(a, b)
    assert isinstance(c, torch.Tensor) and c.device == a.device
    torch.testing.assert_close(c, a @ b, atol=1e-4, rtol=1e-4)


def test_errors_of_torch_tensors(matmul):
    with pytest.raises(tilepipe.KernelError, match="argument 'A' is on device 'meta', the kernel runs on the cpu"):
        matmul(torch.empty(4, 4, device="meta"), torch.ones(4, 4))
    with pytest.raises(tilepipe.KernelError, match="argument 'A' has dtype float64, the kernel expects float32"):
        matmul(torch.ones(4, 4, dtype=torch.float64), torch.ones(4, 4))
    with pytest.raises(tilepipe.KernelError, match=r"argument 'A' has strides \(1, 4\)"):
        matmul(torch.ones(4, 4).t(), torch.ones(4, 4))


def test_traces_as_one_graph(matmul_op):
    def model(a, b):
        return torch.relu(torch.ops.tilepipe_test.matmul(a, b) * 2) + 1

    compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
    for m, k, n in ((3, 5, 7), (40, 33, 18)):
        a, b = torch.randn(m, k), torch.randn(k, n)
        torch.testing.assert_close(compiled(a, b), torch.relu(a @ b * 2) + 1, atol=1e-4, rtol=1e-4)


def test_inductor(matmul_op):
    compiled = torch.compile(lambda a, b: matmul_op(a.t(), b).sum(0), fullgraph=True)
    a, b = torch.randn(33, 20), torch.randn(33, 7)
    torch.testing.assert_close(compiled(a, b), (a.t() @ b).sum(0), atol=1e-3, rtol=1e-3)


def test_mutated_arguments_under_the_compiler(add_op):
    assert "Tensor(a1!) Y" in str(add_op._opoverload._schema)

    def step(x, y):
        before = y.sum()
        torch.ops.tilepipe_test.add_into(x * 2, y)
        return before, y.sum()

    x, y = torch.randn(50), torch.randn(50)
    want_y, want = y + 2 * x, (y.sum(), (y + 2 * x).sum())
    got = torch.compile(step, fullgraph=True, backend="aot_eager")(x, y)
    torch.testing.assert_close(y, want_y)
    torch.testing.assert_close(got, want)


def test_operators_pass_the_checks_of_torch(matmul_op, add_op):
    torch.library.opcheck(matmul_op._opoverload, (torch.randn(5, 6), torch.randn(6, 7)))
    torch.library.opcheck(add_op._opoverload, (torch.randn(9), torch.randn(9)))


def test_scalars_and_meta_tensors():
    op = tilepipe.torch.register(tilepipe.compile(scale_func(), out_idx=-1), "tilepipe_test::scale")
    x = torch.randn(40)
    torch.testing.assert_close(op(x, 2.5), x * 2.5)
    assert op(x.to("meta"), 2.5).shape == (40,)
    with pytest.raises(Exception, match="a size is not 40"):
        op(torch.empty(41, device="meta"), 2.5)
    with pytest.raises(Exception, match="has dtype torch.float64, the kernel expects float32"):
        op(torch.empty(40, device="meta", dtype=torch.float64), 2.5)


def test_mistakes_of_the_caller(matmul):
    with pytest.raises(tilepipe.KernelError, match="expected a compiled kernel, got function"):
        tilepipe.torch.register(lambda: None, "tilepipe_test::nothing")
    with pytest.raises(tilepipe.KernelError, match="has no argument 'C' to mutate"):
        tilepipe.torch.register(matmul, "tilepipe_test::other", mutates=["C"])


def test_example():
    """`examples/python/torch_module.py`: linear layers and attention against torch."""
    import importlib.util
    import pathlib

    path = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python" / "torch_module.py"
    spec = importlib.util.spec_from_file_location("torch_module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(backend="aot_eager")


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "bfloat16"])
def test_narrow_floats(name):
    import tilepipe.language as T

    @T.prim_func
    def half(A: T.Tensor((4, 8), name), B: T.Tensor((4, 8), name), C: T.Tensor((4, 8), "float32")):
        with T.Kernel(4) as i:
            for j in T.serial(8):
                B[i, j] = A[i, j] / 2
                C[i, j] = A[i, j]

    a = torch.randn(4, 8).to(getattr(torch, name))
    b, c = tilepipe.compile(half, out_idx=[1, 2], target="cpu")(a)
    assert b.dtype == a.dtype and (b.float() == (a.float() / 2).to(a.dtype).float()).all() and (c == a.float()).all()


def test_packed_int4():
    import tilepipe.language as T

    n = T.dynamic("n")

    @T.prim_func
    def unpack(W: T.Tensor((n, 8), "int4"), B: T.Tensor((n, 8), "int8")):
        with T.Kernel(n) as i:
            w, b = T.alloc_shared((1, 8), "int4"), T.alloc_shared((1, 8), "int8")
            T.copy(W[i, 0], w)
            T.copy(w, b)
            T.copy(b, B[i, 0])

    w = torch.randint(-8, 8, (5, 8), dtype=torch.int8)
    op = tilepipe.torch.register(tilepipe.compile(unpack, out_idx=[1], target="cpu"), "tilepipe_test::unpack")
    packed = (w[:, ::2] & 15) | (w[:, 1::2] << 4)
    assert (op(packed) == w).all()
    torch.library.opcheck(op, (packed,))


def test_nothing_is_said_when_the_process_ends():
    import os
    import subprocess
    import sys

    code = """if True:
        import torch, tilepipe.torch
        from runtime_kernels import compile_dynamic_matmul
        op = tilepipe.torch.register(compile_dynamic_matmul(), "quiet::matmul")
        op(torch.ones(4, 4), torch.ones(4, 4))
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "leaked" not in done.stderr, done.stderr
