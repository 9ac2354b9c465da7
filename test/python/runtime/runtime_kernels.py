"""Small kernels that the tests of this folder share."""

import tilepipe
import tilepipe.language as T

GEMM = """
#shared = #tile.space<shared>
#fragment = #tile.space<fragment>
func.func @gemm(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  %n = memref.dim %C, %c1 : memref<?x?xf32>
  %k = memref.dim %A, %c1 : memref<?x?xf32>
  %blocks_m = arith.ceildivui %m, %c16 : index
  %blocks_n = arith.ceildivui %n, %c16 : index
  %steps = arith.ceildivui %k, %c16 : index
  tile.launch (%by, %bx) in [%blocks_m, %blocks_n] threads = 128 {
    %As = tile.alloc {name = "As"} : memref<16x16xf32, #shared>
    %Bs = tile.alloc {name = "Bs"} : memref<16x16xf32, #shared>
    %Cl = tile.alloc {name = "Cl"} : memref<16x16xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<16x16xf32, #fragment>
    %row = arith.muli %by, %c16 : index
    %column = arith.muli %bx, %c16 : index
    tile.pipeline %ko = %c0 to %steps step %c1 num_stages = 3 {
      %at = arith.muli %ko, %c16 : index
      tile.copy %A[%row, %at] to %As : memref<?x?xf32> to memref<16x16xf32, #shared>
      tile.copy %B[%at, %column] to %Bs : memref<?x?xf32> to memref<16x16xf32, #shared>
      tile.gemm %As, %Bs, %Cl : memref<16x16xf32, #shared>, memref<16x16xf32, #shared>, memref<16x16xf32, #fragment>
    }
    tile.copy %Cl to %C[%row, %column] sizes [16, 16] : memref<16x16xf32, #fragment> to memref<?x?xf32>
  }
  return
}
"""


def matmul_func(M, N, K, stages=3, dtype="float32"):
    @T.prim_func
    def matmul(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32)) as (bx, by):
            a, b = T.alloc_shared((32, 16), dtype), T.alloc_shared((16, 32), dtype)
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(K, 16), num_stages=stages):
                T.copy(A[by * 32, ko * 16], a)
                T.copy(B[ko * 16, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 32, bx * 32])

    return matmul


def scale_func(shape=(40,), dtype="float32"):
    """y = s * x, one tile after the other."""
    (n,) = shape

    @T.prim_func
    def scale(X: T.Tensor((n,), dtype), s: T.float32, Y: T.Tensor((n,), dtype)):
        with T.Kernel(1):
            x = T.alloc_shared((16,), dtype)
            for i in T.Pipelined(T.ceildiv(n, 16), num_stages=2):
                T.copy(X[i * 16], x)
                for j in T.Parallel(16):
                    x[j] = x[j] * s
                T.copy(x, Y[i * 16])

    return scale


def add_into_func():
    """y += x, in place."""
    n = T.dynamic("n")

    @T.prim_func
    def add_into(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 16)) as bx:
            x, y = T.alloc_shared((16,), "float32"), T.alloc_shared((16,), "float32")
            T.copy(X[bx * 16], x)
            T.copy(Y[bx * 16], y)
            for j in T.Parallel(16):
                y[j] = y[j] + x[j]
            T.copy(y, Y[bx * 16])

    return add_into


def compile_dynamic_matmul(**how):
    M, N, K = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")
    return tilepipe.compile(matmul_func(M, N, K), out_idx=[-1], **how)
