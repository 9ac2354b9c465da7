"""float8 (e4m3) operands with a scale for each row and column, decoded in the kernel by a macro.

The bytes are passed as uint8: what they mean is a matter of the kernel, so this runs on targets without
arithmetic of float8.
"""

import ml_dtypes
import numpy as np
import tilepipe
import tilepipe.language as T


@T.macro
def decode_e4m3(byte):
    """1 bit of sign, 4 of exponent (bias 7), 3 of mantissa; exponent 0 has no leading one."""
    bits = T.int32(byte)
    exponent, mantissa = (bits >> 3) & 15, bits & 7
    size = T.if_then_else(
        exponent == 0,
        T.float32(mantissa) * 2.0**-9,
        T.float32(mantissa + 8) * T.exp2(T.float32(exponent - 10)),
    )
    return T.if_then_else(bits >= 128, -size, size)


@tilepipe.jit(out_idx=[-1], target="cpu")
def gemm_fp8(M, N, K, num_stages=3, block=16):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "uint8"),
        B: T.Tensor((N, K), "uint8"),
        scale_a: T.Tensor((M,), "float32"),
        scale_b: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a8, b8 = T.alloc_shared((block, block), "uint8"), T.alloc_shared((block, block), "uint8")
            a, b = T.alloc_shared((block, block), "float16"), T.alloc_shared((block, block), "float16")
            sa, sb = T.alloc_shared((block,), "float32"), T.alloc_shared((block,), "float32")
            c = T.alloc_fragment((block, block), "float32")
            T.copy(scale_a[by * block], sa)
            T.copy(scale_b[bx * block], sb)
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                T.copy(A[by * block, ko * block], a8)
                T.copy(B[bx * block, ko * block], b8)
                for i, j in T.Parallel(block, block):
                    a[i, j] = decode_e4m3(a8[i, j])
                    b[i, j] = decode_e4m3(b8[i, j])
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(block, block):
                c[i, j] *= sa[i] * sb[j]
            T.copy(c, C[by * block, bx * block])

    return kernel


def check(num_stages):
    rng = np.random.default_rng(14)
    dynamic = gemm_fp8(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages)
    for m, n, k in ((16, 16, 32), (9, 19, 45)):
        a, b = (rng.standard_normal((s, k)).astype(ml_dtypes.float8_e4m3fn) for s in (m, n))
        sa, sb = (rng.random(s).astype(np.float32) for s in (m, n))
        want = (a.astype(np.float32) @ b.astype(np.float32).T) * np.outer(sa, sb)
        for kernel in (gemm_fp8(m, n, k, num_stages), dynamic):
            got = kernel(a.view(np.uint8), b.view(np.uint8), sa, sb)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
