"""The type stubs know every public name."""

import ast
import pathlib

import pytest

ir = pytest.importorskip("tilepipe.ir")
import tilepipe


def names_of(path):
    tree = ast.parse(path.read_text())
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(t.id for t in targets if isinstance(t, ast.Name))
    return found


def test_stubs_are_complete():
    package = pathlib.Path(tilepipe.__file__).parent
    assert (package / "py.typed").exists()
    stub = package / "_native" / "ir.pyi"
    if not stub.exists():
        pytest.skip("stubs are not built")
    known = names_of(stub) | names_of(package / "ir.pyi") | {"MLIRError"}
    public = {name for name in ir.__all__ if hasattr(ir, name)}
    assert public - known == set()


def test_members_are_typed():
    package = pathlib.Path(tilepipe.__file__).parent
    stub = package / "_native" / "ir.pyi"
    if not stub.exists():
        pytest.skip("stubs are not built")
    classes = {n.name: n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.ClassDef)}
    for cls, member, kind in [("Value", "type", "Type"), ("_OperationBase", "results", "OpResultList"),
                              ("MemRefType", "get", "MemRefType"), ("OpView", "build_generic", "Self")]:
        found = [n for n in classes[cls].body if isinstance(n, ast.FunctionDef) and n.name == member]
        assert found and ast.unparse(found[0].returns) == kind, (cls, member)
