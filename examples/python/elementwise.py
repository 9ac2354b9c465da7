"""SwiGLU, ``silu(gate) * up``, streamed through shared memory."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(out_idx=[-1], target="cpu")
def swiglu(N, num_stages=3, block=32, tiles=4):
    @T.prim_func
    def kernel(gate: T.Tensor((N,), "float32"), up: T.Tensor((N,), "float32"), out: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block * tiles), threads=128) as bx:
            g, u = T.alloc_shared((block,), "float32"), T.alloc_shared((block,), "float32")
            o = T.alloc_fragment((block,), "float32")
            for t in T.Pipelined(tiles, num_stages=num_stages):
                at = (bx * tiles + t) * block
                T.copy(gate[at], g)
                T.copy(up[at], u)
                for i in T.Parallel(block):
                    o[i] = g[i] * T.sigmoid(g[i]) * u[i]
                T.copy(o, out[at])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(31)
    dynamic = swiglu(T.dynamic("n"), num_stages)
    for n in (256, 333, 1):
        g, u = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
        for kernel in (swiglu(n, num_stages), dynamic):
            np.testing.assert_allclose(kernel(g, u), g / (1 + np.exp(-g)) * u, rtol=1e-4, atol=1e-5)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
