"""The caches: by kind the field cases CACHE-03, CACHE-04, CACHE-10, CACHE-14 and CACHE-15."""

import base64
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
import tilepipe
from runtime_kernels import matmul_func, scale_func
from tilepipe import cache, ir
from tilepipe._load import native
from tilepipe.runtime import cpu


def stores():
    return cache.statistics.stores


def test_key_does_not_depend_on_what_was_built_before():
    """CACHE-03"""
    f, g = (lambda: matmul_func(64, 64, 64)), (lambda: matmul_func(64, 64, 64, stages=2))
    alone = cache.make_key(f().script(), "cpu", "")
    for build in (g, g, g):
        tilepipe.compile(build())
    assert cache.make_key(f().script(), "cpu", "") == alone
    assert cache.make_key(g().script(), "cpu", "") != alone


def test_key_does_not_depend_on_the_process_or_the_place_of_the_source(tmp_path):
    """CACHE-03: the same kernel in another file, in another process."""
    here = pathlib.Path(__file__).parent / "runtime_kernels.py"
    (tmp_path / "runtime_kernels.py").write_text("# moved down\n" * 7 + here.read_text())
    script = "from runtime_kernels import *; from tilepipe import cache\n"
    script += "print(cache.make_key(matmul_func(64, 64, 64).script(), 'cpu', ''))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path,
                         env={**os.environ, "PYTHONHASHSEED": "7"})  # fmt: skip
    assert run.stdout.strip() == cache.make_key(matmul_func(64, 64, 64).script(), "cpu", "")


def test_library_counts_by_content_and_not_by_time(tmp_path):
    """CACHE-04"""
    library = tmp_path / "lib.so"
    library.write_bytes(b"code" * 1000)
    version = cache.content_hash([library])
    copy = tmp_path / "elsewhere.so"
    shutil.copy(library, copy)
    os.utime(copy, (1, 1))
    assert cache.content_hash([copy]) == version
    copy.write_bytes(b"code" * 999 + b"Code")
    assert cache.content_hash([copy]) != version
    assert cache.make_key("m", "cpu", "", version="1") != cache.make_key("m", "cpu", "", version="2")
    assert {path.name for path in cache._libraries()} >= {"libTilePipe.so"}


def test_parts_of_the_key_do_not_run_into_each_other():
    assert cache.make_key("c", "ab", "") != cache.make_key("c", "a", "b")


def test_jit_keys_arguments_by_name():
    """CACHE-10"""
    made = []

    @tilepipe.jit(out_idx=[-1])
    def factory(n, m=1, kind="a"):
        made.append((n, m, kind))
        return scale_func((n + m,))

    first = factory(64, m=1)
    assert factory(m=1, n=64) is first and factory(64) is first and factory(64, 1, "a") is first
    assert factory(m=64, n=1) is not first
    assert factory(64, m=True) is not first
    assert made == [(64, 1, "a"), (1, 64, "a"), (64, True, "a")]
    with pytest.raises(tilepipe.KernelError, match="not hashable: kind"):
        factory(64, kind=np.zeros(2))


