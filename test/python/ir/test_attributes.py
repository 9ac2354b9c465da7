"""Builtin attributes, dense elements, buffers."""

import array

import numpy as np
import pytest
from tilepipe.ir import (
    ArrayAttr,
    Attribute,
    BF16Type,
    BoolAttr,
    DenseBoolArrayAttr,
    DenseElementsAttr,
    DenseF32ArrayAttr,
    DenseFPElementsAttr,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    DenseIntElementsAttr,
    DictAttr,
    F32Type,
    F64Type,
    FlatSymbolRefAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MLIRError,
    OpaqueAttr,
    RankedTensorType,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    Type,
    TypeAttr,
    UnitAttr,
    VectorType,
)


def test_parse_and_print(ctx):
    attr = Attribute.parse('"hello"')
    assert isinstance(attr, StringAttr) and attr.value == "hello"
    assert repr(attr) == 'StringAttr("hello")'
    with pytest.raises(MLIRError, match="Unable to parse attribute"):
        Attribute.parse("=BAD=")
    named = attr.get_named("nom")
    assert (named.name, named.attr) == ("nom", attr)
    assert repr(named) == 'NamedAttribute(nom="hello")'
    assert attr == Attribute.parse('"hello"') and hash(attr) == hash(Attribute.parse('"hello"'))
    assert attr != "hello"


def test_integers(ctx):
    i8, i64 = IntegerType.get_signless(8), IntegerType.get_signless(64)
    assert IntegerAttr.get(i64, -42).value == -42 and int(IntegerAttr.get(i64, 42)) == 42
    assert IntegerAttr.get(IndexType.get(), 7).type == IndexType.get()
    assert IntegerAttr.get(i8, 255).value == -1
    assert IntegerAttr.get(IntegerType.get_unsigned(8), 255).value == 255
    big = (1 << 100) + 3
    assert IntegerAttr.get(IntegerType.get_signless(128), big).value == big
    assert IntegerAttr.get(IntegerType.get_signless(128), -big).value == -big
    assert IntegerAttr.get(i64, (1 << 63)).value == -(1 << 63)
    assert IntegerAttr.get(i64, -(1 << 63)).value == -(1 << 63)
    for kind, value in [(i8, 256), (i8, -129), (IntegerType.get_unsigned(8), -1),
                        (IntegerType.get_signed(8), 128), (i64, 1 << 64)]:
        with pytest.raises(ValueError, match="does not fit"):
            IntegerAttr.get(kind, value)
    with pytest.raises(TypeError, match="expected an integer"):
        IntegerAttr.get(F32Type.get(), 1)


def test_bool(ctx):
    assert BoolAttr.get(True).value is True and bool(BoolAttr.get(False)) is False
    assert isinstance(Attribute.parse("true"), BoolAttr)
    assert isinstance(Attribute.parse("1 : i32"), IntegerAttr)


def test_floats(ctx):
    assert FloatAttr.get(F32Type.get(), 42.0).value == 42.0
    assert FloatAttr.get_f32(0.5).type == F32Type.get()
    assert float(FloatAttr.get_f64(0.1)) == 0.1 and FloatAttr.get_f64(1).type == F64Type.get()
    assert FloatAttr.get(BF16Type.get(), 1.0).value == 1.0
    with pytest.raises(MLIRError, match="floating point"):
        FloatAttr.get(IndexType.get(), 1.0)


def test_strings(ctx):
    assert StringAttr.get("a\0b").value == "a\0b"
    assert StringAttr.get(b"\xff").value_bytes == b"\xff"
    assert StringAttr.get_typed(F32Type.get(), "x").type == F32Type.get()


def test_symbols(ctx):
    flat = FlatSymbolRefAttr.get("f")
    assert isinstance(Attribute.parse("@f"), FlatSymbolRefAttr) and flat.value == "f"
    nested = SymbolRefAttr.get(["m", "f"])
    assert str(nested) == "@m::@f" and nested.value == ["m", "f"]
    assert not isinstance(nested, FlatSymbolRefAttr)
    with pytest.raises(RuntimeError):
        SymbolRefAttr.get([])


def test_containers(ctx):
    items = ArrayAttr.get([StringAttr.get("a"), UnitAttr.get()])
    assert len(items) == 2 and items[0].value == "a" and items[-1] == UnitAttr.get()
    assert [str(x) for x in items] == ['"a"', "unit"]
    assert len(items + [UnitAttr.get()]) == 3
    with pytest.raises(IndexError):
        _ = items[2]
    attrs = DictAttr.get({"b": UnitAttr.get(), "a": BoolAttr.get(True)})
    assert len(attrs) == 2 and "a" in attrs and "c" not in attrs
    assert attrs["a"].value is True and attrs[0].name == "a"
    assert [named.name for named in attrs] == ["a", "b"]
    with pytest.raises(KeyError):
        _ = attrs["c"]
    assert str(DictAttr.get()) == "{}"


