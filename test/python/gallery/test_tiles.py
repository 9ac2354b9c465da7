"""Launches, tiles and what is done with them, as a newcomer gets it wrong."""

import pytest
import tilepipe.language as T
from mistakes import Gallery

gallery = Gallery(__file__)
case = gallery.case


@case("threads is between 1 and 1024, got 4096")
def too_many_threads():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=4096):  # here
            T.fill(A, 0)

    return k


@case("an extent of the grid is an integer, got 2.5")
def float_grid():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(5 / 2):  # here
            T.fill(A, 0)

    return k


@case("dimension 0 of a tile is not a constant; allocate its upper bound")
def dynamic_tile():
    n = T.dynamic("n")

    @T.prim_func
    def k(A: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((n,), "float32")  # here
            T.copy(A, s)

    return k


@case("dimension 1 of a tile is a positive int, got 0")
def empty_tile():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((8, 0), "float32")  # here
            T.copy(A, s)

    return k


@case("the sides of a copy have extents 16 and 8")
def copy_of_different_extents():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            T.copy(A[0:16], B[0:8])  # here

    return k


@case("the sides of a copy have 2 and 1 dimensions")
def copy_of_different_ranks():
    @T.prim_func
    def k(A: T.Tensor((8, 8), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((64,), "float32")
            T.copy(A, s)  # here

    return k


@case("the target of a copy is a tile or a region of one, got float")
def copy_to_a_number():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            T.copy(A, 1.0)  # here

    return k


@case("extents of k in 'a' and 'b' do not agree: 32 and 16")
def gemm_of_different_extents():
    @T.prim_func
    def k(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((64, 32), "float32"), T.alloc_shared((16, 64), "float32")
            c = T.alloc_fragment((64, 64), "float32")
            T.gemm(a, b, c)  # here
            T.copy(c, A)

    return k


@case("operand 'a' of T.gemm has 2 dimensions, got 1")
def gemm_of_a_vector():
    @T.prim_func
    def k(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((64,), "float32"), T.alloc_shared((64, 64), "float32")
            c = T.alloc_fragment((64, 64), "float32")
            T.gemm(a, b, c)  # here
            T.copy(c, A)

    return k


@case("operand 'b' of T.gemm is a tile, got a scalar")
def gemm_of_an_element():
    @T.prim_func
    def k(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1):
            a, c = T.alloc_shared((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            T.gemm(a, A[0, 0], c)  # here

    return k


@case("cannot accumulate")
def gemm_of_floats_into_integers():
    @T.prim_func
    def k(A: T.Tensor((16, 16), "float32")):
        with T.Kernel(1):
            a, c = T.alloc_shared((16, 16), "float32"), T.alloc_fragment((16, 16), "int32")
            T.copy(A, a)
            T.gemm(a, a, c)  # here

    return k


@case("dim is in [-2, 2), got 2")
def reduce_dim_out_of_range():
    @T.prim_func
    def k(A: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((8, 8), "float32"), T.alloc_fragment((8,), "float32")
            T.reduce_sum(a, b, dim=2)  # here
            T.copy(b, A)

    return k


@case("the target of a reduction of (8, 16) along dim 1 has shape (8,), got (16,)")
def reduce_to_a_wrong_shape():
    @T.prim_func
    def k(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((8, 16), "float32"), T.alloc_fragment((16,), "float32")
            T.reduce_sum(a, b, dim=1)  # here
            T.copy(b, A)

    return k


@case("unexpected keyword argument 'transpose_b'; did you mean 'transpose_B'?")
def misspelt_keyword():
    @T.prim_func
    def k(A: T.Tensor((16, 16), "float32")):
        with T.Kernel(1):
            a, c = T.alloc_shared((16, 16), "float32"), T.alloc_fragment((16, 16), "float32")
            T.gemm(a, a, c, transpose_b=True)  # here
            T.copy(c, A)

    return k


@case("missing 1 required positional argument: 'dtype'")
def missing_argument():
    @T.prim_func
    def k(A: T.Tensor((16, 16), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((16, 16))  # here
            T.copy(A, a)

    return k


@case("a tile of 4294967296 bytes does not fit on a chip")
def tile_larger_than_any_memory():
    @T.prim_func
    def k(A: T.Tensor((32768, 32768), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((32768, 32768), "float32")  # here
            T.copy(A, a)

    return k


@case("T.copy cannot be inside T.Parallel, whose points are single elements")
def copy_in_parallel():
    @T.prim_func
    def k(A: T.Tensor((8, 8), "float32"), B: T.Tensor((8, 8), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(8):
                T.copy(A[i, 0:8], B[i, 0:8])  # here

    return k


@pytest.mark.parametrize("mistake", gallery.mistakes, ids=str)
def test_mistake(mistake):
    gallery.check(mistake)
