"""The loops of the conformance corpus on Ascend: right under every policy, or refused with a place.

The corpus is target neutral; dav-2201 has no path for some of it. What may be refused is listed here, so that a
loop does not fall out unnoticed. (The same loops as PTX: test/Target/NVIDIA/run-corpus.test.)
"""

import pathlib
import re

import pytest
import tilepipe
from tilepipe.frontend.errors import KernelError
from tilepipe.targets import is_built

LOOPS = pathlib.Path(__file__).parents[2] / "Corpus" / "loops"
REFUSED = {
    # Element-wise code between two products of one accumulator.
    "flash_fwd_causal_ns2", "flash_fwd_ns1", "flash_gqa_ns2", "flash_kv_both_first_ns2", "flash_manual_stage_split",
    "gemm_with_scales",
    # A tile of a product that is computed on chip, filled, converted, or used outside of products.
    "dequant_gemm_ns2", "dequant_gemm_ns3", "fill_then_copy", "fill_then_guarded_copy", "gemm_cast_copy",
    "gemm_shared_to_shared_hop", "guarded_copy_only", "inplace_update_of_tile", "manual_three_way_split",
    "register_staged_load", "serial_inner_loop_copies", "tile_live_after_loop", "tile_live_before_loop",
    "two_copies_disjoint_halves",
    # Addresses that are computed from data or may be negative, and atomics.
    "atomic_accumulate", "atomic_target_is_loaded", "bind_cross_stage", "bind_page_table",
    "index_computed_then_copy", "pipelined_in_parallel",
}  # fmt: skip


def in_a_launch(text: str) -> str:
    """The function's body as one block of a launch."""
    if "tile.launch" in text:
        return text
    head = re.search(r"func\.func @\w+\(.*?\)\s*\{\n", text, re.DOTALL)
    assert head
    end = text.rindex("  return")
    launch = "  tile.launch (%block) in [1] threads = 64 {\n"
    return text[: head.end()] + launch + text[head.end() : end] + "  }\n" + text[end:]


def programs():
    for path in sorted(LOOPS.glob("*.mlir")):
        if "RUN: tile-run %s --check" in path.read_text():
            yield pytest.param(path, id=path.stem)


@pytest.mark.skipif(not is_built("ascend"), reason="this build has no target ascend")
@pytest.mark.parametrize("path", list(programs()))
def test_loop(path):
    try:
        kernel = tilepipe.from_mlir(in_a_launch(path.read_text()), target="ascend:dav-2201")
    except KernelError as error:
        assert path.stem in REFUSED, str(error)
        assert re.search(r":\d+:\d+: error: ", str(error)), "a refusal has a place"
        return
    report = kernel.check(seeds=1)
    assert report, repr(report)