def test_jit_compiles_once_in_many_threads():
    made = []

    @tilepipe.jit(out_idx=[-1])
    def factory(n):
        made.append(n)
        return scale_func((n,))

    kernels = []
    threads = [threading.Thread(target=lambda: kernels.append(factory(48))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [48] and len(set(map(id, kernels))) == 1


def test_options_stay_with_their_kernel():
    """CACHE-14"""
    environment = dict(os.environ)
    configs = {"form": "predicated", "policy": "modulo", "tl.disable_tma_lower": True}
    special = tilepipe.compile(matmul_func(64, 64, 128), pass_configs=configs)
    default = tilepipe.compile(matmul_func(64, 64, 128))
    assert str(special.options) == "policy=modulo,form=predicated"
    assert str(default.options) == "policy=tilelang,form=peeled"
    assert special.ir("injected") != default.ir("injected")
    assert default.ir("injected") == tilepipe.compile(matmul_func(64, 64, 128)).ir("injected")
    assert configs == {"form": "predicated", "policy": "modulo", "tl.disable_tma_lower": True}
    assert dict(os.environ) == environment


@pytest.mark.parametrize("configs, message", [
    ({"form": "flat"}, "pass config 'form' is peeled, prologue or predicated, got 'flat'"),
    ({"fast": True}, "unknown pass config 'fast'; known are policy, form"),
])
def test_wrong_options(configs, message):
    with pytest.raises(tilepipe.KernelError, match=message):
        tilepipe.compile(scale_func(), pass_configs=configs)


def test_arguments_of_tilelang_are_accepted():
    key = tilepipe.PassConfigKey.TL_DISABLE_TMA_LOWER
    assert key == "tl.disable_tma_lower"

    @tilepipe.jit(out_idx=[-1], execution_backend="cython", verbose=False, pass_configs={key: True})
    def factory(n):
        return scale_func((n,))

    assert (factory(20)(np.ones(20, np.float32), 2.0) == 2).all()
    for wrong in (tilepipe.jit, lambda **how: tilepipe.compile(scale_func(), **how)):
        with pytest.raises(tilepipe.KernelError, match="unexpected argument 'fast'; there are out_idx, target and"):
            wrong(fast=True)
    with pytest.raises(AttributeError, match="no pass config key 'FAST'"):
        _ = tilepipe.PassConfigKey.FAST


def compile_and_count(_=0):
    before = cache.statistics.stores, cache.statistics.hits
    kernel = tilepipe.compile(scale_func((100,)), out_idx=[-1])
    x = np.arange(100, dtype=np.float32)
    assert (kernel(x, 3.0) == 3 * x).all()
    return cache.statistics.stores - before[0], cache.statistics.hits - before[1]


def test_one_kernel_is_planned_once(cache_dir):
    """CACHE-15: three times in one process, and in two more."""
    counts = [compile_and_count() for _ in range(3)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        counts += pool.map(compile_and_count, range(2), chunksize=1)
    assert counts == [(1, 0), (0, 1), (0, 1), (0, 1), (0, 1)]
    assert len(cache.Cache(cache_dir).entries()) == 1


def test_processes_at_once(cache_dir):
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        pool.map(compile_and_count, range(6), chunksize=1)
    assert len(cache.Cache(cache_dir).entries()) == 1
    assert [p for p in cache_dir.rglob("*") if p.name.startswith(".new-")] == []


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:-10], lambda data: data[:200] + b"\0" + data[201:], lambda data: b"\xff" * 50,
])
def test_damaged_entries_are_rebuilt(cache_dir, damage):
    compile_and_count()
    (entry,) = cache.Cache(cache_dir).entries()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    assert compile_and_count() == (1, 0)
    assert entry.read_bytes() == whole
    assert compile_and_count() == (0, 1)


def other_kernel():
    """Native code of another kernel."""
    module = ir.Module.parse("func.func @other(%A: memref<4xf32>) { return }", ir.Context())
    return base64.b64encode(native.CpuKernel.compile(module, keep_object=True).object).decode()


@pytest.mark.parametrize("text", [
    lambda good: "this is no code!", lambda good: "AAAA", lambda good: good[: len(good) // 8 * 4],
    lambda good: base64.b64encode(b"\x7fELF" + bytes(500)).decode(), lambda good: other_kernel(),
])  # fmt: skip
def test_an_entry_that_is_no_kernel_is_rebuilt(cache_dir, text):
    compile_and_count()
    store = cache.Cache(cache_dir)
    (entry,) = store.entries()
    whole, key = entry.read_bytes(), entry.parent.name + entry.stem
    store.put(key, text(store.get(key)))
    assert compile_and_count()[0] == 1
    assert entry.read_bytes() == whole


def test_a_hit_compiles_nothing(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("compiled")

    assert compile_and_count() == (1, 0)
    monkeypatch.setattr("tilepipe.compiler._run", refuse)
    monkeypatch.setattr(cpu.CpuProgram, "__init__", refuse)
    assert compile_and_count() == (0, 1)


def test_code_of_another_processor_is_not_used(monkeypatch):
    assert compile_and_count() == (1, 0)
    monkeypatch.setattr("tilepipe.targets.cpu.host", lambda: "another one")
    assert compile_and_count() == (1, 0)
    assert compile_and_count() == (0, 1)


def test_disabled(cache_dir, monkeypatch):
    monkeypatch.setenv("TILEPIPE_DISABLE_CACHE", "1")
    assert compile_and_count() == (0, 0)
    assert not cache_dir.exists()


def test_folder_that_cannot_be_written(cache_dir, monkeypatch):
    cache_dir.write_text("a file")
    assert compile_and_count()[1] == 0
    assert cache_dir.read_text() == "a file"


def test_size_is_bounded_and_the_oldest_go(cache_dir):
    store = cache.Cache(cache_dir, limit=5000)
    keys = [f"{i:064x}" for i in range(10)]
    for i, key in enumerate(keys):
        store.put(key, "x" * 1000)
        if store.path(key).exists():
            os.utime(store.path(key), (i, i))
    kept = [key for key in keys if store.path(key).exists()]
    assert kept == keys[-len(kept):] and len(kept) == 4
    assert store.get(kept[0]) == "x" * 1000  # used now: the next one goes
    store.put("f" * 64, "y" * 1000)
    assert store.path(kept[0]).exists() and not store.path(kept[1]).exists()
