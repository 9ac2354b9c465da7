"""A handle of something that is gone raises; nothing crashes."""

import gc
import random

import pytest
from tilepipe.dialects import arith, func
from tilepipe.ir import (
    Context,
    InsertionPoint,
    IntegerType,
    Location,
    MLIRError,
    Module,
    Operation,
    SymbolTable,
    UnitAttr,
)
from tilepipe.passmanager import PassManager

STALE = "invalidated"
TEXT = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  cf.br ^bb1(%0 : i32)
^bb1(%b: i32):
  return %b : i32
}
"""


def probe(op, block, value, argument, region):
    """One use of each kind of handle."""
    yield lambda: str(op)
    yield lambda: op.operation.name
    yield lambda: op.operation.verify()
    yield lambda: op.operation.erase()
    yield lambda: op.operation.parent
    yield lambda: list(op.operation.operands)
    yield lambda: list(op.operation.results)
    yield lambda: list(op.operation.regions)
    yield lambda: op.operation.attributes["x"]
    yield lambda: op.operation.attributes.__setitem__("x", UnitAttr.get())
    yield lambda: op.operation.clone()
    yield lambda: op.operation.move_before(op)
    yield lambda: op.operation.detach_from_parent()
    yield lambda: op.operation.walk(lambda o: None)
    yield lambda: InsertionPoint(op)
    yield lambda: list(block)
    yield lambda: list(block.operations)
    yield lambda: list(block.arguments)
    yield lambda: block.region
    yield lambda: block.owner
    yield lambda: str(block)
    yield lambda: block.erase()
    yield lambda: block.add_argument(IntegerType.get_signless(1), Location.unknown())
    yield lambda: InsertionPoint(block)
    for v in (value, argument):
        yield lambda v=v: str(v)
        yield lambda v=v: v.type
        yield lambda v=v: v.owner
        yield lambda v=v: list(v.uses)
        yield lambda v=v: v.get_name()
        yield lambda v=v: v.replace_all_uses_with(v)
        yield lambda v=v: arith.addi(v, v)
    yield lambda: list(region.blocks)
    yield lambda: region.owner


def collect(module):
    function = module.body.operations[0]
    block = function.regions[0].blocks[1]
    return function, block, function.entry_block.operations[0].result, block.arguments[0], \
        function.regions[0]


def check_all_stale(handles):
    hash(handles[0].operation), hash(handles[1]), hash(handles[2])
    for use in probe(*handles):
        with pytest.raises(RuntimeError, match=STALE):
            use()


def test_after_erase(ctx):
    module = Module.parse(TEXT)
    handles = collect(module)
    assert handles[0].is_valid
    handles[0].operation.erase()
    assert not handles[0].is_valid
    check_all_stale(handles)
    assert len(module.body.operations) == 0


def test_after_a_pass(ctx):
    module = Module.parse(TEXT)
    handles = collect(module)
    body = module.body
    PassManager.parse("any(canonicalize)").run(module)
    check_all_stale(handles)
    # The root and what it still has stay usable.
    assert len(body.operations) == 1 and body.owner == module.operation


def test_after_a_pass_on_the_function_itself(ctx):
    """Blocks of the root that a pass has erased."""
    module = Module.parse(TEXT)
    function, block, value, argument, region = collect(module)
    entry = function.entry_block
    PassManager.parse("func.func(canonicalize)").run(function)
    assert len(function.regions[0].blocks) == 1 and len(list(region.blocks)) == 1
    assert str(entry.arguments[0].type) == "i32"
    for use in (lambda: list(block), lambda: argument.type, lambda: value.type,
                lambda: InsertionPoint(block)):
        with pytest.raises(RuntimeError, match=STALE):
            use()


def test_after_failed_pass(ctx):
    module = Module.parse(TEXT)
    function = module.body.operations[0]
    failing = "arith-emulate-unsupported-floats{source-types=nonsense target-type=f32}"
    with pytest.raises(MLIRError, match="Failure while executing.*\n.*nonsense"):
        PassManager.parse(f"builtin.module({failing})").run(module)
    with pytest.raises(RuntimeError, match=STALE):
        str(function)


def test_block_erased(ctx):
    module = Module.parse(TEXT)
    function, block, _, argument, _ = collect(module)
    inner = block.operations[0]
    function.entry_block.operations[1].erase()
    block.erase()
    for use in (lambda: str(inner), lambda: list(block), lambda: argument.type):
        with pytest.raises(RuntimeError, match=STALE):
            use()
    assert len(function.regions[0].blocks) == 1


def test_argument_erased(ctx):
    module = Module.parse("func.func private @g(i32)")
    function = func.FuncOp("f", ([], []), ip=InsertionPoint(module.body))
    block = function.add_entry_block()
    i32 = IntegerType.get_signless(32)
    first, second = (block.add_argument(i32, Location.unknown()) for _ in range(2))
    block.erase_argument(0)
    assert second.arg_number == 0
    with pytest.raises(RuntimeError, match=STALE):
        _ = first.type


def test_symbol_erased(ctx):
    module = Module.parse(TEXT)
    handles = collect(module)
    SymbolTable(module).erase(handles[0])
    check_all_stale(handles)


def test_iterator_over_erased(ctx):
    module = Module.parse("func.func private @a() func.func private @b() func.func private @c()")
    it = iter(module.body)
    next(it)
    module.body.operations[1].erase()
    with pytest.raises(RuntimeError, match=STALE):
        next(it)


def test_insertion_point_that_is_gone(ctx):
    module = Module.parse("func.func @f() { return }")
    ret = module.body.operations[0].entry_block.operations[0]
    point = InsertionPoint(ret)
    ret.erase()
    with pytest.raises(RuntimeError, match=STALE), point:
        arith.constant(IntegerType.get_signless(1), 0)


def test_detached_tree_frees_what_is_in_it(ctx):
    module = Module.parse(TEXT)
    function = module.body.operations[0]
    inner = function.entry_block.operations[0]
    function.detach_from_parent()
    # `inner` keeps its own tree alive, wherever that has gone.
    del function, module
    gc.collect()
    assert "arith.addi" in str(inner)
    assert "func.func" in str(inner.operation.parent)


def test_values_of_a_freed_tree(ctx):
    """What others use is kept until the context goes."""
    ctx.allow_unregistered_dialects = True
    i32 = IntegerType.get_signless(32)
    producer = Operation.create("custom.p", results=[i32])
    consumer = Operation.create("custom.c", operands=[producer.result])
    del producer
    gc.collect()
    assert consumer.operands[0].owner.name == "custom.p"
    producer = Operation.create("custom.p", results=[i32])
    holder = Operation.create("custom.h", regions=1)
    with InsertionPoint(holder.regions[0].blocks.append()):
        Operation.create("custom.c", operands=[producer.result])
    with pytest.raises(RuntimeError, match="still used"):
        producer.erase()
    del producer, holder, consumer
    gc.collect()
    assert ctx._get_live_operation_count() == 0


def test_moved_op_outlives_its_old_tree(ctx):
    a = Module.parse("func.func private @x()")
    b = Module.create()
    op = a.body.operations[0]
    with InsertionPoint(b.body):
        func.FuncOp("y", ([], []), visibility="private")
    op.move_before(b.body.operations[0])
    del a
    gc.collect()
    assert op.operation.parent == b.operation
    del b
    gc.collect()
    assert str(op.operation.parent).count("func.func") == 2


@pytest.mark.parametrize("seed", range(20))
def test_random_edits(seed):
    """Any sequence of edits and handles ends in a value or an exception."""
    rng = random.Random(seed)
    with Context() as ctx, Location.unknown():
        ctx.allow_unregistered_dialects = True
        i32 = IntegerType.get_signless(32)
        module = Module.parse(TEXT)
        handles = [module.operation]
        passes = PassManager.parse("any(canonicalize,cse)")
        passes.enable_verifier(True)

        def pick():
            return rng.choice(handles)

        def grow():
            op = pick()
            kids = [o for r in op.regions for b in r.blocks for o in b.operations]
            handles.extend(k.operation for k in rng.sample(kids, min(2, len(kids))))

        def create():
            values = [v for h in rng.sample(handles, min(3, len(handles))) if h.is_valid
                      for v in h.results]
            handles.append(Operation.create("custom.x", results=[i32], operands=values, regions=1))

        def insert():
            target = pick()
            blocks = [b for r in target.regions for b in r.blocks]
            if not blocks:
                blocks = [target.regions[0].blocks.append(i32)]
            rng.choice(blocks).append(pick())

        actions = [grow, grow, create, create, insert, insert,
                   lambda: pick().erase(),
                   lambda: pick().detach_from_parent(),
                   lambda: handles.append(pick().clone().operation),
                   lambda: pick().move_after(pick()),
                   lambda: handles.remove(pick()),
                   lambda: passes.run(pick()),
                   lambda: str(pick()),
                   lambda: pick().regions[0].blocks[0].erase(),
                   lambda: pick().result.replace_all_uses_with(pick()),
                   lambda: pick().operands.__setitem__(0, pick()),
                   lambda: pick().verify()]
        for _ in range(300):
            try:
                rng.choice(actions)()
            except (RuntimeError, ValueError, MLIRError, IndexError):
                pass
            if not handles:
                handles.append(Module.parse(TEXT).operation)
        handles.clear()
        del module
        gc.collect()
        assert ctx._get_live_operation_count() == 0
