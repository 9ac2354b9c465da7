"""The IR, with the names and the behaviour of upstream's `mlir.ir`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ._errors import MLIRError
from ._load import native as _native

_ir = _native.ir
globals().update({name: getattr(_ir, name) for name in dir(_ir) if not name.startswith("__")})

__all__ = [name for name in dir(_ir) if not name.startswith("_")] + [
    "MLIRError",
    "_OperationBase",
    "register_attribute_builder",
]

_OperationBase = _ir._OperationBase
OpView = _ir.OpView
Context = _ir.Context

OpView.build_generic = classmethod(
    functools.wraps(_ir.OpView._build_generic)(
        lambda cls, *args, **kwargs: _ir.OpView._build_generic(cls, *args, **kwargs)
    )
)
OpView.parse = classmethod(lambda cls, *args, **kwargs: _ir.OpView._parse(cls, *args, **kwargs))


def register_attribute_builder(kind: str, replace: bool = False) -> Callable:
    """Decorator: how a Python value becomes an attribute of ODS kind `kind`."""

    def decorator(builder: Callable) -> Callable:
        # Dialects share enums: each generated file registers the same builder.
        generated = builder.__module__.endswith("_enum_gen")
        _ir.AttrBuilder.insert(kind, builder, replace or generated)
        return builder

    return decorator


def _integer(width: int, signedness: str = "signless") -> Callable:
    make = getattr(_ir.IntegerType, f"get_{signedness}")
    return lambda x, context=None: _ir.IntegerAttr.get(make(width, context), int(x))


def _float(kind: Any) -> Callable:
    return lambda x, context=None: _ir.FloatAttr.get(kind.get(context), x)


def _array(element: Callable) -> Callable:
    return lambda x, context=None: _ir.ArrayAttr.get(
        [item if isinstance(item, _ir.Attribute) else element(item, context) for item in x],
        context,
    )


def _symbol_ref(x: str | Sequence[str], context: Any = None) -> Any:
    if isinstance(x, str):
        return _ir.FlatSymbolRefAttr.get(x, context)
    return _ir.SymbolRefAttr.get(list(x), context)


def _dictionary(x: dict, context: Any = None) -> Any:
    return _ir.DictAttr.get(x, context)


def _type(x: Any, context: Any = None) -> Any:
    return _ir.TypeAttr.get(x, context)


def _dense(width: int) -> Callable:
    def make(x: Any, context: Any = None) -> Any:
        import numpy

        kind = numpy.dtype(f"int{width}")
        return _ir.DenseElementsAttr.get(
            numpy.array(x, dtype=kind),
            type=_ir.IntegerType.get_signless(width, context),
            context=context,
        )

    return make


def _string(x: str, context: Any = None) -> Any:
    return _ir.StringAttr.get(x, context)


def _register_builders() -> None:
    builders: dict[str, Callable] = {
        "AffineMapAttr": lambda x, context=None: _ir.AffineMapAttr.get(x),
        "IntegerSetAttr": lambda x, context=None: _ir.IntegerSetAttr.get(x),
        "BoolAttr": lambda x, context=None: _ir.BoolAttr.get(bool(x), context),
        "I1Attr": lambda x, context=None: _ir.BoolAttr.get(bool(x), context),
        "IndexAttr": lambda x, context=None: _ir.IntegerAttr.get(
            _ir.IndexType.get(context), int(x)
        ),
        "F32Attr": _float(_ir.F32Type),
        "F64Attr": _float(_ir.F64Type),
        "StrAttr": _string,
        "SymbolNameAttr": _string,
        "Builtin_StringAttr": _string,
        "SymbolRefAttr": _symbol_ref,
        "FlatSymbolRefAttr": _symbol_ref,
        "TypeAttr": _type,
        "MemRefTypeAttr": _type,
        "DictionaryAttr": _dictionary,
        "DictArrayAttr": _array(_dictionary),
        "ArrayAttr": lambda x, context=None: _ir.ArrayAttr.get(list(x), context),
        "StrArrayAttr": _array(_string),
        "TypeArrayAttr": _array(_type),
        "FlatSymbolRefArrayAttr": _array(_symbol_ref),
        "SymbolRefArrayAttr": _array(_symbol_ref),
        "AffineMapArrayAttr": _array(lambda x, context: _ir.AffineMapAttr.get(x)),
        "BoolArrayAttr": _array(lambda x, context: _ir.BoolAttr.get(bool(x), context)),
        "I32ArrayAttr": _array(_integer(32)),
        "I64ArrayAttr": _array(_integer(64)),
        "I64SmallVectorArrayAttr": _array(_integer(64)),
        "IndexListArrayAttr": _array(_array(_integer(64))),
        "F32ArrayAttr": _array(_float(_ir.F32Type)),
        "F64ArrayAttr": _array(_float(_ir.F64Type)),
        "DenseBoolArrayAttr": lambda x, context=None: _ir.DenseBoolArrayAttr.get(x, context),
        "DenseI32ArrayAttr": lambda x, context=None: _ir.DenseI32ArrayAttr.get(x, context),
        "DenseI64ArrayAttr": lambda x, context=None: _ir.DenseI64ArrayAttr.get(x, context),
        "I32ElementsAttr": _dense(32),
        "I64ElementsAttr": _dense(64),
        "UnitAttr": lambda x, context=None: _ir.UnitAttr.get(context) if x else None,
    }
    for width in (8, 16, 32, 64):
        builders[f"I{width}Attr"] = _integer(width)
        builders[f"SI{width}Attr"] = _integer(width, "signed")
        builders[f"UI{width}Attr"] = _integer(width, "unsigned")
    for kind, builder in builders.items():
        register_attribute_builder(kind, replace=True)(builder)


_register_builders()
