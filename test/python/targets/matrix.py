"""The kernels of examples/python/targets on sizes and trip counts that go wrong first.

A case is one compiled kernel and the dynamic sizes that it is run on. Tiles are small, so that a case takes a
fraction of a second in an emulator.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gemm as gemm_example
import gemm_bias_relu as bias_relu_example
import manual_schedule
import row_softmax as softmax_example
import tilepipe.language as T
import vector_add as vector_example

BLOCK = {"block_M": 32, "block_N": 32, "block_K": 16, "threads": 64}


@dataclass(frozen=True)
class Case:
    name: str
    func: Callable[[], Any]
    reference: Callable[..., Any]
    sizes: tuple[dict[str, int], ...] = field(default=({},))
    is_default: bool = True


def trips(depth: int) -> list[int]:
    """Loops that never fill, just fill, and outlast the pipeline."""
    return sorted({0, 1, depth - 1, depth, depth + 1, 7})


def gemms() -> Iterator[Case]:
    """Static K, so that copies are as wide as they get; rows of A that divide the tile, and rows that do not."""
    rows = ({"m": 32}, {"m": 45}, {"m": 1})
    for depth in (1, 2, 3, 4):
        for transpose_B in (True, False):
            for count in trips(depth):
                N = 40 if count % 2 else 32

                def func(depth: int = depth, N: int = N, K: int = 16 * count, transpose_B: bool = transpose_B) -> Any:
                    return gemm_example.gemm(T.dynamic("m"), N, K, num_stages=depth, transpose_B=transpose_B, **BLOCK)

                def reference(A: Any, B: Any, transpose_B: bool = transpose_B) -> Any:
                    return gemm_example.reference(A, B, transpose_B)

                layout = "nk" if transpose_B else "kn"
                yield Case(f"gemm-{layout}-depth{depth}-trips{count}", func, reference, rows,
                           is_default=transpose_B == (count % 2 == 0) or depth == 3)  # fmt: skip


def odd_gemms() -> Iterator[Case]:
    """Sizes that divide nothing, and sizes that are known when the kernel is called."""
    for depth in (1, 2, 3, 4):

        def func(depth: int = depth, K: int = 16 * depth + 5) -> Any:
            return gemm_example.gemm(T.dynamic("m"), 37, K, num_stages=depth, **BLOCK)

        yield Case(f"gemm-odd-depth{depth}", func, gemm_example.reference, ({"m": 33},), is_default=depth in (2, 3))
        for transpose_B in (True, False):

            def dynamic(depth: int = depth, transpose_B: bool = transpose_B) -> Any:
                return gemm_example.gemm(T.dynamic("m"), T.dynamic("n"), T.dynamic("k"), num_stages=depth,
                                         transpose_B=transpose_B, **BLOCK)  # fmt: skip

            def reference(A: Any, B: Any, transpose_B: bool = transpose_B) -> Any:
                return gemm_example.reference(A, B, transpose_B)

            sizes = tuple({"m": 30 + n, "n": 35 - n, "k": max(0, 16 * n - n % 3)} for n in trips(depth))
            yield Case(f"gemm-dynamic-{'nk' if transpose_B else 'kn'}-depth{depth}", dynamic, reference, sizes,
                       is_default=transpose_B == (depth % 2 == 0))  # fmt: skip


def bias_relus() -> Iterator[Case]:
    for depth in (1, 2, 3, 4):
        for count in trips(depth):

            def func(depth: int = depth, K: int = 16 * count) -> Any:
                return bias_relu_example.gemm_bias_relu(T.dynamic("m"), 40, K, num_stages=depth, **BLOCK)

            yield Case(f"bias_relu-depth{depth}-trips{count}", func, bias_relu_example.reference, ({"m": 32}, {"m": 50}),
                       is_default=count in (0, depth + 1))  # fmt: skip


def vector_adds() -> Iterator[Case]:
    for depth in (1, 2, 3, 4):
        for count in trips(depth)[1:]:

            def func(depth: int = depth, count: int = count) -> Any:
                return vector_example.vector_add(T.dynamic("n"), 64, count, depth, threads=32)

            sizes = ({"n": 64 * count}, {"n": 64 * count + 1}, {"n": 3})
            yield Case(f"vector_add-depth{depth}-trips{count}", func, vector_example.reference, sizes,
                       is_default=count in (1, depth + 1))  # fmt: skip


def softmaxes() -> Iterator[Case]:
    for depth in (1, 2, 3, 4):
        for count, columns in zip(trips(depth)[1:], (32, 40, 33, 64, 7), strict=False):

            def func(depth: int = depth, count: int = count, columns: int = columns) -> Any:
                return softmax_example.row_softmax(T.dynamic("m"), columns, 4, count, depth, threads=32)

            yield Case(f"row_softmax-{columns}-depth{depth}-trips{count}", func, softmax_example.reference,
                       ({"m": 4 * count}, {"m": 4 * count + 3}), is_default=count in (depth, depth + 1))  # fmt: skip


def manual_schedules() -> Iterator[Case]:
    for number, (stage, order) in enumerate(manual_schedule.SCHEDULES):
        for count in (0, 1, 2, 3, 4, 7):

            def func(stage: Any = stage, order: Any = order, K: int = 16 * count) -> Any:
                return manual_schedule.gemm_by_hand(T.dynamic("m"), 32, K, stage, order, **BLOCK)

            yield Case(f"manual{number}-trips{count}", func, gemm_example.reference, ({"m": 32}, {"m": 13}),
                       is_default=count in (2, 7))  # fmt: skip

    def last() -> Any:
        return manual_schedule.producer_last(T.dynamic("n"), threads=32)

    sizes = tuple({"n": n} for n in (0, 1, 64, 65, 128, 700))
    yield Case("producer_last", last, lambda A: 2 * A, sizes)


def cases() -> list[Case]:
    return [*gemms(), *odd_gemms(), *bias_relus(), *vector_adds(), *softmaxes(), *manual_schedules()]
