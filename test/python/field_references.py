"""What the field cases must compute, as plain numpy programs.

Each entry of `CASES` is a function of a file below test/Corpus/field: inputs for it,
and a reference that updates copies of them in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arguments = list[Any]


@dataclass
class Case:
    """One function of one file, run on each list of arguments and at each depth."""

    file: str
    reference: Callable[..., None]
    inputs: Iterable[Arguments]
    entry: str = ""
    depths: tuple[int, ...] = ()
    exact: bool = True
    functions: tuple[str, ...] = field(default=())

    def entries(self) -> tuple[str, ...]:
        return self.functions or (self.entry or self.file.split("/")[-1],)


def rows(n: int, width: int = 16, start: int = 1) -> np.ndarray:
    """Small distinct integers, so that every sum is exact."""
    return ((np.arange(n * width) * 7 + start) % 23 - 11).reshape(n, width).astype(np.float32)


def zeros(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def ints(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int32)


TRIPS = range(9)


def sum_rows(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a.sum(axis=0)


def copy_rows(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a


def index_from_buffer(g: np.ndarray, out: np.ndarray) -> None:
    out[:] = g.reshape(4, 24).sum(axis=0)


def pages(table: np.ndarray, g: np.ndarray, out: np.ndarray) -> None:
    out[:] = g.reshape(-1, 16)[table]


def tail_sums(g: np.ndarray, out: np.ndarray) -> None:
    for k in range(len(out)):
        out[k] = g[8 * k : 8 * k + 8].sum()


def indirect_sum(table: np.ndarray, g: np.ndarray, out: np.ndarray) -> None:
    out[:] = g[table].sum(axis=0)


def depth_one(out: np.ndarray) -> None:
    total = 0
    for k in range(4):
        total = 2 * (k + total)
    out[0] = total


def matmul(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    c[:] = a.astype(np.float32) @ b.astype(np.float32)


def matrices(k: int) -> Arguments:
    a = rows(8, k).astype(np.float16) if k else zeros(8, 0, dtype=np.float16)
    b = rows(k, 8, 5).astype(np.float16)
    return [a, b, zeros(8, 8)]


def atomic_cell(cell: np.ndarray, a: np.ndarray, out: np.ndarray, total: np.ndarray) -> None:
    for k in range(len(a)):
        out[k] = cell[0]
        cell[0] += k + 1
    total[:] = a.sum(axis=0)


def read_then_increment(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a
    a += 1


def lanes(out: np.ndarray) -> None:
    out[:] = np.arange(len(out)) % 2


def rotate(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = np.roll(a, 1, axis=1)


def two_sums(a: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    x[:] = y[:] = a.sum(axis=0)


def two_accumulators(a: np.ndarray, b: np.ndarray, s: np.ndarray, p: np.ndarray) -> None:
    s[:] = a.sum(axis=0)
    p[:] = a.T @ b


def scatter(table: np.ndarray, flag: np.ndarray, out: np.ndarray) -> None:
    if flag[0]:
        out[table] = np.arange(len(table)) + 5


def split_sum(a: np.ndarray, split: int, out: np.ndarray) -> None:
    out[:] = a.sum(axis=0)


def upper_half(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a[:, 8:]


def add_one(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a + 1


def three_copies(a, b, c, x, y, z) -> None:
    x[:], y[:], z[:] = a, b, c


def three_types(n: int) -> Arguments:
    a, b, c = rows(n, 64), rows(n, 256).astype(np.float16), rows(n, 256).astype(np.int8)
    return [a, b, c, np.zeros_like(a), np.zeros_like(b), np.zeros_like(c)]


def two_copies(a, b, x, y) -> None:
    x[:], y[:] = a, b


def two_tiles(n: int, width: int, half: int) -> Arguments:
    a, b = rows(n, width), rows(n, half, 3).astype(np.float16)
    return [a, b, np.zeros_like(a), np.zeros_like(b)]


def double(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = 2 * a


def twice(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = 2 * a.sum(axis=0)


def dot(w: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    out[:] = (w * x).sum(axis=0)


def product(q: np.ndarray, d: np.ndarray, out: np.ndarray) -> None:
    out[:] = q * d.astype(np.float32)


def masked_sum(live: np.ndarray, a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a[live != 0].sum(axis=0)


def ones(out: np.ndarray) -> None:
    out[:] = 1


def stepped(a, visits, out, lower: int, upper: int, step: int) -> None:
    for k in range(lower, upper, step):
        visits[k] += 1
        out[k] = a[k]


def steps(lower: int, upper: int, step: int) -> Arguments:
    return [rows(24), zeros(24), zeros(24, 16), lower, upper, step]


def countdown(a, visits, out) -> None:
    stepped(a, visits, out, 9, 0, -3)


def last_value(a: np.ndarray, out: np.ndarray, last: np.ndarray) -> None:
    out[:] = 2 * a
    last[0] = a[-1] if len(a) else -1


def tile_max(a: np.ndarray, out: np.ndarray) -> None:
    for k in range(len(out)):
        out[k] = a[8 * k : 8 * k + 8].max()


def partial_store(a: np.ndarray, out: np.ndarray) -> None:
    out[:700] = a


def grid(a: np.ndarray, out: np.ndarray, count: int) -> None:
    if count // 128:
        out[:] = a


def outer_sum(q: np.ndarray, m: int, a: np.ndarray, out: np.ndarray) -> None:
    out[:] = m * a.sum(axis=0)


def all_sum(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a.sum(axis=(0, 1))


def nested_sum(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    out[:] = len(a) * b.sum(axis=0) + len(b) * a.sum(axis=0)


def add_columns(x: np.ndarray, y: np.ndarray) -> None:
    y += x.sum(axis=0)


def odd_sum(a: np.ndarray, out: np.ndarray) -> None:
    out[:] = a[1::2].sum(axis=0)


def store_big(a: np.ndarray, b: np.ndarray) -> None:
    b[a > 2] = a[a > 2]


def stored_prefixes(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    a, b = a.astype(np.float32), b.astype(np.float32)
    for i in range(len(out)):
        end = 32 * (i + 1)
        out[i] = a[:, :end] @ b[:end]


def prefixes(n: int) -> Arguments:
    return [*matrices(8 * n)[:2], zeros(n // 4, 8, 8)]


def masked_matmul(mask: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    keep = np.repeat(mask != 0, 8)
    matmul(a[:, keep], b[keep], c)


def nothing(*_: Any) -> None:
    pass


MASKS = ([], [0], [1], [0, 0, 0, 0], [1, 0, 1, 1, 0], [0, 1, 1, 0, 0, 0, 1], [1] * 8)
PER_ROW = [[rows(n), zeros(16)] for n in TRIPS]
ROW_COPIES = [[rows(n), zeros(n, 16)] for n in TRIPS]
LENGTHS = (0, 1, 7, 8, 9, 20, 24, 33)

CASES = [
    Case("planning/index_from_buffer_feeds_copy", index_from_buffer,
         [[np.arange(96, dtype=np.int32), zeros(24, dtype=np.int32)]], depths=(1, 2, 3, 4)),
    Case("planning/index_from_mutable_scalar", pages,
         [[ints(t), np.arange(96, dtype=np.float32), zeros(len(t), 16)]
          for t in ([5, 3, 1, 0, 2, 4], [2], [], [1, 0])], depths=(2, 3, 5)),
    Case("planning/fill_before_partial_copy", tail_sums,
         [[np.ones(n, np.float32), zeros(-(-n // 8))] for n in LENGTHS], depths=(1, 2, 3)),
    Case("planning/scalar_alias_in_two_stages", copy_rows,
         [[np.arange(16 * n, dtype=np.float32), zeros(16 * n)] for n in TRIPS]),
    Case("planning/two_level_indirect_load", indirect_sum,
         [[ints((3 * i) % 8 for i in range(n)), rows(8), zeros(16)] for n in TRIPS], depths=(2, 3)),
    Case("planning/schedule_on_a_loop_of_depth_one", depth_one, [[zeros(2, dtype=np.int64)]], depths=(0, 1)),
    Case("planning/depths_from_zero", sum_rows, PER_ROW, functions=("depth_0", "depth_1", "depth_2", "depth_7")),
    Case("planning/depth_and_stages_are_two_numbers", matmul, [matrices(k) for k in (8, 40, 64)],
         functions=("depth_2", "depth_3", "depth_4", "depth_5")),
    Case("planning/copy_only_loop", copy_rows, ROW_COPIES, depths=(1, 2, 4)),
    Case("dependencies/read_before_atomic_of_same_cell", atomic_cell,
         [[zeros(1), rows(n), zeros(n), zeros(16)] for n in TRIPS], depths=(1, 2, 3, 4)),
    Case("dependencies/scalar_read_stays_before_atomic", read_then_increment,
         [[ints([7] * n), ints([0] * n)] for n in TRIPS], depths=(1, 2, 3)),
    Case("dependencies/matmul_only_reads_its_operands", matmul, [matrices(k) for k in (0, 24)], depths=(2, 3)),
    Case("dependencies/masked_stores_of_two_blocks", lanes, [[np.full(n, -1, np.float32)] for n in (0, 8, 11)]),
    Case("dependencies/rotated_read_of_a_written_tile", rotate, ROW_COPIES,
         functions=("rotated_read_depth_1", "rotated_read_depth_2", "rotated_read_depth_3")),
    Case("dependencies/two_readers_of_a_single_buffer", two_sums, [[rows(n), zeros(16), zeros(16)] for n in TRIPS],
         functions=("two_readers_depth_0", "two_readers_depth_1", "two_readers_depth_3")),
    Case("dependencies/two_accumulators_in_either_order", two_accumulators,
         [[rows(n), rows(n, 4), zeros(16), zeros(16, 4)] for n in (0, 8, 16, 44, 79)],
         functions=("reduce_then_matmul", "matmul_then_reduce")),
    Case("versioning/late_guarded_use_of_a_loaded_scalar", scatter,
         [[ints(range(n - 1, -1, -1)), ints([f]), ints([0] * n)] for n in (0, 1, 2, 3, 10) for f in (0, 1)],
         depths=(2, 3)),
    Case("versioning/late_guarded_use_of_a_loaded_scalar", copy_rows, ROW_COPIES,
         functions=("reader_first", "writer_first", "distance_three_reader_first", "distance_three_writer_first")),
    Case("versioning/versions_are_added_once", matmul,
         [[rows(128, 64).astype(np.float16), rows(64, 128, 3).astype(np.float16), zeros(128, 128)]]),
    Case("versioning/two_loops_share_tiles", split_sum,
         [[rows(n), s, zeros(16)] for n in (0, 1, 4, 7) for s in (0, 1, 3, 4) if s <= n],
         functions=("depths_2_3", "depths_3_2", "depths_1_4", "depths_2_2", "depths_2_4", "depths_3_3")),
    Case("versioning/view_taken_before_the_loop", upper_half, [[rows(n), zeros(n, 8)] for n in TRIPS], depths=(2, 3, 4)),
    Case("versioning/serial_loop_keeps_its_allocations", sum_rows, PER_ROW, depths=(2, 3)),
    Case("versioning/serial_loop_keeps_its_allocations", sum_rows, [[rows(1), zeros(16)]], entry="one_iteration",
         depths=(1, 2, 3)),
    Case("versioning/all_slots_are_used", copy_rows, ROW_COPIES),
    Case("versioning/live_through_the_loop", add_one, ROW_COPIES, depths=(1, 2, 3)),
    Case("versioning/scratch_of_two_scopes", add_one, ROW_COPIES, depths=(2, 3)),
    Case("versioning/tiles_of_three_element_types", three_copies, [three_types(n) for n in (0, 1, 2, 5)], depths=(2, 3)),
    Case("waits/groups_with_consumers_at_different_points", two_copies, [two_tiles(5, 16, 16)[:1] + [rows(5, 16, 9), zeros(5, 16), zeros(5, 16)]]),
    Case("waits/user_waits_are_kept", lambda a, out: copy_rows(a[:-2], out[:-2]) if len(a) > 2 else None, ROW_COPIES),
    Case("waits/output_tile_waits_for_its_store", double, ROW_COPIES,
         functions=("output_tile_waits_for_its_store", "store_in_a_later_stage")),
    Case("waits/same_pipeline_twice", twice, PER_ROW, depths=(2, 3, 4)),
    Case("waits/short_trip_counts", dot, [[rows(n), rows(n, 16, 4), zeros(16)] for n in TRIPS],
         functions=("short_depth_1", "short_depth_3", "short_depth_4")),
    Case("waits/converted_and_asynchronous_copies_mixed", product,
         [[rows(1, n)[0], rows(1, n, 2)[0].astype(np.float16), zeros(n)] for n in (1, 15, 16, 17, *range(248, 257))],
         depths=(2, 3)),
    Case("waits/skipped_transfers", masked_sum, [[ints(m), rows(len(m)), zeros(16)] for m in MASKS], depths=(1, 2, 3),
         functions=("skipped_transfers", "skipped_whole_body")),
    Case("waits/read_after_atomic_on_a_tile", ones, [[zeros(n, 16)] for n in TRIPS], depths=(1, 2, 3)),
    Case("waits/two_kernels_of_a_module", two_copies, [two_tiles(n, 16, 8) for n in (0, 1, 4)], entry="kernel_16"),
    Case("waits/two_kernels_of_a_module", two_copies, [two_tiles(n, 24, 40) for n in (0, 1, 4)], entry="kernel_24"),
    Case("tails/start_and_step", stepped,
         [steps(*s) for s in ((4, 6, 5), (4, 4, 5), (7, 20, 4), (0, 5, 1), (0, 2, 1), (3, 9, 1), (9, 3, 1), (0, 7, 1), (5, 24, 3))],
         functions=("depth_2", "depth_3", "depth_4")),
    Case("tails/value_of_the_last_iteration", last_value, [[np.arange(3, n + 3, dtype=np.float32), zeros(n), zeros(1)] for n in range(6)], depths=(2, 4)),
    Case("tails/table_is_not_read_past_its_end", lambda t, g, out: copy_rows(g[t], out),
         [[ints((i * 3) % 4 for i in range(n)), rows(4), zeros(n, 16)] for n in TRIPS], depths=(2, 5)),
    Case("tails/fill_value_that_is_not_zero", tile_max, [[np.full(n, -5, np.float32), zeros(-(-n // 8))] for n in LENGTHS], depths=(1, 2, 3)),
    Case("tails/negative_step", countdown, [[rows(10), zeros(10), zeros(10, 16)]],
         functions=("negative_step_depth_2", "negative_step_depth_4")),
    Case("tails/partial_store", partial_store, [[rows(1, 700)[0], np.full(768, -1, np.float32)]], depths=(1, 2, 3)),
    Case("tails/op_that_cannot_be_overlapped", sum_rows, PER_ROW[:4]),
    Case("tails/guarded_element_load", copy_rows, [[rows(1, n)[0], zeros(n)] for n in LENGTHS], depths=(1, 2, 3)),
    Case("dynamic/late_release_of_a_slot", copy_rows, [[rows(n), zeros(n, 16)] for n in range(11)]),
    Case("dynamic/empty_grid", grid, [[rows(n), zeros(n, 16), n] for n in (0, 100, 128)]),
    Case("dynamic/run_time_extent", matmul, [matrices(k) for k in (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 256)],
         functions=("depth_2", "depth_3", "depth_4")),
    Case("nested/bound_of_an_inner_loop_in_memory", outer_sum,
         [[np.array([3][:m], np.int64), m, rows(3), zeros(16)] for m in (0, 1, 3)], depths=(2, 3)),
    Case("nested/pipeline_inside_while", all_sum, [[rows(8 * t).reshape(t, 8, 16), zeros(16)] for t in (0, 1, 3)], depths=(2, 3)),
    Case("nested/pipeline_inside_pipeline", nested_sum, [[rows(n), rows(m, 16, 5), zeros(16)] for n in (0, 1, 3, 4) for m in (0, 1, 4)], depths=(2, 3)),
    Case("nested/pipeline_inside_map", add_columns, [[rows(n, 4), zeros(4)] for n in (0, 1, 5)], depths=(2, 3)),
    Case("nested/condition_on_the_loop_variable", odd_sum, PER_ROW, functions=("condition_depth_2", "condition_depth_3")),
    Case("nested/store_under_a_loaded_condition", store_big, [[np.array([1, 5, 2, 3, 0, 9][:n], np.float32), zeros(n)] for n in range(7)], depths=(2, 3)),
    Case("nested/accumulator_stored_now_and_then", stored_prefixes, [prefixes(n) for n in (0, 3, 4, 8, 9)], depths=(2, 3)),
    Case("nested/sibling_loops_copy_alike", twice, PER_ROW, depths=(2, 3)),
    Case("nested/mask_loaded_in_the_loop", masked_matmul, [[ints(m), *matrices(8 * len(m))] for m in MASKS], depths=(1, 2, 3)),
    Case("errors/deep_pipeline_of_two_iterations", sum_rows, [[rows(2), zeros(16)]], depths=(2, 4, 7)),
    Case("errors/empty_range", nothing, [[rows(2), zeros(16)]], depths=(2, 3)),
]  # fmt: skip
