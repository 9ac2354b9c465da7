"""Every synchronisation in the emitted text is needed: weakened, it is detected.

A mutant that is not detected is a synchronisation that should not be emitted.
"""

import os

import gemm
import gemm_bias_relu
import manual_schedule
import pytest
import row_softmax
import tilepipe
import vector_add
from tilepipe.targets import is_built

IS_LONG = os.environ.get("TILEPIPE_TEST_MODE") == "long"
# Each warp reads what another one has copied, and loops are long enough to use each slot again: in smaller kernels
# some barriers order what happens to be ordered.
BLOCK = {"block_M": 64, "block_N": 32, "block_K": 32, "threads": 64}
KERNELS = {
    "gemm_nk_depth3": lambda: gemm.gemm(72, 40, 160, num_stages=3, **BLOCK),
    "gemm_kn_depth2": lambda: gemm.gemm(72, 40, 160, num_stages=2, transpose_B=False, **BLOCK),
    "bias_relu": lambda: gemm_bias_relu.gemm_bias_relu(72, 40, 128, num_stages=2, **BLOCK),
    "vector_add": lambda: vector_add.vector_add(300, 64, 5, 2, threads=64),
    "row_softmax": lambda: row_softmax.row_softmax(15, 33, 4, 4, 2, threads=64),
    # Here each thread of a GPU reads what it has copied itself.
    "row_softmax_by_fours": lambda: row_softmax.row_softmax(15, 40, 4, 4, 2, threads=64),
    "producer_last": lambda: manual_schedule.producer_last(300, threads=64),
}
LONG = {
    "gemm_nk_depth1": lambda: gemm.gemm(72, 40, 160, num_stages=1, **BLOCK),
    "gemm_kn_depth4": lambda: gemm.gemm(72, 40, 224, num_stages=4, transpose_B=False, **BLOCK),
    "bias_relu_depth3": lambda: gemm_bias_relu.gemm_bias_relu(72, 40, 192, num_stages=3, **BLOCK),
    "vector_add_depth4": lambda: vector_add.vector_add(700, 64, 9, 4, threads=64),
    "row_softmax_depth3": lambda: row_softmax.row_softmax(23, 33, 4, 5, 3, threads=64),
    **{f"manual{i}": lambda stage=stage, order=order: manual_schedule.gemm_by_hand(72, 40, 224, stage, order, **BLOCK)
       for i, (stage, order) in enumerate(manual_schedule.SCHEDULES)},
}  # fmt: skip
NAMES = [*KERNELS, *(LONG if IS_LONG else ())]


@pytest.mark.parametrize("target", ["cuda:sm_80", "ascend:dav-2201"])
@pytest.mark.parametrize("name", NAMES)
def test_each_synchronisation_is_needed(name, target):
    if not is_built(target.split(":")[0]):
        pytest.skip(f"this build has no target {target}")
    kernel = tilepipe.compile({**KERNELS, **LONG}[name](), out_idx=[-1], target=target)
    report = kernel.check(seeds=2, mutants=True)
    assert report, repr(report)
    assert report.mutants
    assert not report.undetected, repr(report)
