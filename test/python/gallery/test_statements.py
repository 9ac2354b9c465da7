"""Statements and loops that a newcomer gets wrong."""

import pytest
import tilepipe.language as T
from mistakes import Gallery

gallery = Gallery(__file__)
case = gallery.case


@case("a kernel returns nothing: its results are its output tensors")
def returns_a_value():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            return A  # here

    return k


@case("'try' statements are not supported in a kernel")
def try_statement():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            try:  # here
                T.fill(A, 0)
            finally:
                pass

    return k


@case("'break' cannot leave T.Pipelined, whose iterations overlap; use T.serial, or 'if'")
def break_of_a_pipelined_loop():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Pipelined(64, num_stages=2):
                if A[i] > 0:
                    break  # here

    return k


@case("'break' cannot leave T.Parallel, whose points run in no order; use T.serial")
def break_of_a_parallel_loop():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(64):
                if A[i] > 0:
                    break  # here
                A[i] = 0.0

    return k


@case("a loop whose condition is constant never ends; leave it with 'break'")
def loop_without_an_end():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            while True:  # here
                A[0] += 1.0

    return k


@case("'else' of a loop is not supported in a kernel")
def else_of_a_loop():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in range(64):  # here
                if A[i] > 0:
                    break
            else:
                A[0] = 1.0

    return k


@case("kernels have no thread index; loop over the elements of a tile with T.Parallel")
def thread_index():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()  # here
            A[tx] = 0.0

    return k


@case("'*rest: [T.float32]': a kernel has a fixed list of arguments")
def variable_arguments():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), *rest: [T.float32]):  # here
        with T.Kernel(1):
            T.clear(A)

    return k


@case("argument 'A' is a tensor and has no default")
def default_of_a_tensor():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32") = None):  # here
        with T.Kernel(1):
            T.clear(A)

    return k


@case("a kernel is a plain function, with 'def'")
def kernel_of_a_lambda():
    return T.prim_func(lambda A: T.clear(A))  # here


@case("expected 'with T.Kernel(...)', got Serial")
def wrong_with():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.serial(64) as i:  # here
            A[i] = 0.0

    return k


@case("the grid has 2 extents, got 3 names")
def wrong_number_of_block_names():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(2, 2) as (bx, by, bz):  # here  # noqa: RUF059
            T.fill(A, 0)

    return k


@case("T.Parallel has 2 extents, got 1 name")
def wrong_number_of_loop_names():
    @T.prim_func
    def k(A: T.Tensor((8, 8), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(8, 8):  # here
                A[i, 0] = 0.0

    return k


@case("cannot loop over int in a kernel; did you mean T.serial(8)?")
def loop_over_an_int():
    @T.prim_func
    def k(A: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            for i in 8:  # here
                A[i] = 0.0

    return k


@case("'total' is assigned in T.Parallel, whose points run in no order; use a tile or an atomic")
def carried_in_parallel():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            total = 0.0
            for i in T.Parallel(64):
                total = total + A[i]  # here
            A[0] = total

    return k


@case("'total' is int32 before the loop and float32 after its body; start with a float, as 0.0")
def sum_that_starts_as_an_integer():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(1):
            total = 0
            for i in T.serial(64):
                total += A[i]  # here
            B[0] = total

    return k


@case("size 'n' is not known here; it is inside of a kernel that has a tensor with this size")
def size_of_no_argument():
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def k(A: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(n, 16)):  # here
            T.clear(A)

    return k


@case("size 'n' is not known here")
def arithmetic_in_a_shape():
    n = T.dynamic("n")

    @T.prim_func
    def k(A: T.Tensor((n * 2,), "float32")):  # here
        with T.Kernel(1):
            T.clear(A)

    return k


@case("assign one element, or use T.copy or T.fill for a region")
def assign_a_region():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[0:8] = 0.0  # here

    return k


@case("T.Pipelined cannot be inside T.Parallel, whose points run in no order")
def pipelined_in_parallel():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(8):
                for j in T.Pipelined(8, num_stages=2):  # here
                    A[i * 8 + j] = 0.0

    return k


@case("T.Kernel cannot be inside another T.Kernel")
def nested_launch():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            with T.Kernel(2):  # here
                T.fill(A, 0)

    return k


@case("T.alloc_shared belongs inside 'with T.Kernel(...)'")
def tile_outside_of_a_launch():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        s = T.alloc_shared((64,), "float32")  # here
        with T.Kernel(1):
            T.copy(A, s)

    return k


@case("the step of a loop is not 0")
def zero_step():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.serial(0, 64, 0):  # here
                A[i] = 0.0

    return k


@pytest.mark.parametrize("mistake", gallery.mistakes, ids=str)
def test_mistake(mistake):
    gallery.check(mistake)
