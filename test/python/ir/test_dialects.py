"""Operation classes of the dialects, and their sugar."""

import importlib

import pytest
from tilepipe.dialects import (
    affine,
    arith,
    builtin,
    cf,
    func,
    gpu,
    index,
    llvm,
    math,
    memref,
    nvgpu,
    nvvm,
    scf,
    tile,
    vector,
)
from tilepipe.ir import (
    AffineMap,
    Attribute,
    DenseElementsAttr,
    F16Type,
    F32Type,
    FloatAttr,
    FunctionType,
    IndexType,
    InsertionPoint,
    IntegerType,
    Location,
    MemRefType,
    MLIRError,
    Module,
    ShapedType,
    StringAttr,
    Type,
    TypeAttr,
    UnitAttr,
    VectorType,
)

ALL = [affine, arith, builtin, cf, func, gpu, index, llvm, math, memref, nvgpu, nvvm, scf, tile, vector]


@pytest.mark.parametrize("module", ALL, ids=lambda m: m.__name__.rsplit(".", 1)[-1])
def test_every_class_belongs_to_its_dialect(module):
    namespace = module.__name__.rsplit(".", 1)[-1]
    generated = importlib.import_module(f"tilepipe.dialects._{namespace}_ops_gen")
    classes = [c for c in vars(generated).values() if hasattr(c, "OPERATION_NAME")]
    assert classes and all(c.OPERATION_NAME.startswith(namespace + ".") for c in classes)
    assert module._Dialect.DIALECT_NAMESPACE == namespace


@pytest.fixture
def body(ctx):
    module = Module.create()
    with InsertionPoint(module.body):
        yield module


def test_arith(body):
    i32, f32, idx = IntegerType.get_signless(32), F32Type.get(), IndexType.get()
    assert arith.ConstantOp(i32, 42).literal_value == 42
    assert arith.ConstantOp(f32, 0.5).literal_value == 0.5
    assert arith.ConstantOp.create_index(3).type == idx
    assert arith.ConstantOp(f32, FloatAttr.get(f32, 1)).value == FloatAttr.get(f32, 1)
    splat = arith.ConstantOp(VectorType.get([4], f32), 2)
    assert DenseElementsAttr.isinstance(splat.value)
    with pytest.raises(ValueError, match="literal"):
        _ = splat.literal_value
    with pytest.raises(ValueError, match="cannot make a constant"):
        arith.constant(FunctionType.get([], []), 1)
    a, x = arith.constant(i32, 1), arith.constant(f32, 1)
    assert arith.addi(a, a).type == i32
    less = arith.cmpi(arith.CmpIPredicate.slt, a, a)
    assert str(less.owner).startswith("%") and "slt" in str(less.owner)
    fast = arith.addf(x, x, fastmath=arith.FastMathFlags.nnan | arith.FastMathFlags.ninf)
    assert "fastmath<nnan,ninf>" in str(fast.owner)
    assert less.owner.predicate.value == arith.CmpIPredicate.slt
    with pytest.raises(MLIRError):
        arith.select(less, a, x).owner.verify()


def test_func(body):
    i32 = IntegerType.get_signless(32)

    @func.FuncOp.from_py_func(i32, i32)
    def add(a, b):
        return arith.addi(a, b)

    @func.FuncOp.from_py_func(i32, results=[i32], name="other")
    def twice(a, func_op=None):
        assert isinstance(func_op, func.FuncOp)
        func.ReturnOp([add(a, a)])

    @func.FuncOp.from_py_func()
    def nothing():
        pass

    assert body.operation.verify()
    assert add.func_op.type == FunctionType.get([i32, i32], [i32])
    assert "call @add" in str(body) and "func.func @other" in str(body)
    f = func.FuncOp("ext", ([i32], []), visibility="private")
    assert f.is_external and f.visibility.value == "private" and f.name.value == "ext"
    with pytest.raises(IndexError, match="does not have a body"):
        _ = f.entry_block
    with InsertionPoint(f.add_entry_block()):
        call = func.call(add.func_op, [f.arguments[0]] * 2)
        func.CallOp([i32], "add", [call, call])
        func.return_([])
    with pytest.raises(IndexError, match="already has an entry block"):
        f.add_entry_block()
    assert [str(a) for a in f.arg_attrs] == ["{}"]
    with pytest.raises(ValueError, match="returns None"):
        func.FuncOp.from_py_func(i32, results=[i32], name="bad")(lambda a: a)


