"""2-D convolution (NHWC) as a GEMM: a tile of the unfolded image is gathered in the block, never in memory."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def conv2d(batch, H, W, C, F, size, stride, padding, num_stages=2, block=16):
    OH, OW = (H + 2 * padding - size) // stride + 1, (W + 2 * padding - size) // stride + 1
    taps = size * size * C

    @T.prim_func
    def kernel(
        X: T.Tensor((batch, H, W, C), "float32"),
        kernel_weights: T.Tensor((taps, F), "float32"),
        Y: T.Tensor((batch, OH * OW, F), "float32"),
    ):
        with T.Kernel(T.ceildiv(F, block), T.ceildiv(OH * OW, block), batch, threads=128) as (bx, by, n):
            a, w = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            y = T.alloc_fragment((block, block), "float32")
            T.clear(y)
            for ko in T.Pipelined(T.ceildiv(taps, block), num_stages=num_stages):
                for i, j in T.Parallel(block, block):
                    pixel, tap = by * block + i, ko * block + j
                    h = pixel // OW * stride + tap // C // size - padding
                    v = pixel % OW * stride + tap // C % size - padding
                    inside = (h >= 0) & (h < H) & (v >= 0) & (v < W) & (tap < taps)
                    a[i, j] = T.if_then_else(inside, X[n, h, v, tap % C], 0.0)
                T.copy(kernel_weights[ko * block, bx * block], w)
                T.gemm(a, w, y)
            T.copy(y, Y[n, by * block, bx * block])

    return kernel


def reference(x, w, size, stride, padding):
    x = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))[:, ::stride, ::stride]
    return np.einsum("nhwcij,ijcf->nhwf", windows, w).reshape(x.shape[0], -1, w.shape[-1])


def check(num_stages):
    rng = np.random.default_rng(30)
    kernels = []
    for batch, h, wd, c, f, size, stride, padding in ((1, 8, 8, 4, 16, 3, 1, 1), (2, 9, 7, 3, 5, 3, 2, 0)):
        x = rng.standard_normal((batch, h, wd, c)).astype(np.float32)
        w = rng.standard_normal((size, size, c, f)).astype(np.float32)
        for n in (batch, T.dynamic("n")):
            kernel = conv2d(n, h, wd, c, f, size, stride, padding, num_stages)
            want = reference(x, w, size, stride, padding)
            np.testing.assert_allclose(kernel(x, w.reshape(-1, f)), want, rtol=1e-4, atol=1e-4)
            kernels.append(kernel)
    return kernels


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
