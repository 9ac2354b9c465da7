"""Mistakes that newcomers make: each one gives one clear error, at its place in the kernel.

A case is a function that makes a kernel; the error has the text of its decorator and points at the line
with ``# here``.
"""

import inspect

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T
from tilepipe import KernelError

CASES = []


def case(text, **options):
    """The kernel that the function makes is refused with ``text`` at the line with ``# here``."""

    def register(factory):
        CASES.append(pytest.param(factory, text, options, id=factory.__name__))
        return factory

    return register


# Names and values -----------------------------------------------------------------------------------------


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


@case("unknown dtype 'quad'; supported are float16")
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


# Statements -----------------------------------------------------------------------------------------------


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


# Launches and tiles ---------------------------------------------------------------------------------------


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


# Pipelines ------------------------------------------------------------------------------------------------




@case("num_stages is at least 0, got -1")
def negative_stages():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for ko in T.Pipelined(4, num_stages=-1):  # here
                A[ko] = 0.0

    return k


@case("num_stages is an int, got 2.0")
def float_stages():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for ko in T.Pipelined(4, num_stages=2.0):  # here
                A[ko] = 0.0

    return k


@case("stage and order are given together, got only order")
def only_order():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for ko in T.Pipelined(4, order=[0]):  # here
                A[ko] = 0.0

    return k


@case("stage and order are given together, got only stage")
def only_stage():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for ko in T.Pipelined(4, stage=[0]):  # here
                A[ko] = 0.0

    return k


@case("2 entries in 'stage' and 'order', got 1")
def order_too_short():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((16,), "float32")
            for ko in T.Pipelined(4, stage=[0], order=[0]):  # here
                T.copy(A[ko * 16], s)
                T.copy(s, B[ko * 16])

    return k


@case("stage and order have the same length, got 2 and 3")
def lengths_differ():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((16,), "float32")
            for ko in T.Pipelined(4, stage=[0, 1], order=[0, 1, 2]):  # here
                T.copy(A[ko * 16], s)
                T.copy(s, B[ko * 16])

    return k


@case("order has each number once, got 0 twice")
def duplicate_order():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((16,), "float32")
            for ko in T.Pipelined(4, stage=[0, 1], order=[0, 0]):  # here
                T.copy(A[ko * 16], s)
                T.copy(s, B[ko * 16])

    return k


@case("illegal manual schedule")
def producer_after_consumer():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((16,), "float32")
            for ko in T.Pipelined(4, stage=[1, 0], order=[0, 1]):
                T.copy(A[ko * 16], s)
                T.copy(s, B[ko * 16])  # here

    return k


@case("entries of stage are at least 0, got -1")
def negative_stage():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((16,), "float32")
            for ko in T.Pipelined(4, stage=[-1, 0], order=[0, 1]):  # here
                T.copy(A[ko * 16], s)
                T.copy(s, B[ko * 16])

    return k


@case("T.Pipelined takes start and stop, got range; its step is 1")
def range_in_pipelined():
    @T.prim_func
    def k(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for ko in T.Pipelined(range(0, 64, 16), num_stages=2):  # here
                A[ko] = 0.0

    return k


def marked_line(factory):
    lines, first = inspect.getsourcelines(factory)
    return first + next(i for i, line in enumerate(lines) if "# here" in line)


def test_there_are_forty():
    assert len(CASES) >= 40


@pytest.mark.parametrize("factory, text, options", CASES)
def test_mistake(factory, text, options):
    with pytest.raises(KernelError) as caught:
        tilepipe.compile(factory(), target="cpu", **options)
    error = caught.value
    shown = str(error)
    assert text in error.message, shown
    assert error.location is not None, shown
    assert (error.location.file, error.location.line) == (__file__, marked_line(factory)), shown
    # One error, with its place, the line of the source and a caret.
    assert shown.startswith(f"{__file__}:{error.location.line}:{error.location.column}: error: ")
    assert shown.count("error:") == 1 and "# here" in shown and "^" in shown
    for term in ("memref", "tile.", "op expects", "!", "SSA", "TypeError", "got Expr", "arith."):
        assert all(term not in text for text in (error.message, *error.notes)), shown


# Calls ----------------------------------------------------------------------------------------------------


@T.prim_func
def double(A: T.Tensor((4, 8), "float32"), s: T.float32, B: T.Tensor((4, 8), "float32")):
    with T.Kernel(1):
        for i, j in T.Parallel(4, 8):
            B[i, j] = A[i, j] * s


GOOD = np.zeros((4, 8), np.float32)


@pytest.mark.parametrize("args, kwargs, text", [
    ((), {}, "kernel 'double' takes 2 arguments, missing A, s"),
    ((GOOD, 1.0, GOOD), {}, "kernel 'double' takes 2 arguments (A, s), got 3"),
    ((GOOD,), {"t": 1.0}, "kernel 'double' has no argument 't'; it has A, s"),
    ((GOOD.astype(np.float64), 1.0), {}, "argument 'A' has dtype float64, the kernel expects float32"),
    ((np.zeros((4, 9), np.float32), 1.0), {}, "argument 'A' has size 9 in dimension 1, the kernel expects 8"),
    ((np.zeros(32, np.float32), 1.0), {}, "argument 'A' has 1 dimensions, the kernel expects 2"),
    ((np.zeros((8, 4), np.float32).T, 1.0), {}, "the kernel expects a dense row-major tensor"),
    (([[0.0] * 8] * 4, 1.0), {}, "argument 'A' is a tensor (numpy, torch or DLPack), got list"),
    ((GOOD, "1"), {}, "argument 's' is a float32, got str"),
])
def test_call(args, kwargs, text):
    kernel = tilepipe.compile(double, out_idx=[2], target="cpu")
    with pytest.raises(KernelError) as caught:
        kernel(*args, **kwargs)
    assert text in caught.value.message


def test_sizes_that_disagree():
    n = T.dynamic("n")

    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(n) as i:
            B[i] = B[i] + A[i]

    with pytest.raises(KernelError, match="size 'n' is 3 in 'A' dimension 0 and 4 in 'B' dimension 0"):
        tilepipe.compile(add, target="cpu")(np.zeros(3, np.float32), np.zeros(4, np.float32))


@pytest.mark.parametrize("mistake, text", [
    (lambda: T.alloc_shared((4,), "float32"), "tilepipe.language is used outside of a kernel"),
    (lambda: tilepipe.compile(double, target="gpu"), "unknown target 'gpu'"),
    (lambda: tilepipe.compile(double, out_idx=[3]), "out_idx 3 is out of range for 3 arguments"),
    (lambda: tilepipe.compile(double, out_idx=[1]), "out_idx 1 names 's', which is not a tensor"),
    (lambda: tilepipe.compile(lambda: 0), "expected a function with @T.prim_func, got function"),
    (lambda: tilepipe.jit(lambda: 3)(), "returns a function with @T.prim_func, got int"),
    (lambda: T.Tensor((4.5,), "float32"), "sizes of a tensor are ints or T.dynamic, got 4.5"),
    (lambda: T.Tensor((-4,), "float32"), "sizes of a tensor are not negative, got -4"),
    (lambda: double(GOOD, 1.0, GOOD), "'double' is not compiled; use tilepipe.compile(double) or @tilepipe.jit"),
])
def test_use(mistake, text):
    with pytest.raises(KernelError) as caught:
        mistake()
    assert text in caught.value.message
