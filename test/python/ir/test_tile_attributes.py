"""Attributes of the tile dialect: spaces, stages, schedules, machines."""

import pytest
from tilepipe.dialects import tile
from tilepipe.ir import Attribute, MLIRError, Module, Type

TOY = """
#toy = #tile.target<"toy",
  memories = [#tile.memory<shared, capacity = 65536, align = 16>],
  transfers = [#tile.transfer<global to shared, unit = "copy", async = true,
               issue = 1, latency = 30, bytes_per_cycle = 64>],
  units = [#tile.unit<tensor, ops_per_cycle = 256, latency = 16>]>
module attributes {tile.target = #toy} { func.func private @f() }
"""


def test_kernel_attributes(ctx):
    assert tile.SpaceAttr.get("shared") == Attribute.parse("#tile.space<shared>")
    assert tile.space("fragment").value == "fragment"
    stage = tile.StageAttr.get(2, 5)
    assert str(stage) == "#tile.stage<2, order = 5>" and (stage.stage, stage.order) == (2, 5)
    schedule = Attribute.parse("#tile.pipeline_schedule<depth = 3, ii = 640>")
    assert isinstance(schedule, tile.PipelineScheduleAttr)
    assert (schedule.depth, schedule.ii) == (3, 640)
    assert tile.PipelineScheduleAttr.get(2).ii == 0
    assert isinstance(Type.parse("!tile.token"), tile.TokenType)
    assert tile.TokenType.get() == Type.parse("!tile.token")


def test_errors(ctx):
    with pytest.raises(ValueError, match="unknown memory space 'l9'"):
        tile.SpaceAttr.get("l9")
    with pytest.raises(MLIRError, match="Invalid attribute"):
        tile.StageAttr.get(-1, 0)
    with pytest.raises(ValueError, match="Cannot cast"):
        tile.StageAttr(Attribute.parse("1 : i32"))


def test_machine(ctx):
    module = Module.parse(TOY)
    target = tile.get_target(module.body.operations[0])
    assert target == module.operation.attributes["tile.target"] and target.name == "toy"
    memory = target.memory("shared")
    assert (memory.space, memory.capacity, memory.align) == ("shared", 65536, 16)
    assert target.memory("l1") is None and target.memories == [memory]
    path = target.transfer("global", "shared")
    assert (path.unit, path.is_async, path.issue, path.latency, path.bytes_per_cycle) == (
        "copy", True, 1, 30, 64)
    assert (path.source, path.target) == ("global", "shared")
    assert target.transfer("shared", "global") is None
    assert [(u.kind, u.ops_per_cycle, u.latency) for u in target.units] == [("tensor", 256, 16)]
    neutral = tile.get_target(Module.parse("").operation)
    assert neutral.transfer("global", "shared").is_async


def test_known_machines(ctx):
    models = tile.target_models()
    assert models and all(isinstance(m, tile.TargetAttr) for m in models.values())
    assert all(m.memory("shared") or m.memories or m.units for m in models.values())
