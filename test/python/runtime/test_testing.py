"""`tilepipe.testing.assert_matches` accepts what is right and says what is wrong."""

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from runtime_kernels import add_into_func, compile_dynamic_matmul, matmul_func, scale_func
from tilepipe.testing import assert_matches


def test_dynamic_shapes_with_tails():
    seen = []

    def reference(a, b):
        seen.append((*a.shape, b.shape[1]))
        return a @ b

    assert_matches(compile_dynamic_matmul(), reference, shapes={"m": (1, 70), "k": [5, 16, 33]}, trials=8)
    assert seen[0][:2] == (1, 5) and seen[1][:2] == (70, 33)
    assert len(set(seen)) == 8 and any(m % 32 for m, _, _ in seen[2:]) and {k for _, k, _ in seen} <= {5, 16, 33}


def test_factory_scalars_and_fixed_arguments():
    assert_matches(tilepipe.jit(out_idx=[-1])(matmul_func), lambda a, b: a @ b,
                   shapes={"M": (1, 40), "N": (1, 40), "K": (1, 40)}, trials=4, stages=2)  # fmt: skip
    assert_matches(lambda n: scale_func((n,)), lambda x, s: x * np.float32(s), shapes={"n": (1, 99)}, out_idx=[-1])


def test_in_place():
    def reference(x, y):
        y += x

    assert_matches(add_into_func(), reference)


def test_inputs_by_name():
    @T.prim_func
    def gather(X: T.Tensor((50,), "float32"), index: T.Tensor((20,), "int32"), Y: T.Tensor((20,), "float32")):
        with T.Kernel(20) as i:
            Y[i] = X[index[i]]

    make = {"index": lambda rng, shape: rng.integers(0, 50, shape).astype(np.int32)}
    assert_matches(gather, lambda x, index: x[index], inputs=make, out_idx=-1)


def test_message_says_where_and_whether_pipelining_matters():
    def wrong(a, b):
        c = a @ b
        c[0, -1] += 1
        return c

    with pytest.raises(AssertionError) as caught:
        assert_matches(compile_dynamic_matmul(), wrong, shapes={"m": (7, 7), "n": (9, 9), "k": (5, 5)}, seed=3)
    text = str(caught.value)
    assert text.startswith("kernel 'matmul' with m=7, k=5, n=9 (seed 3), argument 'C': 1 of 63 elements differ")
    assert "most at [0, 8]: the kernel gives" in text and "(tolerance 0.0001)" in text
    assert "the kernel without pipelining gives the same" in text


def test_wrong_shape_nan_and_integers():
    with pytest.raises(AssertionError, match=r"gives shape \(40,\), the reference \(39,\)"):
        assert_matches(scale_func(), lambda x, s: x[1:], out_idx=-1)
    with pytest.raises(AssertionError, match="40 of 40 elements differ"):
        assert_matches(scale_func(), lambda x, s: x * np.nan, out_idx=-1)


def test_mistakes_of_the_caller():
    with pytest.raises(tilepipe.KernelError, match="'q' is no dynamic size of the kernel; it has m, k, n"):
        assert_matches(compile_dynamic_matmul(), None, shapes={"q": (1, 2)})
    with pytest.raises(tilepipe.KernelError, match="'q' is no argument of the kernel; it has n"):
        assert_matches(lambda n: None, None, shapes={"q": (1, 2)})
    with pytest.raises(tilepipe.KernelError, match="expected a kernel or a factory of kernels, got int"):
        assert_matches(lambda n: 3, None, shapes={"n": (1, 2)})


def test_names_of_the_package_do_not_depend_on_what_was_imported_first():
    import subprocess
    import sys

    script = "import tilepipe.testing, tilepipe; assert callable(tilepipe.jit) and callable(tilepipe.compile)"
    subprocess.run([sys.executable, "-c", script], check=True)
