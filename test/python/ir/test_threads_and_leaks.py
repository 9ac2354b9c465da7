"""Many compilations: in one process one after the other, and in many threads at once.

TILEPIPE_COMPILE_CYCLES sets the number of cycles of the leak test (default 400).
"""

import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tilepipe.ir import Context, Location, MLIRError, Module
from tilepipe.passmanager import PassManager

CYCLES = int(os.environ.get("TILEPIPE_COMPILE_CYCLES", "400"))
PIPELINE = "builtin.module(pipeline-planning,inject-software-pipeline,canonicalize,cse)"
KERNEL = """
func.func @k(%A: memref<256x128xf16>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t{tag} = arith.constant {tag} : index
  %As = tile.alloc : memref<64x32xf16, #tile.space<shared>>
  %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = {stages} {{
    tile.copy %A[%k, %t{tag}] to %As : memref<256x128xf16> to memref<64x32xf16, #tile.space<shared>>
    tile.gemm %As, %As, %C {{transpose_b}} : memref<64x32xf16, #tile.space<shared>>,
        memref<64x32xf16, #tile.space<shared>>, memref<64x64xf32, #tile.space<fragment>>
  }}
  return
}}
"""
WRONG = "func.func @f() {{\n{blank}  %0 = arith.addi %u{tag}, %u{tag} : i32\n  return\n}}"


def compile_once(tag: int, stages: int = 3) -> str:
    with Context(), Location.unknown():
        module = Module.parse(KERNEL.format(tag=tag, stages=stages))
        PassManager.parse(PIPELINE).run(module)
        return str(module)


def resident_kib() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_no_leak_over_many_compilations():
    for tag in range(50):
        compile_once(tag)
    gc.collect()
    before = resident_kib()
    for tag in range(CYCLES):
        compile_once(tag % 7)
        if tag % 10 == 0:
            with Context(), pytest.raises(MLIRError):
                Module.parse(WRONG.format(blank="", tag=tag))
    gc.collect()
    # A leaked context alone has more than 200 KiB.
    grown = resident_kib() - before
    assert grown < 4096 + CYCLES // 4, f"{grown} KiB over {CYCLES} compilations"


def test_one_context_does_not_grow():
    """Handles of many modules in one context do not pile up."""
    with Context() as ctx, Location.unknown():
        for tag in range(50):
            module = Module.parse(KERNEL.format(tag=tag, stages=2))
            module.operation.walk(lambda op: None)
            assert ctx._get_live_operation_count() >= 1
            del module
        gc.collect()
        assert ctx._get_live_operation_count() == 0 and ctx._get_kept_tree_count() == 0


def test_eight_threads_with_a_context_each():
    serial = {tag: compile_once(tag, 2 + tag % 3) for tag in range(8)}
    start = threading.Barrier(8)

    def work(tag):
        start.wait()
        results = []
        for _ in range(6):
            results.append(compile_once(tag, 2 + tag % 3))
            with Context(), pytest.raises(MLIRError) as caught:
                Module.parse(WRONG.format(blank="\n" * tag, tag=tag))
            results.append((caught.value.line, len(caught.value.error_diagnostics)))
        return results

    with ThreadPoolExecutor(8) as pool:
        for tag, results in enumerate(pool.map(work, range(8))):
            assert results[0::2] == [serial[tag]] * 6
            assert results[1::2] == [(2 + tag, 1)] * 6


def test_eight_threads_on_one_context():
    """Diagnostics stay with the thread that caused them; modules are apart."""
    ctx = Context()
    start = threading.Barrier(8)

    def work(tag):
        start.wait()
        found = []
        for _ in range(20):
            with pytest.raises(MLIRError) as caught:
                Module.parse(WRONG.format(blank="\n" * tag, tag=tag), context=ctx)
            found.append((caught.value.line, len(caught.value.error_diagnostics)))
            module = Module.parse(KERNEL.format(tag=tag, stages=3), context=ctx)
            PassManager.parse("builtin.module(canonicalize,cse)", context=ctx).run(module)
            found.append(str(module).count("tile.gemm"))
        return found

    with ThreadPoolExecutor(8) as pool:
        for tag, found in enumerate(pool.map(work, range(8))):
            assert found == [(2 + tag, 1), 1] * 20


BIG = "func.func @f(%a: i32) -> i32 {{\n{body}  return %v{last} : i32\n}}"


def big_module(ctx, count=20000):
    lines = "".join(
        f"  %v{i} = arith.addi %{'a' if i == 0 else f'v{i - 1}'}, %a : i32\n" for i in range(count)
    )
    return Module.parse(BIG.format(body=lines, last=count - 1), context=ctx)


def test_gil_is_released_while_passes_run():
    ctx = Context()
    module = big_module(ctx)
    pm = PassManager.parse("builtin.module(canonicalize,cse,canonicalize,cse)", context=ctx)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    pm.run(module)
    end = time.perf_counter()
    done.set()
    thread.join()
    inside = [t for t in ticks if begin + 0.1 * (end - begin) < t < end - 0.1 * (end - begin)]
    assert len(inside) > 3, f"{len(inside)} ticks in {end - begin:.3f} s"


def test_other_threads_cannot_touch_what_a_pass_transforms():
    ctx = Context()
    module = big_module(ctx)
    function = module.body.operations[0]
    pm = PassManager.parse("builtin.module(canonicalize,cse,canonicalize,cse)", context=ctx)
    seen = []
    running, done = threading.Event(), threading.Event()

    def touch():
        running.wait()
        while not done.is_set():
            for use in (lambda: str(module), lambda: list(module.body), lambda: pm.run(module),
                        lambda: str(function), lambda: module.operation.erase()):
                try:
                    if done.is_set():
                        break
                    use()
                    seen.append("worked")
                    return
                except RuntimeError as error:
                    seen.append(str(error))

    thread = threading.Thread(target=touch)
    thread.start()
    running.set()
    pm.run(module)
    done.set()
    thread.join()
    assert all("thread" in s or "invalidated" in s or s == "worked" for s in seen)


def test_pipelines_that_fail_at_the_same_time_keep_their_diagnostics():
    """All eight capture at once, without the GIL, on one context."""
    ctx = Context()
    modules = [big_module(ctx, 500 * (1 + tag)) for tag in range(8)]
    start = threading.Barrier(8)

    def work(tag):
        failing = f"arith-emulate-unsupported-floats{{source-types=wrong{tag} target-type=f32}}"
        pm = PassManager.parse(f"builtin.module(canonicalize,cse,{failing})", context=ctx)
        found = []
        for _ in range(5):
            start.wait()
            with pytest.raises(MLIRError) as caught:
                pm.run(modules[tag])
            found.append([d.message.count(f"wrong{tag}'") for d in caught.value.error_diagnostics])
        return found

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(work, range(8)):
            assert found == [[1]] * 5
