"""Targets are chosen by name; what is unknown is said with what is known."""

import pytest
import tilepipe
from tilepipe import target, targets
from vector_add import vector_add


def test_names():
    assert target.names() == ("auto", "cpu", "cuda:sm_80", "ascend:dav-2201")
    assert str(target.parse("cpu")) == "cpu"
    assert target.parse(target.parse("cpu")) == target.Target("cpu")


@pytest.mark.parametrize("name", ["gpu", "cuda:sm_1", "cuda:", "cpu:", "cpu:x86", "ascend:sm_80", ""])
def test_unknown(name):
    with pytest.raises(tilepipe.KernelError, match=f"unknown target '{name}'; known are auto, cpu, cuda:sm_80, asc"):
        tilepipe.compile(vector_add(64), target=name)


@pytest.mark.parametrize("kind, chip", [("cuda", "sm_80"), ("ascend", "dav-2201")])
def test_kind_alone_means_its_first_chip(kind, chip, monkeypatch):
    monkeypatch.setattr(targets, "is_built", lambda kind: True)
    assert target.parse(kind) == target.parse(f"{kind}:{chip}") == target.Target(kind, chip)


def test_a_build_without_a_target(monkeypatch):
    monkeypatch.setattr(targets, "is_built", lambda kind: kind == "cpu")
    with pytest.raises(tilepipe.KernelError, match="target 'cuda' is not part of this build"):
        target.parse("cuda")


def test_auto_is_the_cpu_without_a_device(monkeypatch):
    monkeypatch.setattr(targets, "is_built", lambda kind: kind == "cpu")
    target._found.cache_clear()
    try:
        assert target.parse("auto") == target.Target("cpu")
    finally:
        target._found.cache_clear()


def test_emulate_on_the_cpu():
    import numpy as np

    kernel = tilepipe.compile(vector_add(300, block=64, num_stages=3), out_idx=[-1], target="cpu")
    a = np.arange(300, dtype=np.float32)
    for policy in kernel.backend.policies:
        assert (kernel.emulate(a, a, policy=policy, seed=3) == 2 * a).all()
    with pytest.raises(tilepipe.KernelError, match="unknown policy 'lazy'; known are eager, late"):
        kernel.emulate(a, a, policy="lazy")


@pytest.mark.parametrize("name, spaces", [("cuda:sm_80", {"shared"}), ("ascend:dav-2201", {"l1", "l0a", "l0b", "l0c"})])
def test_plan_and_resources_know_the_machine(name, spaces):
    import gemm

    if not targets.is_built(name.split(":")[0]):
        pytest.skip(f"this build has no target {name}")
    kernel = tilepipe.compile(gemm.gemm(64, 64, 128, 32, 32, 32, 3), out_idx=[-1], target=name)
    (loop,) = kernel.plan.loops
    assert {b.space for b in loop.buffers} <= spaces | {"fragment"} and loop.depth == 3
    assert [s.is_async for s in loop.statements] == [True, True, False]
    memory = kernel.resources.memory
    assert set(memory) == spaces and all(0 < use.bytes <= use.capacity for use in memory.values())
    with pytest.raises(tilepipe.KernelError, match="num_stages = "):
        tilepipe.compile(gemm.gemm(1024, 1024, 1024, 128, 128, 64, 40), target=name)