def test_holders(ctx):
    assert TypeAttr.get(F32Type.get()).value == F32Type.get()
    ctx.allow_unregistered_dialects = True
    opaque = OpaqueAttr.get("pytest_dummy", b"x", IndexType.get())
    assert (opaque.dialect_namespace, opaque.data) == ("pytest_dummy", b"x")
    layout = StridedLayoutAttr.get(42, [5, 7])
    assert (layout.offset, layout.strides) == (42, [5, 7])
    assert len(StridedLayoutAttr.get_fully_dynamic(3).strides) == 3


def test_dense_arrays(ctx):
    assert list(DenseI32ArrayAttr.get([1, 2]) + [3]) == [1, 2, 3]
    assert isinstance(Attribute.parse("array<i64: 1, 2>"), DenseI64ArrayAttr)
    assert isinstance(Attribute.parse("array<f32: 1.0>"), DenseF32ArrayAttr)
    flags = DenseBoolArrayAttr.get([True, False])
    assert len(flags) == 2 and flags[0] is True and flags[-1] is False
    with pytest.raises(ValueError):
        DenseI32ArrayAttr(DenseI64ArrayAttr.get([1]))


NUMPY_TYPES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "i8",
    "uint64": "i64", "float16": "f16", "float32": "f32", "float64": "f64",
}


@pytest.mark.parametrize("dtype, element", NUMPY_TYPES.items())
def test_numpy_round_trip(ctx, dtype, element):
    data = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    attr = DenseElementsAttr.get(data)
    assert attr.type == RankedTensorType.get([2, 3], Type.parse(element))
    back = np.array(attr)
    assert back.shape == (2, 3) and (back.view(dtype) == data).all()
    kind = DenseFPElementsAttr if dtype.startswith("float") else DenseIntElementsAttr
    assert isinstance(attr, kind) and len(attr) == 6
    assert attr[4] == (True if dtype == "bool" else 4)
    with pytest.raises(IndexError):
        _ = attr[6]


def test_dense_signs_and_strides(ctx):
    unsigned = DenseElementsAttr.get(np.array([255], np.uint8), signless=False)
    assert str(unsigned.type) == "tensor<1xui8>" and unsigned[0] == 255
    transposed = np.arange(6, dtype=np.int32).reshape(2, 3).T
    assert (np.array(DenseElementsAttr.get(transposed)) == transposed).all()
    assert len(DenseElementsAttr.get(array.array("i", [1, 2, 3]))) == 3
    with pytest.raises(ValueError, match="big-endian"):
        DenseElementsAttr.get(np.array([1], dtype=">i4"))


def test_dense_types(ctx):
    raw = np.array([0x3F80, 0x4000], np.uint16)
    attr = DenseElementsAttr.get(raw, type=BF16Type.get())
    assert [attr[0], attr[1]] == [1.0, 2.0] and (np.array(attr) == raw).all()
    vector = DenseElementsAttr.get(np.zeros(4, np.int8), type=VectorType.get([4], Type.parse("i8")))
    assert str(vector) == "dense<0> : vector<4xi8>" and vector.is_splat
    with pytest.raises(ValueError, match="elements"):
        DenseElementsAttr.get(np.zeros(3, np.float32), type=VectorType.get([4], F32Type.get()))
    with pytest.raises(ValueError):
        DenseElementsAttr.get(np.zeros(4, np.float64), type=VectorType.get([4], F32Type.get()))


def test_dense_splat_and_lists(ctx):
    splat = DenseElementsAttr.get_splat(
        RankedTensorType.get([2, 2], F32Type.get()), FloatAttr.get_f32(3)
    )
    assert splat.is_splat and splat.get_splat_value().value == 3.0
    assert (np.array(splat) == np.full((2, 2), 3, np.float32)).all()
    values = [IntegerAttr.get(IndexType.get(), i) for i in (1, 2)]
    assert str(DenseElementsAttr.get(values)) == "dense<[1, 2]> : tensor<2xindex>"
    for wrong in ([], [values[0], FloatAttr.get_f32(1)]):
        with pytest.raises(ValueError):
            DenseElementsAttr.get(wrong)
    with pytest.raises(ValueError, match="non-splat"):
        DenseElementsAttr.get(np.array([1, 2])).get_splat_value()


def test_buffer_outlives_the_attribute(ctx):
    view = memoryview(DenseElementsAttr.get(np.arange(4, dtype=np.int32)))
    assert view.readonly and view.tolist() == [0, 1, 2, 3]
