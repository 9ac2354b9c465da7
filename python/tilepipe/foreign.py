"""Kernels that are MLIR of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tilepipe import ir
from tilepipe.frontend import dtypes
from tilepipe.frontend.errors import KernelError, SourceLocation, name_of_mlir
from tilepipe.frontend.prim_func import Dynamic, Parameter, TensorType
from tilepipe.target import Target

if TYPE_CHECKING:
    from tilepipe.compiler import Kernel

_TYPES = {
    "f8E4M3FN": dtypes.float8_e4m3fn, "f8E5M2": dtypes.float8_e5m2,
    "f16": dtypes.float16, "bf16": dtypes.bfloat16, "f32": dtypes.float32, "f64": dtypes.float64, "i1": dtypes.bool_,
    "i8": dtypes.int8, "i16": dtypes.int16, "i32": dtypes.int32, "i64": dtypes.int64, "index": dtypes.index,
}  # fmt: skip


class ForeignFunc:
    """A function of a module, in the place of a `T.prim_func`. Its arguments are called ``arg0``, ``arg1``, ..."""

    def __init__(self, text: str, entry: str | None) -> None:
        self.text = text
        self.file = name_of_mlir(text)
        function = _find(self.build(ir.Context()), entry)
        self.name: str = function.attributes["sym_name"].value
        self.place = _place(function.location)
        kind = function.attributes["function_type"].value
        if len(kind.results):
            raise KernelError(f"function '{self.name}' returns values; a kernel writes to its arguments")
        places = [_place(a.location) for a in function.regions[0].blocks[0].arguments]
        sizes: dict[str, int | Dynamic] = {}
        named = _named_sizes(function, len(places))
        for type_, names in zip(kind.inputs, named, strict=True):
            # What is static is the size of all of its name.
            sizes.update((n, s) for n, s in zip(names, getattr(type_, "shape", ()), strict=False) if n and s >= 0)
        self.params = tuple(
            _parameter(f"arg{i}", t, p, n, sizes) for i, (t, p, n) in enumerate(zip(kind.inputs, places, named, strict=True))
        )

    def build(self, context: ir.Context) -> ir.Module:
        """The module in ``context``; raises `KernelError`."""
        try:
            return ir.Module.parse(self.text, context, source_name=self.file)
        except ir.MLIRError as error:
            raise KernelError.from_diagnostics(error) from None

    def __repr__(self) -> str:
        return f"<kernel {self.name} from MLIR>"


def _find(module: ir.Module, entry: str | None) -> Any:
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    functions = [op for op in functions if len(op.regions[0].blocks)]
    if entry is None:
        functions = [op for op in functions if "sym_visibility" not in op.attributes]
    names = [op.attributes["sym_name"].value for op in functions]
    if entry is not None and entry not in names:
        raise KernelError(f"the module has no function '{entry}' with a body; it has {', '.join(names) or 'none'}")
    if entry is None and len(names) != 1:
        raise KernelError(f"name the 'entry'; functions with a body are {', '.join(names) or 'none'}")
    return functions[names.index(entry) if entry else 0]


def _place(location: ir.Location) -> SourceLocation | None:
    if not location.has_file:
        return None
    return SourceLocation(location.filename, location.start_line, location.start_col)


def _named_sizes(function: Any, count: int) -> list[list[str]]:
    """The names that ``tile.sizes`` gives to the dimensions of each argument: callers must pass equal sizes."""
    if "arg_attrs" not in function.attributes:
        return [[]] * count
    found = [{a.name: a.attr for a in attributes} for attributes in function.attributes["arg_attrs"]]
    return [[name.value for name in each["tile.sizes"]] if "tile.sizes" in each else [] for each in found]


def _parameter(name: str, kind: Any, place: SourceLocation | None, names: list[str], sizes: dict[str, int | Dynamic]) -> Parameter:
    element = kind.element_type if isinstance(kind, ir.MemRefType) else kind
    dtype = _TYPES.get(str(element))
    if dtype is None:
        raise KernelError(f"argument '{name}' has type {kind}; supported are {', '.join(_TYPES)} and memrefs of these", place)
    if not isinstance(kind, ir.MemRefType):
        return Parameter(name, dtype, location=place)
    if "strided" in str(kind) or "affine_map" in str(kind):
        raise KernelError(f"argument '{name}' has type {kind}; a tensor of the caller is dense and row-major", place)
    dynamic = ir.ShapedType.get_dynamic_size()
    shape: list[int | Dynamic] = []
    for dim, size in enumerate(kind.shape):
        said = names[dim] if names else ""
        if size != dynamic:
            shape.append(size)
        else:
            shape.append(sizes.setdefault(said, Dynamic(said)) if said else Dynamic(f"{name}.{dim}"))
    return Parameter(name, TensorType(tuple(shape), dtype), location=place)


def from_mlir(
    source: str | ir.Module,
    *,
    entry: str | None = None,
    out_idx: Sequence[int] | int | None = None,
    target: str | Target = "auto",
    pass_configs: dict[str, Any] | None = None,
) -> Kernel:
    """A kernel from MLIR: its `tile.pipeline`s, and `scf.for` loops with `tile.num_stages`, are pipelined.

    ``source`` is text or a module, ``entry`` the function to call (needed where there are several). Raises
    `KernelError` where it cannot be compiled.
    """
    from tilepipe.compiler import compile

    text = source if isinstance(source, str) else str(source.operation.get_asm(enable_debug_info=True))
    return compile(ForeignFunc(text, entry), out_idx, target, pass_configs)