def test_scf(body):
    idx, f32 = IndexType.get(), F32Type.get()

    @func.FuncOp.from_py_func(idx, f32)
    def loops(n, x):
        for _ in scf.for_(10):
            scf.yield_()
        for _, acc, total in scf.for_(0, n, 2, [x]):
            scf.yield_([arith.addf(acc, x)])
        for _, (p, q), both in scf.for_(0, n, 1, [x, total]):
            scf.yield_([q, p])
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, n, n), [f32], has_else=True)
        with InsertionPoint(branch.then_block):
            scf.yield_([both[0]])
        with InsertionPoint(branch.else_block):
            scf.yield_([total])
        only = scf.if_(arith.cmpi(arith.CmpIPredicate.ne, n, n))
        assert only.else_block is None
        with InsertionPoint(only.then_block):
            scf.yield_()
        loop = scf.WhileOp([f32], [x])
        with InsertionPoint(loop.before_block):
            go = arith.cmpf(arith.CmpFPredicate.OLT, loop.before_block.arguments[0], x)
            scf.condition(go, list(loop.before_block.arguments))
        with InsertionPoint(loop.after_block):
            scf.yield_(loop.after_block.arguments)
        return branch.result

    assert body.operation.verify()
    assert str(body).count("scf.for") == 3


def test_memref(body):
    f32, dynamic = F32Type.get(), ShapedType.get_dynamic_size()
    kind = MemRefType.get([4, dynamic], f32)

    @func.FuncOp.from_py_func(kind, IndexType.get())
    def access(m, i):
        memref.store(memref.load(m, [0, i]), m, [i, 1])
        view = memref.subview(m, [1, i], [2, 3])
        assert view.type.shape == [2, 3]
        assert memref.dim(m, i).type == IndexType.get()
        local = memref.alloc(kind, [i], [])
        memref.dealloc(local)
        return view

    assert body.operation.verify()
    assert "strided<[?, 1], offset: ?>" in str(body)
    static = memref.alloc(MemRefType.get([8, 8], f32), [], [])
    part = memref.subview(static, [2, 4], [2, 2], [1, 2])
    assert part.type.get_strides_and_offset() == ([8, 2], 20)
    memref.global_("g", TypeAttr.get(MemRefType.get([2], f32)), sym_visibility="private")


def test_gpu_nvvm_llvm(body):
    module = gpu.GPUModuleOp("kernels")
    with InsertionPoint(module.body):
        kernel = gpu.GPUFuncOp(TypeAttr.get(FunctionType.get([], [])))
        kernel.attributes["sym_name"] = StringAttr.get("k")
        kernel.attributes["gpu.kernel"] = UnitAttr.get()
        with InsertionPoint(kernel.regions[0].blocks.append()):
            assert gpu.thread_id(gpu.Dimension.y).type == IndexType.get()
            gpu.barrier()
            i32 = IntegerType.get_signless(32)
            nvvm.read_ptx_sreg_tid_x(i32)
            gpu.return_([])
    assert body.operation.verify() and "gpu.thread_id  y" in str(body)
    c = llvm.mlir_constant(IntegerType.get_signless(32), Attribute.parse("7 : i32"))
    assert llvm.add(c, c, Attribute.parse("#llvm.overflow<none>")).type == c.type
    pointer = Type.parse("!llvm.ptr")
    assert llvm.alloca(pointer, c, TypeAttr.get(c.type)).type == pointer


def test_vector_math_cf_index_affine(body):
    f32, idx = F32Type.get(), IndexType.get()
    x = arith.constant(f32, 1)
    v = vector.broadcast(VectorType.get([4], f32), x)
    assert vector.reduction(f32, vector.CombiningKind.ADD, v).type == f32
    assert math.exp2(v).type == v.type
    i = index.constant(Attribute.parse("3 : index"))
    assert index.add(i, i).type == idx
    applied = affine.apply(AffineMap.get_identity(1), [i])
    assert applied.type == idx

    @func.FuncOp.from_py_func(idx)
    def jump(a):
        return a

    function = jump.func_op
    target = function.entry_block.create_after(idx)
    function.entry_block.operations[0].erase()
    with InsertionPoint(function.entry_block):
        cf.br([function.arguments[0]], target)
    with InsertionPoint(target):
        func.return_(list(target.arguments))
    assert function.verify()


