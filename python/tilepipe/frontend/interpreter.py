"""Walks the syntax tree of a kernel and stages it: the statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

from tilepipe import ir
from tilepipe.dialects import cf, scf, tile
from tilepipe.frontend import dtypes, loops
from tilepipe.frontend.builder import Builder
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.frontend.expressions import MISSING, ExpressionInterpreter
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


_INSTEAD = {
    "break": "; use 'while' with a condition",
    "continue": "; put what follows under an 'if'",
    "functiondef": "; define helpers outside, with @T.macro",
}


class ReturnFromMacro(Exception):
    """The value of a `return` statement of a macro."""

    def __init__(self, value: object) -> None:
        self.value = value


def assigned_names(statements: list[ast.stmt]) -> list[str]:
    """Names that statements assign, nested ones included, in order of appearance."""
    names: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                targets = [node.target]
            for target in targets:
                for leaf in ast.walk(target):
                    if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, ast.Store):
                        names[leaf.id] = None
    return list(names)


class Interpreter(ExpressionInterpreter):
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
        if isinstance(condition, (Expr, Element, Variable)):
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
            value.value.owner.attributes["name"] = ir.StringAttr.get(name)
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

    @contextmanager
    def box(self, block: ir.Block) -> Iterator[list[Expr]]:
        """The body of a launch or map: its indices; nothing is yielded."""
        with ir.InsertionPoint(block):
            yield [Expr(argument, dtypes.index) for argument in block.arguments]
            tile.YieldOp([])

    def run_If(self, node: ast.If) -> None:
        condition = self.eval(node.test)
        if not isinstance(condition, (Expr, Element, Variable)):
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

    def run_While(self, node: ast.While) -> None:
        if node.orelse:
            raise KernelError("'else' of a loop is not supported in a kernel")
        names, inits = self.carried(node.body)
        types = [init.dtype.mlir() for init in inits]
        op = scf.WhileOp(types, [init.value for init in inits])
        before, after = (region.blocks[0] for region in op.regions)
        with ir.InsertionPoint(before):
            self.bind(names, inits, before.arguments)
            condition = self.builder.condition(self.eval(node.test))
            scf.ConditionOp(condition, list(before.arguments))
        with ir.InsertionPoint(after):
            self.bind(names, inits, after.arguments)
            scf.YieldOp(self.run_body(node.body, names, inits))
        self.bind(names, inits, op.results)

    def run_For(self, node: ast.For) -> None:
        if node.orelse:
            raise KernelError("'else' of a loop is not supported in a kernel")
        spec = self.eval(node.iter)
        if isinstance(spec, range):
            spec = loops.Serial(spec.start, spec.stop, spec.step)
        if isinstance(spec, loops.Parallel):
            self.run_parallel(node, spec)
        elif isinstance(spec, loops.Serial):
            self.run_serial(node, spec)
        elif isinstance(spec, loops.Grid):
            self.run_grid(node, spec)
        elif isinstance(spec, loops.Pipelined):
            self.run_pipelined(node, spec)
        elif isinstance(spec, Iterable) and not isinstance(spec, str):
            for item in spec:  # unrolled
                self.assign(node.target, item)
                self.run(node.body)
        else:
            hint = f"; did you mean T.serial({ast.unparse(node.iter)})?" if isinstance(spec, (int, Expr)) else ""
            raise KernelError(f"cannot loop over {describe(spec)} in a kernel{hint}")

    def run_parallel(self, node: ast.For, spec: loops.Parallel) -> None:
        self.check_parallel(node, spec)
        op = tile.MapOp(self.builder.mixed(spec.extents))
        with self.box(op.body) as indices, self.scope():
            self.assign(node.target, indices[0] if isinstance(node.target, ast.Name) else indices)
            self.builder.parallels += 1
            self.run(node.body)
            self.builder.parallels -= 1

    def check_parallel(self, node: ast.For, spec: loops.Parallel) -> None:
        got = len(node.target.elts) if isinstance(node.target, ast.Tuple) else 1
        if got != len(spec.extents):
            raise KernelError(f"T.Parallel has {count(len(spec.extents), 'extent')}, got {count(got, 'name')}")
        outer = [n for n in assigned_names(node.body) if n in self.env and _is_scalar(self.env[n])]
        for name in outer:
            text = f"'{name}' is assigned in T.Parallel, whose points run in no order; use a tile or an atomic"
            raise KernelError(text, self.source.location(_assignment(node.body, name)))

    def run_serial(self, node: ast.For, spec: loops.Serial) -> None:
        if spec.unroll and all(isinstance(v, int) for v in (spec.start, spec.stop, spec.step)):
            for item in range(spec.start, spec.stop, spec.step):  # type: ignore[arg-type]
                self.assign(node.target, item)
                self.run(node.body)
            return
        start, count, step = loops.normalized(self.builder, spec)
        names, inits = self.carried(node.body)
        zero, one = (self.builder.as_index(n).value for n in (0, 1))
        op = scf.ForOp(zero, count.value, one, [init.value for init in inits])
        block = op.body
        with ir.InsertionPoint(block), self.scope():
            counter = Expr(block.arguments[0], dtypes.index)
            self.assign(node.target, self.builder.binary("+", start, self.builder.binary("*", counter, step)))
            self.bind(names, inits, list(block.arguments)[1:])
            scf.YieldOp(self.run_body(node.body, names, inits))
        self.bind(names, inits, op.results)

    def run_grid(self, node: ast.For, spec: loops.Grid) -> None:
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if len(targets) != len(spec.extents):
            raise KernelError(f"T.grid has {count(len(spec.extents), 'extent')}, got {count(len(targets), 'name')}")
        body = node.body
        for target, extent in zip(reversed(targets), reversed(spec.extents), strict=True):
            values = ast.Constant(loops.Serial(0, extent))  # type: ignore[arg-type]
            loop = ast.For(target, ast.copy_location(values, node.iter), body, [])
            body = [ast.copy_location(loop, node)]
        self.run(body)

    def run_pipelined(self, node: ast.For, spec: loops.Pipelined) -> None:
        if self.builder.parallels:
            raise KernelError("T.Pipelined cannot be inside T.Parallel, whose points run in no order")
        start, stop, step = (self.builder.as_index(v).value for v in (spec.start, spec.stop, 1))
        names, inits = self.carried(node.body)
        op = tile.PipelineOp(
            start, stop, step, [init.value for init in inits],
            num_stages=spec.num_stages, stage=spec.stage, order=spec.order,
        )  # fmt: skip
        block = op.body
        with ir.InsertionPoint(block), self.scope():
            self.assign(node.target, Expr(block.arguments[0], dtypes.index))
            self.bind(names, inits, list(block.arguments)[1:])
            tile.YieldOp(self.run_body(node.body, names, inits))
        self.bind(names, inits, op.results)

    # Values that loops carry ------------------------------------------------------------------------------

    def carried(self, body: list[ast.stmt]) -> tuple[list[str], list[Expr]]:
        """Scalars from before a loop that its body assigns, and their values at its start."""
        names = [n for n in assigned_names(body) if n in self.env and _is_scalar(self.env[n])]
        return names, [self.builder.as_expr(self.env[name]) for name in names]

    def bind(self, names: list[str], inits: list[Expr], values: Any) -> None:
        for name, init, value in zip(names, inits, values, strict=True):
            self.env[name] = Expr(value, init.dtype)

    def run_body(self, body: list[ast.stmt], names: list[str], inits: list[Expr]) -> list[ir.Value]:
        """Stages one iteration; the values of the names after it, in the types they came in with."""
        before = dict(self.env)
        self.run(body)
        results = []
        for name, init in zip(names, inits, strict=True):
            value = self.builder.as_expr(self.env[name], init.dtype)
            if value.dtype.is_float and (not init.dtype.is_float or value.dtype.bits > init.dtype.bits):
                text = f"'{name}' is {init.dtype} before the loop and {value.dtype} after its body"
                hint = "start with a float, as 0.0" if not init.dtype.is_float else f"start with T.{value.dtype}(...)"
                raise KernelError(f"{text}; {hint}", self.source.location(_assignment(body, name)))
            results.append(self.builder.cast(value, init.dtype).value)
        self.env = before
        return results

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names bound inside are gone afterwards."""
        known = set(self.env)
        yield
        for name in set(self.env) - known:
            del self.env[name]
            self.unbound[name] = "is bound only inside of the block above; give it a value before it"


def _assignment(body: list[ast.stmt], name: str) -> ast.stmt:
    """The first statement that assigns the name."""
    simple = (ast.Assign, ast.AugAssign, ast.AnnAssign)
    return next(n for s in body for n in ast.walk(s) if isinstance(n, simple) and name in assigned_names([n]))


def _is_scalar(value: object) -> bool:
    return isinstance(value, (Expr, bool, int, float))


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise KernelError(f"cannot assign to '{ast.unparse(target)}'")
