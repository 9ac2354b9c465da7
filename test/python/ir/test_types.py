"""Builtin types."""

import pytest
from tilepipe import ir
from tilepipe.ir import (
    AffineMap,
    Attribute,
    BF16Type,
    ComplexType,
    Context,
    F16Type,
    F32Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatType,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    MLIRError,
    NoneType,
    OpaqueType,
    RankedTensorType,
    ShapedType,
    StridedLayoutAttr,
    TupleType,
    Type,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)


def test_parse_and_print(ctx):
    kind = Type.parse("i32")
    assert isinstance(kind, IntegerType)
    assert str(kind) == "i32" and repr(kind) == "IntegerType(i32)"
    assert kind.context is ctx
    with pytest.raises(MLIRError, match="Unable to parse type: 'BAD'"):
        Type.parse("BAD")
    with pytest.raises(MLIRError):
        Type.parse("i32 trailing")


def test_equality_and_hash(ctx):
    assert IntegerType.get_signless(32) == Type.parse("i32")
    assert hash(IntegerType.get_signless(32)) == hash(Type.parse("i32"))
    assert F32Type.get() != F16Type.get() and F32Type.get() != None  # noqa: E711
    with Context():
        assert Type.parse("f32") != F32Type.get(ctx)


def test_integers(ctx):
    signed = IntegerType.get_signed(8)
    assert str(signed) == "si8" and signed.is_signed and signed.width == 8
    assert IntegerType.get_unsigned(8).is_unsigned
    assert IntegerType(Type.parse("i7")).is_signless
    with pytest.raises(ValueError, match="Cannot cast type to IntegerType"):
        IntegerType(F32Type.get())
    with pytest.raises(ValueError):
        IntegerType.get_signless(1 << 25)


@pytest.mark.parametrize(
    "name",
    "f16 bf16 f32 f64 tf32 f8E5M2 f8E4M3 f8E4M3FN f8E4M3FNUZ f8E5M2FNUZ f8E4M3B11FNUZ f8E3M4 "
    "f8E8M0FNU f6E2M3FN f6E3M2FN f4E2M1FN".split(),
)
def test_floats(ctx, name):
    kind = Type.parse(name)
    assert isinstance(kind, FloatType) and type(kind) is not FloatType
    assert type(kind).get() == kind


def test_float_widths(ctx):
    assert F32Type.get().width == 32 and BF16Type.get().width == 16
    assert Float8E4M3FNType.get().width == Float8E5M2Type.get().width == 8
    assert FloatType.isinstance(F16Type.get()) and not FloatType.isinstance(IndexType.get())
    assert str(NoneType.get()) == "none"


def test_shaped(ctx):
    kind = RankedTensorType.get([2, ShapedType.get_dynamic_size()], F32Type.get())
    assert str(kind) == "tensor<2x?xf32>"
    assert kind.rank == 2 and kind.has_rank and not kind.has_static_shape
    assert kind.is_dynamic_dim(1) and not kind.is_dynamic_dim(0) and kind.get_dim_size(0) == 2
    assert kind.shape == [2, ShapedType.get_dynamic_size()]
    assert kind.element_type == F32Type.get()
    with pytest.raises(IndexError):
        kind.get_dim_size(2)
    unranked = UnrankedTensorType.get(F32Type.get())
    assert not unranked.has_rank
    for query in (lambda: unranked.rank, lambda: unranked.shape):
        with pytest.raises(ValueError, match="has a rank"):
            query()
    assert RankedTensorType.get([], F32Type.get()).rank == 0
    assert RankedTensorType.get([2], F32Type.get(), Attribute.parse('"e"')).encoding is not None


def test_vector(ctx):
    assert str(VectorType.get([4, 8], F32Type.get())) == "vector<4x8xf32>"
    scalable = VectorType.get([4, 8], F32Type.get(), scalable_dims=[1])
    assert str(scalable) == "vector<4x[8]xf32>" and scalable.scalable
    assert scalable.scalable_dims == [False, True]
    with pytest.raises(ValueError, match="mutually exclusive"):
        VectorType.get([4], F32Type.get(), scalable=[True], scalable_dims=[0])
    with pytest.raises(MLIRError, match="Invalid type"):
        VectorType.get([0], F32Type.get())
    with pytest.raises(MLIRError, match="Invalid type"):
        VectorType.get([2], NoneType.get())


def test_memref(ctx):
    kind = MemRefType.get([4, 8], F16Type.get(), memory_space=Attribute.parse("1"))
    assert str(kind) == "memref<4x8xf16, 1>" and str(kind.memory_space) == "1 : i64"
    assert kind.get_strides_and_offset() == ([8, 1], 0)
    assert kind.affine_map == AffineMap.get_identity(2)
    shared = MemRefType.get([4], F16Type.get(), memory_space=Attribute.parse("#tile.space<shared>"))
    assert str(shared) == "memref<4xf16, #tile.space<shared>>"
    strided = MemRefType.get([4, 8], F16Type.get(), StridedLayoutAttr.get(3, [16, 1]))
    assert strided.get_strides_and_offset() == ([16, 1], 3)
    assert str(strided.layout) == "strided<[16, 1], offset: 3>"
    with pytest.raises(MLIRError):
        MemRefType.get([4], FunctionType.get([], []))
    with pytest.raises(ValueError, match="layout"):
        MemRefType.get([4], F16Type.get(), Attribute.parse("3"))
    assert str(UnrankedMemRefType.get(F32Type.get(), None)) == "memref<*xf32>"


def test_aggregates(ctx):
    i32, f32 = IntegerType.get_signless(32), F32Type.get()
    function = FunctionType.get(inputs=[i32, f32], results=[f32])
    assert str(function) == "(i32, f32) -> f32"
    assert function.inputs == [i32, f32] and function.results == [f32]
    assert FunctionType.get([], []).inputs == []
    pair = TupleType.get_tuple([i32, f32])
    assert pair.num_types == 2 and pair.get_type(1) == f32
    with pytest.raises(IndexError):
        pair.get_type(2)
    assert ComplexType.get(f32).element_type == f32
    with pytest.raises(MLIRError):
        ComplexType.get(IndexType.get())
    ctx.allow_unregistered_dialects = True
    opaque = OpaqueType.get("dialect", "type")
    assert (opaque.dialect_namespace, opaque.data) == ("dialect", "type")


def test_casters(ctx):
    """A registered class replaces the plain one."""

    class AsyncToken(Type):
        pass

    token = Type.parse("!gpu.async.token")
    assert type(token) is Type
    ir.register_type_caster(token.typeid)(AsyncToken)
    try:
        assert isinstance(Type.parse("!gpu.async.token"), AsyncToken)
        with pytest.raises(RuntimeError, match="already registered"):
            ir.register_type_caster(token.typeid)(AsyncToken)
    finally:
        ir.register_type_caster(token.typeid, replace=True)(Type)
    assert F32Type.static_typeid == F32Type.get().typeid != IndexType.static_typeid
