"""Pipelined loops that a newcomer gets wrong."""

import pytest
import tilepipe.language as T
from mistakes import Gallery

gallery = Gallery(__file__)
case = gallery.case


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


@pytest.mark.parametrize("mistake", gallery.mistakes, ids=str)
def test_mistake(mistake):
    gallery.check(mistake)
