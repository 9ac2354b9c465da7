"""Walks the syntax tree of a kernel and stages it: the statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

from tilepipe import ir
from tilepipe.dialects import cf, tile
from tilepipe.frontend import dtypes, loops
from tilepipe.frontend.builder import Builder
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.frontend.expressions import MISSING, Staged
from tilepipe.frontend.looping import LoopInterpreter, assigned_names
from tilepipe.frontend.terms import count
from tilepipe.frontend.values import Buffer, Element, Expr, Region, Variable, describe


@dataclass(frozen=True)
class Source:
    """The text of one function of the user: its tree and where it starts in its file."""

    tree: ast.FunctionDef
    file: str
    first_line: int
    indent: int

    def location(self, node: ast.AST) -> SourceLocation:
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        return SourceLocation(self.file, self.first_line + line - 1, column + self.indent + 1)


_INSTEAD = {"functiondef": "; define helpers outside, with @T.macro"}


class ReturnFromMacro(Exception):
    """The value of a `return` statement of a macro."""

    def __init__(self, value: object) -> None:
        self.value = value


class Interpreter(LoopInterpreter):
    """Stages the body of one function. ``in_macro`` allows `return`."""

    def __init__(self, source: Source, builder: Builder, env: dict[str, Any], outer: Callable[[str], Any],
                 in_macro: bool = False) -> None:
        super().__init__(source, builder, env, outer)
        self.in_macro = in_macro

    def run(self, statements: list[ast.stmt]) -> None:
        """Stages statements one after the other, each at its location."""
        for statement in statements:
            with self.at(statement):
                handler = getattr(self, "run_" + type(statement).__name__, None)
                if handler is None:
                    kind = type(statement).__name__.lower()
                    hint = _INSTEAD.get(kind, "")
                    raise KernelError(f"'{kind}' statements are not supported in a kernel{hint}")
                handler(statement)

    # Simple statements ------------------------------------------------------------------------------------

    def run_Pass(self, node: ast.Pass) -> None:
        del node

    def run_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.eval(node.value)

    def run_Return(self, node: ast.Return) -> None:
        if not self.in_macro:
            raise KernelError("a kernel returns nothing: its results are its output tensors")
        raise ReturnFromMacro(None if node.value is None else self.eval(node.value))

    def run_Assert(self, node: ast.Assert) -> None:
        condition = self.eval(node.test)
        message = "assertion failed" if node.msg is None else str(self.eval(node.msg))
        if isinstance(condition, Staged):
            cf.AssertOp(self.builder.condition(condition), message)
        elif not condition:
            raise KernelError(message)

    def run_Assign(self, node: ast.Assign) -> None:
        value = self.eval(node.value)
        for target in node.targets:
            self.assign(target, value)

    def run_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            raise KernelError("a declaration without a value means nothing in a kernel; use T.alloc_var")
        value = self.eval(node.value)
        annotation = self.eval(node.annotation)
        if isinstance(annotation, dtypes.DType):
            like = dtypes.index if annotation.kind == "int" and self.is_index(value) else annotation
            value = self.builder.cast(self.builder.as_expr(value, annotation), like)
        self.assign(node.target, value)

    def is_index(self, value: object) -> bool:
        """True for an index, which keeps its type where an integer is asked for: addresses are 64 bits wide."""
        return isinstance(value, Expr) and value.dtype.kind == "index"

    def run_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        load = ast.copy_location(_as_load(target), target)
        value = self.binary(type(node.op), self.eval(load), self.eval(node.value))
        self.assign(target, value)

    def assign(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = list(value) if isinstance(value, (tuple, list, GeneratorType)) else None
            if values is None or len(values) != len(target.elts):
                got = describe(value) if values is None else count(len(values), "value")
                raise KernelError(f"cannot unpack {got} into {count(len(target.elts), 'name')}")
            for element, item in zip(target.elts, values, strict=True):
                self.assign(element, item)
        elif isinstance(target, ast.Subscript):
            self.assign_element(target, value)
        else:
            raise KernelError(f"cannot assign to '{ast.unparse(target)}'")

    def assign_name(self, name: str, value: object) -> None:
        known = self.env.get(name)
        if isinstance(known, Variable):
            self.builder.set_variable(known, value)
            return
        # A value of the kernel is read when it is assigned, not when it is used.
        if isinstance(value, Element) or (isinstance(value, Variable) and value.name):
            value = self.builder.as_expr(value)
        # A tile is called what it is first assigned to.
        if isinstance(value, (Buffer, Variable)) and not value.name:
            value.name = name
            allocation: Any = value.value.owner
            allocation.attributes["name"] = ir.StringAttr.get(name)
        self.env[name] = value
        self.unbound.pop(name, None)

    def assign_element(self, target: ast.Subscript, value: object) -> None:
        buffer = self.eval(target.value)
        if isinstance(buffer, Variable):
            self.builder.set_variable(buffer, value)
            return
        if not isinstance(buffer, Buffer):
            raise KernelError(f"cannot assign to an item of {describe(buffer)}")
        place = buffer[self.eval(target.slice)]
        if isinstance(place, Region):
            raise KernelError(place.as_scalar_error() or "assign one element, or use T.copy or T.fill for a region")
        self.builder.store(buffer, place.indices, value)

    # Structure --------------------------------------------------------------------------------------------

    def run_With(self, node: ast.With) -> None:
        if len(node.items) != 1:
            raise KernelError("one 'with' item at a time in a kernel")
        launch = self.eval(node.items[0].context_expr)
        if not isinstance(launch, loops.Launch):
            raise KernelError(f"expected 'with T.Kernel(...)', got {describe(launch)}")
        if self.builder.launches:
            raise KernelError("T.Kernel cannot be inside another T.Kernel")
        names = node.items[0].optional_vars
        if isinstance(names, ast.Tuple) and len(names.elts) != len(launch.grid):
            extents, got = count(len(launch.grid), "extent"), count(len(names.elts), "name")
            raise KernelError(f"the grid has {extents}, got {got}").at(self.source.location(names))
        op = tile.LaunchOp(self.builder.mixed(launch.grid), launch.threads)
        with self.box(op.body) as indices:
            if names is not None:
                self.assign(names, indices[0] if len(indices) == 1 and isinstance(names, ast.Name) else indices)
            self.builder.launches += 1
            with self.scope():
                self.run(node.body)
            self.builder.launches -= 1

    def run_If(self, node: ast.If) -> None:
        condition = self.eval(node.test)
        if not isinstance(condition, Staged):
            self.run(node.body if condition else node.orelse)
            return
        names = [n for n in assigned_names([*node.body, *node.orelse]) if not isinstance(self.env.get(n), Variable)]

        def branch(statements: list[ast.stmt]) -> Callable[[], list[object]]:
            def run() -> list[object]:
                before = dict(self.env)
                self.run(statements)
                result = [self.env.get(name, MISSING) for name in names]
                self.env = before
                return result

            return run

        merged = self.select_branch(condition, branch(node.body), branch(node.orelse))
        for name, value in zip(names, merged, strict=True):
            if value is not MISSING:
                self.env[name] = value
            else:
                self.env.pop(name, None)
                self.unbound[name] = "is not bound on all paths to here; give it a value before the 'if'"


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise KernelError(f"cannot assign to '{ast.unparse(target)}'")
