"""Writes the .pyi files of the native module, with the types that C++ signatures do not tell.

    python refine_stubs.py MODULE OUTPUT_DIRECTORY

nanobind's generator knows `nb::object` as `object`. What such an object is follows from upstream's
conventions: `X.get*` returns an `X`, `loc` is a `Location`, and so on.
"""

import importlib
import pathlib
import re
import sys

from nanobind.stubgen import StubGen

ARGUMENTS = {
    "context: object | None": "context: Context | None",
    "loc: object | None": "loc: Location | None",
    "ip: object | None": "ip: InsertionPoint | bool | None",
    "callback: object": "callback: Callable[..., Any]",
}
# (class, or "" for any class; name) -> type of the result
RESULTS = {
    ("Context", "attach_diagnostic_handler"): "DiagnosticHandler",
    ("Context", "get_dialect_descriptor"): "DialectDescriptor",
    ("Dialect", "descriptor"): "DialectDescriptor",
    ("Dialects", "__getitem__"): "Dialect",
    ("Dialects", "__getattr__"): "Dialect",
    ("NamedAttribute", "attr"): "Attribute",
    ("Location", "attr"): "Attribute",
    ("Attribute", "type"): "Type",
    ("TypeAttr", "value"): "Type",
    ("IntegerAttr", "value"): "int",
    ("IntegerAttr", "__int__"): "int",
    ("ArrayAttr", "__getitem__"): "Attribute",
    ("DictAttr", "__getitem__"): "Any",
    ("DenseIntElementsAttr", "__getitem__"): "int",
    ("DenseFPElementsAttr", "__getitem__"): "float",
    ("TupleType", "get_type"): "Type",
    ("MemRefType", "affine_map"): "AffineMap",
    ("", "element_type"): "Type",
    ("", "layout"): "Attribute",
    ("", "memory_space"): "Attribute | None",
    ("", "encoding"): "Attribute | None",
    ("_OperationBase", "parent"): "OpView | Operation | None",
    ("_OperationBase", "block"): "Block | None",
    ("_OperationBase", "operation"): "Operation",
    ("_OperationBase", "opview"): "OpView | Operation",
    ("_OperationBase", "result"): "OpResult",
    ("_OperationBase", "clone"): "OpView | Operation",
    ("_OperationBase", "detach_from_parent"): "OpView | Operation",
    ("_OperationBase", "get_asm"): "str | bytes",
    ("OpAttributeMap", "__getitem__"): "Any",
    ("OpAttributeMap", "get"): "Any",
    ("Module", "parse"): "Module",
    ("Module", "parseFile"): "Module",
    ("Operation", "parse"): "OpView | Operation",
    ("Value", "type"): "Type",
    ("Value", "owner"): "OpView | Operation | Block",
    ("Value", "uses"): "Iterator[OpOperand]",
    ("Value", "maybe_downcast"): "Value",
    ("OpOperand", "owner"): "OpView | Operation",
    ("OpOperand", "value"): "Value",
    ("Block", "owner"): "OpView | Operation",
    ("Block", "add_argument"): "BlockArgument",
    ("Block", "insert_argument"): "BlockArgument",
    ("Region", "owner"): "OpView | Operation",
    ("RegionSequence", "__getitem__"): "Region",
    ("BlockList", "__getitem__"): "Block",
    ("BlockList", "append"): "Block",
    ("BlockArgumentList", "__getitem__"): "BlockArgument",
    ("OpOperandList", "__getitem__"): "Value",
    ("OpResultList", "__getitem__"): "OpResult",
    ("OpSuccessors", "__getitem__"): "Block",
    ("OperationList", "__getitem__"): "OpView | Operation",
    ("OperationIterator", "__next__"): "OpView | Operation",
    ("InsertionPoint", "ref_operation"): "OpView | Operation | None",
    ("SymbolTable", "__getitem__"): "OpView | Operation",
    ("SymbolTable", "insert"): "StringAttr",
    ("", "get_symbol_name"): "StringAttr",
    ("", "get_visibility"): "StringAttr",
}
EXTRA = {
    "_OperationBase": """    @property
    def regions(self) -> RegionSequence: ...
    @property
    def operands(self) -> OpOperandList: ...
    @property
    def results(self) -> OpResultList: ...
    @property
    def successors(self) -> OpSuccessors: ...
""",
    # Added by tilepipe.ir.
    "OpView": """    @classmethod
    def build_generic(cls, results: Any = None, operands: Any = None, attributes: Any = None,
                      successors: Any = None, regions: Any = None, loc: Location | None = None,
                      ip: InsertionPoint | bool | None = None) -> Self: ...
    @classmethod
    def parse(cls, source: Any, *, source_name: str = "", context: Context | None = None) -> Self: ...
""",
}


def result_type(cls: str, name: str) -> str:
    found = RESULTS.get((cls, name)) or RESULTS.get(("", name))
    if found:
        return found
    if name == "parse" or name == "maybe_downcast":
        return cls
    if name.startswith("get") or (name.startswith("__") and cls.startswith("Affine")):
        return "AffineExpr" if cls == "AffineExpr" else cls
    if name == "__enter__":
        return "Self"
    return cls if name == "__add__" and cls.startswith(("Dense", "Array")) else "Any"


def refine(text: str) -> str:
    out, cls = [], ""
    for line in text.splitlines():
        if found := re.match(r"class (\w+)", line):
            cls = found[1]
        if found := re.match(r"( *)def (\w+)\(.*\) -> object: \.\.\.$", line):
            line = line[: -len("object: ...")] + f"{result_type(cls, found[2])}: ..."
        for old, new in ARGUMENTS.items():
            line = line.replace(old, new)
        line = re.sub(r"(?<![\w.])object(?! \| None = None, traceback)", "Any", line) if "def " in line else line
        out.append(line)
        if line.startswith("class ") and cls in EXTRA:
            out += [*EXTRA[cls].splitlines(), ""]
    head = "from collections.abc import Callable\nfrom typing import Any, Generic, Self, TypeVar\n"
    body = "\n".join(out) + "\n"
    # The properties that the module adds late come out as static; EXTRA has them.
    body = re.sub(r"    @property\n    @staticmethod\n    def [^\n]*\n\n?", "", body)
    body = body.replace("tilepipe._native.ir.", "")
    at = body.index("\n", body.index('"""', 3)) + 1 if body.startswith('"""') else 0
    return body[:at] + head + body[at:]


def main() -> None:
    module, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    root = importlib.import_module(module)
    parts = [("__init__", root), ("ir", root.ir), ("passmanager", root.passmanager), ("tile", root.tile)]
    # Those of targets, which a build may leave out.
    parts += [(name, getattr(root, name)) for name in ("nvidia", "ascend") if hasattr(root, name)]
    for name, part in parts:
        stub = StubGen(part, include_private=True)
        stub.put(part)
        text = stub.get()
        if name == "passmanager":
            text = "from .ir import Context\n" + refine(text)
        elif name == "tile":
            text = "from .ir import Attribute, Context, Type\n" + refine(text)
        elif name == "ir":
            text = refine(text)
        (directory / f"{name}.pyi").write_text(text)


if __name__ == "__main__":
    main()
