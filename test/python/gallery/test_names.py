"""Names, values and expressions that a newcomer gets wrong."""

import pytest
import tilepipe.language as T
from mistakes import Gallery

gallery = Gallery(__file__)
case = gallery.case


@case("unknown name 'A_shard'; did you mean 'A_shared'?")
def misspelt_name():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A_shared = T.alloc_shared((64,), "float32")
            T.copy(A, A_shard)  # here  # noqa: F821

    return k


@case("'T' has no attribute 'alloc_share'; did you mean 'alloc_shared'?")
def misspelt_function():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_share((64,), "float32")  # here
            T.copy(A, s)

    return k


@case("unknown dtype 'quad'; supported are float8_e4m3fn, float8_e5m2, float16")
def unknown_dtype():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((64,), "quad")  # here
            T.copy(A, s)

    return k


@case("unknown dtype 'flot32'; did you mean 'float32'?")
def misspelt_dtype_of_an_argument():
    @T.prim_func
    def k(A: T.Tensor((64,), "flot32")):  # here
        with T.Kernel(1):
            T.clear(A)

    return k


@case("argument 'n' has no type; write 'n: T.Tensor((M, N), dtype)'")
def missing_annotation():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), n):  # here
        with T.Kernel(1):
            T.clear(A)

    return k


@case("argument 'n' is a T.Tensor or a dtype, got <class 'int'>")
def python_type_as_annotation():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), n: int):  # here
        with T.Kernel(1):
            T.clear(A)

    return k


@case("cannot index a Python list with a value of the kernel")
def list_index():
    table = [1.0, 2.0]

    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(2) as bx:
            A[bx] = table[bx]  # here

    return k


@case("expected an integer index, got float32")
def float_index():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(64) as bx:
            B[bx] = A[bx / 2]  # here

    return k


@case("buffer 'A' has 2 dimensions, got 1 index")
def too_few_indices():
    @T.prim_func
    def k(A: T.Tensor((8, 8), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(8) as bx:
            B[bx] = A[bx] + 1.0  # here

    return k


@case("buffer 'A' has 1 dimension, got 2 indices")
def too_many_indices():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[0, 1] = 0.0  # here

    return k


@case("index 64 is outside of dimension 0 of 'A', which has size 64")
def constant_index_too_large():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[64] = 0.0  # here

    return k


@case("arithmetic is on elements; loop over the tile with T.Parallel")
def tile_arithmetic():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((64,), "float32")
            T.copy(a + a, A)  # here

    return k


@case("expected a scalar, got a tile; name one element of it")
def function_of_a_tile():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((64,), "float32")
            A[0] = T.exp(a)  # here

    return k


@case("slices have step 1, got step 2")
def strided_slice():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((32,), "float32")
            T.copy(A[0:64:2], a)  # here

    return k


@case("'x' is not bound on all paths to here; give it a value before the 'if'")
def bound_in_one_branch():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(64) as bx:
            if bx > 3:
                x = A[bx]
            A[bx] = x + 1.0  # here

    return k


@case("division by zero")
def division_by_zero():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[64 // 0] = 0.0  # here

    return k


@case("'~' is not defined for float32")
def bits_of_a_float():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(64) as bx:
            A[bx] = ~A[bx]  # here

    return k


@case("'<<' is not defined for float32")
def shift_of_a_float():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(64) as bx:
            A[bx] = A[bx] << 1  # here

    return k


@case("a value of the kernel is not known while it is compiled")
def python_function_of_a_value():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(64) as bx:
            A[bx] = sorted([A[bx], A[0]])[0]  # here

    return k


@pytest.mark.parametrize("mistake", gallery.mistakes, ids=str)
def test_mistake(mistake):
    gallery.check(mistake)
