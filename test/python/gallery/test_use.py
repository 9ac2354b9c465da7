"""Mistakes in the use of the package, and how many the gallery has. Calls of kernels: runtime/test_arguments.py."""

import pytest
import test_names
import test_pipelines
import test_statements
import test_tiles
import tilepipe
import tilepipe.language as T
from tilepipe import KernelError


@T.prim_func
def double(A: T.Tensor((4, 8), "float32"), s: T.float32, B: T.Tensor((4, 8), "float32")):
    with T.Kernel(1):
        for i, j in T.Parallel(4, 8):
            B[i, j] = A[i, j] * s


@pytest.mark.parametrize("mistake, text", [
    (lambda: T.alloc_shared((4,), "float32"), "tilepipe.language is used outside of a kernel"),
    (lambda: tilepipe.compile(double, target="gpu"), "unknown target 'gpu'"),
    (lambda: tilepipe.compile(double, target="cpu").ir("x"), "unknown stage 'x'"),
    (lambda: tilepipe.compile(lambda: 0), "expected a function with @T.prim_func, got function"),
    (lambda: tilepipe.jit(lambda: 3)(), "returns a function with @T.prim_func, got int"),
    (lambda: T.Tensor((4.5,), "float32"), "sizes of a tensor are ints or T.dynamic, got 4.5"),
    (lambda: T.Tensor((-4,), "float32"), "sizes of a tensor are not negative, got -4"),
    (lambda: double(None, 1.0, None), "'double' is not compiled; use tilepipe.compile(double) or @tilepipe.jit"),
])
def test_use(mistake, text):
    with pytest.raises(KernelError) as caught:
        mistake()
    assert text in caught.value.message


def test_the_gallery_has_sixty_mistakes():
    texts = {m.text for module in (test_names, test_statements, test_tiles, test_pipelines) for m in module.gallery.mistakes}
    assert len(texts) >= 60
