"""Looking into a running kernel: `print` and assertions."""

from __future__ import annotations

import itertools

from tilepipe import ir
from tilepipe.dialects import cf, scf
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import Builder, current
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.values import Buffer, Expr, Region

_PRINT = "dprintf"
_SIGNATURE = "!llvm.func<i32 (i32, ptr, ...)>"


def print(value: object, msg: str = "") -> None:
    """Writes a scalar, or each element of a tile, to the standard output of the process.

    For debugging: blocks write in no order, and a pipelined loop that prints runs serially.
    """
    builder = current()
    if isinstance(value, str) and not msg:
        _emit(builder, value, [])
    elif isinstance(value, Buffer):
        _print_tile(builder, value, msg or value.name)
    elif isinstance(value, Region):
        raise KernelError("T.print takes a scalar or a whole tile, got a region")
    else:
        _emit(builder, f"{msg} = " if msg else "", [builder.as_expr(value)])


def device_assert(condition: object, msg: str = "assertion failed") -> None:
    """Ends the process with a message where the condition does not hold; as `assert` in a kernel."""
    cf.AssertOp(current().condition(condition), msg)


def _print_tile(builder: Builder, tile: Buffer, name: str) -> None:
    zero, one = (builder.as_index(n).value for n in (0, 1))
    points: list[Expr] = []
    places: list[ir.InsertionPoint] = []
    for extent in tile.shape:
        loop = scf.ForOp(zero, builder.as_index(extent).value, one)
        places.append(ir.InsertionPoint(loop.body))
        places[-1].__enter__()
        points.append(Expr(loop.body.arguments[0], dtypes.index))
    _emit(builder, f"{name}[", [*points, builder.load(tile, tuple(points))])
    for place in reversed(places):
        scf.YieldOp([])
        place.__exit__(None, None, None)


def _emit(builder: Builder, text: str, values: list[Expr]) -> None:
    """One line: the text, then indices up to the last value, then that."""
    formats, operands = [], []
    for value in values:
        wide = dtypes.float64 if value.dtype.is_float else dtypes.int64
        operands.append(builder.cast(value, wide).value)
        formats.append("%g" if wide.is_float else "%lld")
    line = text.replace("%", "%%")
    line += ", ".join(formats[:-1]) + ("] = " if len(formats) > 1 else "") + (formats[-1] if formats else "")
    module = _module()
    pointer = ir.Type.parse("!llvm.ptr")
    name = _string(module, line + "\n")
    address = ir.Operation.create(
        "llvm.mlir.addressof", results=[pointer], attributes={"global_name": ir.FlatSymbolRefAttr.get(name)}
    ).results[0]
    standard_output = builder.constant(1, dtypes.int32).value
    arguments = [standard_output, address, *operands]
    ir.Operation.create("llvm.call", results=[dtypes.int32.mlir()], operands=arguments, attributes={
        "callee": ir.FlatSymbolRefAttr.get(_PRINT),
        "var_callee_type": ir.TypeAttr.get(ir.Type.parse(_SIGNATURE)),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(arguments), 0]),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
    })  # fmt: skip


def _module() -> ir.Operation:
    op = ir.InsertionPoint.current.block.owner
    while op.operation.parent is not None:
        op = op.operation.parent
    return op.operation


def _symbols(module: ir.Operation) -> set[str]:
    body = module.regions[0].blocks[0]
    names = (op.operation.attributes["sym_name"] for op in body if "sym_name" in op.operation.attributes)
    return {ir.StringAttr(name).value for name in names}


def _string(module: ir.Operation, text: str) -> str:
    """The name of a constant of the module that holds the text; declares the function that prints, too."""
    known = _symbols(module)
    name = next(n for n in map("tilepipe_text_{}".format, itertools.count()) if n not in known)
    escaped = "".join(f"\\{byte:02X}" for byte in (*text.encode(), 0))
    texts = [f'llvm.mlir.global internal constant @{name}("{escaped}") {{addr_space = 0 : i32}}']
    if _PRINT not in known:
        texts.append(f"llvm.func @{_PRINT}(i32, !llvm.ptr, ...) -> i32")
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        for line in texts:
            ir.InsertionPoint.current.insert(ir.Operation.parse(line))
    return name


__all__ = ["device_assert", "print"]