def test_nvgpu(body):
    f16 = F16Type.get()
    shared = MemRefType.get([16, 16], f16, memory_space=Attribute.parse("#gpu.address_space<workgroup>"))

    @func.FuncOp.from_py_func(shared, IndexType.get())
    def load(m, i):
        return nvgpu.ldmatrix(VectorType.get([4, 2], f16), m, [i, i], False, 4)

    assert body.operation.verify() and "nvgpu.ldmatrix" in str(body)


def test_builtin(body):
    inner = builtin.ModuleOp()
    with InsertionPoint(inner.body):
        func.FuncOp("f", ([], []), visibility="private")
    cast = builtin.unrealized_conversion_cast([F32Type.get()], [arith.constant(IndexType.get(), 0)])
    assert str(cast.type) == "f32" and body.operation.verify()


def test_tile(body):
    f16, f32, idx = F16Type.get(), F32Type.get(), IndexType.get()
    tensor = MemRefType.get([256, ShapedType.get_dynamic_size()], f16)

    @func.FuncOp.from_py_func(tensor, tensor, MemRefType.get([256, 256], f32), idx)
    def gemm(a, b, c, n):
        grid = tile.launch([4, n], threads=64)
        with InsertionPoint(grid.body):
            row, col = grid.body.arguments
            sa, sb = (tile.alloc([64, 32], f16, "shared", name) for name in ("As", "Bs"))
            acc = tile.alloc([64, 64], f32, "fragment")
            tile.fill(acc, arith.constant(f32, 0))
            loop = tile.PipelineOp(arith.constant(idx, 0), n, arith.constant(idx, 1), num_stages=3)
            with InsertionPoint(loop.body):
                tile.copy(a, sa, [row, loop.induction_variable], [0, 0], [64, 32])
                tile.copy(b, sb, [col, loop.induction_variable], [0, 0], [64, 32])
                tile.gemm(sa, sb, acc, transpose_b=True)
                tile.yield_()
            points = tile.map([64, n])
            with InsertionPoint(points.body):
                i, j = points.body.arguments
                memref.store(memref.load(acc, [i, j]), c, [i, j])
                tile.yield_()
            tile.yield_()

    assert body.operation.verify()
    text = str(body)
    assert "tile.launch (%arg4, %arg5) in [4, %arg3] threads = 64" in text
    assert "num_stages = 3" in text and "{transpose_b}" in text
    total = tile.alloc([64], f32)
    rows = tile.alloc([64, 32], f32)
    tile.reduce(tile.ReduceKind.Max, rows, total, 1, clear=True)
    assert "tile.reduce <max>" in str(body)
    with pytest.raises(MLIRError, match="num_stages"):
        bad = tile.PipelineOp(*[arith.constant(idx, 1)] * 3, num_stages=-1, loc=Location.file("k.py", 5, 1))
        with InsertionPoint(bad.body):
            tile.yield_()
        bad.verify()


def test_segments(body):
    """Optional and variadic operands of generated classes."""
    f32 = F32Type.get()
    buffer = tile.alloc([8], f32)
    op = tile.FillOp(buffer, arith.constant(f32, 0), [arith.constant(IndexType.get(), 1)], [4])
    assert list(op.attributes["operandSegmentSizes"]) == [1, 1, 1, 0]
    assert op.target == buffer and len(op.offsets) == 1 and len(op.sizes) == 0
    with pytest.raises(ValueError, match="requires 2 operand segments"):
        memref.AllocOp.build_generic(results=[buffer.type], operands=[[]])
    built = memref.AllocOp.build_generic(results=[MemRefType.get([2], f32)], operands=[[], []])
    assert isinstance(built, memref.AllocOp)
    with pytest.raises(ValueError, match="requires 1 regions"):
        tile.MapOp.build_generic(operands=[], attributes={}, regions=2)


def test_keyword_names(ctx):
    """The op of a dialect that is not loaded is met as a view all the same."""
    module = Module.parse("func.func @f(%a: f32) -> f32 { %0 = math.exp %a : f32 return %0 : f32 }")
    assert isinstance(module.body.operations[0].entry_block.operations[0], math.ExpOp)
