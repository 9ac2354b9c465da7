"""Operations, views, regions, blocks, values."""

import io

import pytest
from tilepipe.dialects import arith, func, scf
from tilepipe.ir import (
    Attribute,
    Block,
    BlockArgument,
    Context,
    F32Type,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    MLIRError,
    Module,
    Operation,
    OpResult,
    OpView,
    StringAttr,
    Type,
    UnitAttr,
    Value,
    WalkOrder,
    WalkResult,
)

TEXT = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %0 : i32
  return %1 : i32
}
"""


@pytest.fixture
def module(ctx):
    return Module.parse(TEXT)


@pytest.fixture
def body(module):
    return module.body.operations[0].regions[0].blocks[0]


def names(block):
    return [op.name if isinstance(op.name, str) else op.operation.name for op in block]


def test_traversal(module, body):
    function = module.body.operations[0]
    assert isinstance(function, func.FuncOp) and function.operation.name == "func.func"
    assert len(function.regions) == 1 and len(function.regions[0].blocks) == 1
    assert names(body) == ["arith.addi", "arith.muli", "func.return"]
    assert [op.operation.name for op in body.operations[1:]] == ["arith.muli", "func.return"]
    assert body.operations[-1].operation.name == "func.return"
    assert body.owner == function and body.region == function.regions[0]
    assert function.operation.parent == module.operation
    assert body.operations[0].operation.block == body
    with pytest.raises(IndexError):
        _ = body.operations[3]


def test_identity(module, body):
    add = body.operations[0]
    assert add == body.operations[0] and hash(add) == hash(body.operations[0])
    assert add.operation is body.operations[0].operation
    assert add.operation == add and add != body.operations[1] and add != 5
    assert isinstance(add.operation, Operation) and isinstance(add, OpView)
    assert add.operation.opview == add


def test_values(module, body):
    add, mul, _ = body.operations
    value = add.result
    assert isinstance(value, OpResult) and value.result_number == 0
    assert value.owner == add and str(value.type) == "i32"
    assert mul.operands[0] == value and list(mul.operands.types) == [value.type] * 2
    assert add.operands[0] == body.arguments[0]
    argument = body.arguments[1]
    assert isinstance(argument, BlockArgument) and argument.arg_number == 1
    assert argument.owner == body
    assert value.get_name() == "%0" and argument.get_name() == "%arg1"
    assert str(value) == "Value(%0 = arith.addi %arg0, %arg1 : i32)"
    assert body.arguments.types == [value.type] * 2
    assert Value(value) == value and OpResult.isinstance(value)
    with pytest.raises(ValueError):
        BlockArgument(value)


def test_uses_and_replacement(module, body):
    add, mul, ret = body.operations
    uses = list(add.result.uses)
    assert [(use.owner, use.operand_number) for use in uses] == [(mul, 1), (mul, 0)]
    add.result.replace_all_uses_except(body.arguments[0], [mul])
    assert len(list(add.result.uses)) == 2
    add.result.replace_all_uses_with(body.arguments[0])
    assert not list(add.result.uses)
    mul.operands[1] = body.arguments[1]
    assert mul.operands[1] == body.arguments[1]
    ret.operands[0] = mul  # an operation stands for its one result
    add.erase()
    assert module.operation.verify()
    with pytest.raises(IndexError):
        mul.operands[2] = body.arguments[0]


def test_erase_keeps_what_is_used(body):
    with pytest.raises(RuntimeError, match="still used"):
        body.operations[0].erase()
    assert names(body)[0] == "arith.addi"


def test_erase_while_iterating(ctx):
    module = Module.parse("func.func private @a() func.func private @b() func.func private @c()")
    for op in module.body.operations:
        op.erase()
    assert len(module.body.operations) == 0


def test_move_clone_detach(module, body):
    add, mul, _ = body.operations
    copy = add.clone(ip=InsertionPoint(mul))
    assert names(body)[:2] == ["arith.addi", "arith.addi"] and copy != add
    copy.move_before(add)
    assert body.operations[0] == copy and copy.is_before_in_block(add)
    copy.move_after(mul)
    assert body.operations[2] == copy
    copy.detach_from_parent()
    assert not copy.attached and copy.operation.parent is None
    with pytest.raises(ValueError, match="no parent"):
        copy.detach_from_parent()
    InsertionPoint.at_block_terminator(body).insert(copy)
    assert copy.attached and module.operation.verify()
    with pytest.raises(ValueError, match="already attached"):
        InsertionPoint(add).insert(copy)
    function = module.body.operations[0]
    with pytest.raises(ValueError, match="itself"):
        function.move_before(add)
    with pytest.raises(ValueError, match="itself"):
        add.move_before(add)


def test_insertion_points(ctx):
    i32 = IntegerType.get_signless(32)
    module = Module.parse("func.func @f() { return }")
    block = module.body.operations[0].regions[0].blocks[0]
    with InsertionPoint.at_block_terminator(block):
        one = arith.constant(i32, 1)
    with InsertionPoint.at_block_begin(block):
        arith.constant(i32, 0)
    with InsertionPoint(one.owner):
        arith.constant(i32, 5)
    with InsertionPoint.after(one.owner):
        arith.constant(i32, 2)
    values = [op.literal_value for op in list(block)[:-1]]
    assert values == [0, 5, 1, 2]
    with pytest.raises(IndexError, match="already has a terminator"), InsertionPoint(block):
        arith.constant(i32, 3)
    point = InsertionPoint(one.owner)
    assert point.ref_operation == one.owner and point.block == block
    empty = Module.create()
    with pytest.raises(ValueError, match="no terminator"):
        InsertionPoint.at_block_terminator(empty.body)


def test_create_generic(ctx):
    ctx.allow_unregistered_dialects = True
    i32 = IntegerType.get_signless(32)
    op = Operation.create(
        "custom.op", results=[i32, i32], regions=1, attributes={"foo": StringAttr.get("v")}
    )
    assert op.name == "custom.op" and len(op.results) == 2 and len(op.regions) == 1
    with pytest.raises(ValueError, match="has 2 results"):
        _ = op.result
    user = Operation.create("custom.use", operands=[op.results[0]], infer_type=False)
    assert user.operands[0] == op.results[0]
    block = op.regions[0].blocks.append(i32, IndexType.get())
    assert block.arguments.types == [i32, IndexType.get()]
    with pytest.raises(TypeError, match="expected an Attribute"):
        Operation.create("custom.op", attributes={"foo": 1})
    with pytest.raises(ValueError):
        Operation.create("custom.op", regions=-1)
    assert str(op.get_asm(print_generic_op_form=True)).startswith('%0:2 = "custom.op"')


def test_create_registered(ctx):
    i32 = IntegerType.get_signless(32)
    one = Operation.create("arith.constant", attributes={"value": IntegerAttr.get(i32, 1)},
                           infer_type=True)
    add = Operation.create("arith.addi", operands=[one.result, one], infer_type=True)
    assert add.result.type == i32
    with pytest.raises(MLIRError, match="expected 2 operands, but found 0"):
        Operation.create("arith.addi", infer_type=True)
    with pytest.raises(MLIRError, match="Invalid attributes"):
        Operation.create("arith.cmpi", [Type.parse("i1")], [one, one],
                         {"predicate": StringAttr.get("x")})
    with pytest.raises(MLIRError, match="not registered"):
        Operation.create("arith.nonsense")
    with pytest.raises(RuntimeError, match="does not infer"):
        Operation.create("func.return", infer_type=True)
    with Context() as other, Location.unknown(), pytest.raises(ValueError, match="contexts"):
        assert other is not ctx
        Operation.create("arith.addi", [IntegerType.get_signless(32)], [one, one])


def test_attributes(module, body):
    function = module.body.operations[0]
    attrs = function.attributes
    assert set(attrs) == {"sym_name", "function_type"} and len(attrs) == 2
    assert "sym_name" in attrs and attrs["sym_name"].value == "f"
    assert attrs[0].name in attrs and dict(attrs.items()).keys() == set(attrs.keys())
    attrs["extra"] = UnitAttr.get()
    assert "extra" in attrs and attrs.get("none") is None
    del attrs["extra"]
    for missing in (lambda: attrs["extra"], lambda: attrs.__delitem__("extra")):
        with pytest.raises(KeyError):
            missing()
    with pytest.raises(ValueError, match="cannot hold"):
        attrs["sym_name"] = UnitAttr.get()
    assert attrs["sym_name"].value == "f"


def test_blocks(ctx):
    i32 = IntegerType.get_signless(32)
    function = func.FuncOp("g", ([i32], []))
    entry = function.add_entry_block()
    tail = entry.create_after(i32)
    middle = entry.create_after(i32, arg_locs=[Location.name("m")])
    assert list(function.regions[0].blocks) == [entry, middle, tail]
    assert list(function.regions[0]) == [entry, middle, tail]
    first = Block.create_at_start(function.regions[0], [i32])
    assert function.regions[0].blocks[0] == first
    with InsertionPoint(entry):
        jump = Operation.create("cf.br", operands=[entry.arguments[0]], successors=[middle])
    assert jump.successors[0] == middle and entry.successors == [middle]
    assert middle.predecessors == [entry]
    with pytest.raises(RuntimeError, match="still used"):
        middle.erase()
    jump.successors[0] = tail
    middle.erase()
    first.erase()
    assert list(function.regions[0]) == [entry, tail]
    extra = tail.add_argument(F32Type.get(), Location.unknown())
    assert extra.arg_number == 1
    tail.erase_argument(0)
    assert extra.arg_number == 0
    with pytest.raises(RuntimeError, match="still used"):
        entry.erase_argument(0)
    with pytest.raises(ValueError, match="Expected 1 locations"):
        function.regions[0].blocks.append(i32, arg_locs=[])


def test_block_append_to(ctx):
    ctx.allow_unregistered_dialects = True
    a = Operation.create("custom.a", regions=1)
    b = Operation.create("custom.b", regions=1)
    block = a.regions[0].blocks.append()
    with InsertionPoint(block):
        inner = Operation.create("custom.inner")
    block.append_to(b.regions[0])
    assert len(a.regions[0].blocks) == 0 and block.owner == b and inner.parent == b
    with pytest.raises(ValueError, match="itself"):
        inside = Operation.create("custom.c", regions=1)
        block.append(inside)
        block.append_to(inside.regions[0])


def test_walk(module):
    seen = []
    module.operation.walk(lambda op: seen.append(op.operation.name))
    assert seen[-1] == "builtin.module" and seen[0] == "arith.addi"
    seen.clear()

    def pre(op):
        seen.append(op.operation.name)
        return WalkResult.SKIP if op.operation.name == "func.func" else WalkResult.ADVANCE

    module.operation.walk(pre, WalkOrder.PRE_ORDER)
    assert seen == ["builtin.module", "func.func"]
    seen.clear()

    def stop(op):
        seen.append(op.operation.name)
        return WalkResult.INTERRUPT

    module.operation.walk(stop)
    assert seen == ["arith.addi"]
    with pytest.raises(ZeroDivisionError):
        module.operation.walk(lambda op: 1 / 0)


def test_walk_may_erase(ctx):
    module = Module.parse("func.func private @a() module { func.func private @b() }")

    def erase(op):
        if op.operation.name == "builtin.module" and op.operation.parent is not None:
            op.operation.erase()

    module.operation.walk(erase, WalkOrder.PRE_ORDER)
    assert len(module.body.operations) == 1


def test_printing(module):
    text = module.operation.get_asm(enable_debug_info=True, pretty_debug_info=True)
    assert "[unknown]" in text or "-:" in text
    assert '"arith.addi"' in module.operation.get_asm(print_generic_op_form=True)
    assert isinstance(module.operation.get_asm(binary=True), bytes)
    out = io.StringIO()
    module.operation.print(file=out, use_local_scope=True)
    assert "arith.muli" in out.getvalue()
    assert "arith" not in module.body.operations[0].operation.get_asm(skip_regions=True)
    dense = Operation.parse("%0 = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>")
    assert "__elided__" in dense.operation.get_asm(large_elements_limit=2)


def test_printing_of_invalid_ir(ctx):
    """What does not verify is printed in the generic form."""
    i32 = IntegerType.get_signless(32)
    op = Operation.create("arith.addi", results=[i32])
    assert '"arith.addi"' in str(op)
    with pytest.raises(MLIRError, match="Verification failed"):
        op.verify()


def test_bytecode(module, tmp_path):
    out = io.BytesIO()
    module.operation.write_bytecode(out)
    assert str(Module.parse(out.getvalue())) == str(module)
    path = tmp_path / "m.mlirbc"
    module.operation.write_bytecode(str(path), desired_version=1)
    assert str(Module.parseFile(str(path))) == str(module)
    with pytest.raises(MLIRError):
        Module.parse(out.getvalue()[:20])
    with pytest.raises(MLIRError, match="version"):
        module.operation.write_bytecode(io.BytesIO(), desired_version=999)
    with pytest.raises(ValueError, match="cannot read"):
        Module.parseFile(str(tmp_path / "none.mlir"))


def test_parse_operation(ctx):
    op = Operation.parse("%0 = arith.constant 1 : i32")
    assert isinstance(op, arith.ConstantOp) and op.literal_value == 1
    assert isinstance(arith.ConstantOp.parse("%0 = arith.constant 1 : i32"), arith.ConstantOp)
    with pytest.raises(ValueError, match="Expected a 'scf.for' op"):
        scf.ForOp.parse("%0 = arith.constant 1 : i32")


def test_location(module, ctx):
    function = module.body.operations[0]
    function.operation.location = Location.file("z.py", 9, 1)
    assert function.operation.location.start_line == 9
    assert Module.from_operation(module.operation) == module
    with pytest.raises(ValueError):
        Module.from_operation(function.operation)
    assert Attribute.parse("1 : i32").type == IntegerType.get_signless(32)


def test_inference_never_sees_what_the_op_rejects(ctx):
    """Upstream's inference crashes on each of these."""
    one = arith.constant(IntegerType.get_signless(32), 1)
    for name, operands in [("vector.interleave", [one, one]), ("vector.shuffle", []),
                           ("vector.deinterleave", [one]), ("llvm.extractelement", [one, one]),
                           ("memref.extract_strided_metadata", []), ("vector.to_elements", [one]),
                           ("gpu.subgroup_mma_extract_thread_local", [one, one])]:
        for regions in (0, 1):
            with pytest.raises(MLIRError, match="Invalid operands or attributes"):
                Operation.create(name, operands=operands, infer_type=True, regions=regions)


def test_segment_sizes_add_up(ctx):
    from tilepipe.dialects import memref
    from tilepipe.ir import DenseI32ArrayAttr, MemRefType

    op = memref.AllocOp(MemRefType.get([2], F32Type.get()), [], [])
    for wrong in ([1, 0], [-1, 1], [2, -2]):
        with pytest.raises(ValueError, match="does not describe"):
            op.attributes["operandSegmentSizes"] = DenseI32ArrayAttr.get(wrong)
    one = arith.constant(IndexType.get(), 1)
    with pytest.raises(ValueError, match="does not describe"):
        Operation.create("memref.alloc", [MemRefType.get([2], F32Type.get())], [one])
