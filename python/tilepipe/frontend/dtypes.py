"""Element types of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilepipe import ir
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.terms import near


@dataclass(frozen=True)
class DType:
    """An element type. ``kind`` is one of float, int, uint, bool, index; ``bits`` its width.

    Calling a dtype converts a value of a kernel to it: ``T.float32(x)``.
    """

    name: str
    kind: str
    bits: int

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"T.{self.name}"

    def __call__(self, value: object) -> object:
        from tilepipe.frontend.builder import current

        return current().cast(current().as_expr(value), self)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def computes_as(self) -> DType:
        """The type in which scalars of this one are computed: floats of 8 bits are for storing."""
        return float32 if self.is_float and self.bits < 16 else self

    @property
    def is_packed(self) -> bool:
        """True for the types of which two elements share a byte, the first one in its low half."""
        return self.bits == 4

    @property
    def loads_as(self) -> DType:
        """The type that an element has once it is loaded: a byte for half a byte."""
        return {"int4": int8, "uint4": uint8}.get(self.name, self)

    @property
    def is_integer(self) -> bool:
        """True for signed, unsigned and index values, not for bool."""
        return self.kind in ("int", "uint", "index")

    def mlir(self) -> ir.Type:
        """The MLIR type of a scalar in the current context; integers are signless."""
        if self.is_packed:
            raise KernelError(f"{self} is a type of tensors and tiles; a scalar of it is {self.loads_as}")
        if self.kind == "float":
            kinds: dict[str, Any] = {
                "float8_e4m3fn": ir.Float8E4M3FNType,
                "float8_e5m2": ir.Float8E5M2Type,
                "float16": ir.F16Type,
                "bfloat16": ir.BF16Type,
                "float32": ir.F32Type,
                "float64": ir.F64Type,
            }
            return kinds[self.name].get()
        if self.kind == "index":
            return ir.IndexType.get()
        return ir.IntegerType.get_signless(self.bits)


float8_e4m3fn = DType("float8_e4m3fn", "float", 8)
float8_e5m2 = DType("float8_e5m2", "float", 8)
float16 = DType("float16", "float", 16)
bfloat16 = DType("bfloat16", "float", 16)
float32 = DType("float32", "float", 32)
float64 = DType("float64", "float", 64)
int4 = DType("int4", "int", 4)
uint4 = DType("uint4", "uint", 4)
int8 = DType("int8", "int", 8)
int16 = DType("int16", "int", 16)
int32 = DType("int32", "int", 32)
int64 = DType("int64", "int", 64)
uint8 = DType("uint8", "uint", 8)
uint16 = DType("uint16", "uint", 16)
uint32 = DType("uint32", "uint", 32)
uint64 = DType("uint64", "uint", 64)
bool_ = DType("bool", "bool", 1)
index = DType("index", "index", 64)

ALL = {
    dtype.name: dtype
    for dtype in (
        float8_e4m3fn, float8_e5m2, float16, bfloat16, float32, float64, int4, int8, int16, int32, int64,
        uint4, uint8, uint16, uint32, uint64, bool_,
    )
}  # fmt: skip
_ALIASES = {"float": "float32", "half": "float16", "double": "float64", "int": "int32", "uint": "uint32",
            "float8_e4m3": "float8_e4m3fn", "e4m3_float8": "float8_e4m3fn", "e5m2_float8": "float8_e5m2"}  # fmt: skip


def to_dtype(value: object) -> DType:
    """The dtype that a user names: a `DType`, a name, or a numpy or torch dtype."""
    if isinstance(value, DType):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None) or str(value).rsplit(".", 1)[-1]
    name = _ALIASES.get(name, name)
    if name not in ALL:
        hint = near(name, [*ALL, *_ALIASES]) or f"; supported are {', '.join(ALL)}"
        raise KernelError(f"unknown dtype '{name}'{hint}")
    return ALL[name]
