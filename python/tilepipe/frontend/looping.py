"""Walks the syntax tree of a kernel and stages it: the loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tilepipe import ir
from tilepipe.dialects import scf, tile
from tilepipe.frontend import dtypes, loops
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.expressions import ExpressionInterpreter, Staged
from tilepipe.frontend.jumps import fresh_name, jumps, not_flag, unless, without_jumps
from tilepipe.frontend.terms import count
from tilepipe.frontend.values import Expr, describe


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


class LoopInterpreter(ExpressionInterpreter):
    """Stages loops; statements are those of a subclass."""

    def run(self, statements: list[ast.stmt]) -> None:
        """Stages statements one after the other."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: object) -> None:
        """Binds or stores a value."""
        raise NotImplementedError

    @contextmanager
    def box(self, block: ir.Block) -> Iterator[list[Expr]]:
        """The body of a launch or map: its indices; nothing is yielded."""
        with ir.InsertionPoint(block):
            yield [Expr(argument, dtypes.index) for argument in block.arguments]
            tile.YieldOp([])

    def run_While(self, node: ast.While) -> None:
        if node.orelse:
            raise KernelError("'else' of a loop is not supported in a kernel")
        body = without_jumps(node)
        test = node.test
        if body.left is not None:
            self.env[body.left] = False
            test = ast.copy_location(ast.BoolOp(ast.And(), [ast.copy_location(not_flag(body.left), test), test]), test)
        names, inits = self.carried(body.statements)

        def go_on() -> Any:
            condition = self.eval(test)
            if not isinstance(condition, Staged) and condition:
                raise KernelError("a loop whose condition is constant never ends; leave it with 'break'")
            return condition

        self.emit_while(names, inits, go_on, lambda: self.run_body(body.statements, names, inits))

    def emit_while(self, names: list[str], inits: list[Expr], go_on: Callable[[], Any],
                   body: Callable[[], list[ir.Value]]) -> None:
        """A loop that carries ``names`` while ``go_on()`` holds at its start; ``body`` gives their next values."""
        op = scf.WhileOp([init.dtype.mlir() for init in inits], [init.value for init in inits])
        before, after = (region.blocks[0] for region in op.regions)
        with ir.InsertionPoint(before):
            self.bind(names, inits, before.arguments)
            scf.ConditionOp(self.builder.condition(go_on()), list(before.arguments))
        with ir.InsertionPoint(after):
            self.bind(names, inits, after.arguments)
            scf.YieldOp(body())
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
            self.run_unrolled(node, spec)
        else:
            hint = f"; did you mean T.serial({ast.unparse(node.iter)})?" if isinstance(spec, (int, Expr)) else ""
            raise KernelError(f"cannot loop over {describe(spec)} in a kernel{hint}")

    def run_unrolled(self, node: ast.For, items: Iterable[object]) -> None:
        """The body once for each item; what follows a `break` is under an `if`."""
        body = without_jumps(node)
        statements = body.statements
        if body.left is not None:
            self.env[body.left] = False
            statements = [unless(body.left, statements)]
        for item in items:
            if body.left is not None and self.env[body.left] is True:
                break
            self.assign(node.target, item)
            self.run(statements)

    def refuse_break(self, node: ast.For, why: str) -> None:
        for jump in jumps(node.body):
            if isinstance(jump, ast.Break):
                raise KernelError(f"'break' cannot leave {why}", self.source.location(jump))

    def run_parallel(self, node: ast.For, spec: loops.Parallel) -> None:
        self.refuse_break(node, "T.Parallel, whose points run in no order; use T.serial")
        self.check_parallel(node, spec)
        op = tile.MapOp(self.builder.mixed(spec.extents))
        with self.box(op.body) as indices, self.scope():
            self.assign(node.target, indices[0] if isinstance(node.target, ast.Name) else indices)
            self.builder.parallels += 1
            self.run(without_jumps(node).statements)
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
        bounds = [v for v in (spec.start, spec.stop, spec.step) if isinstance(v, int)]
        if spec.unroll and len(bounds) == 3:
            self.run_unrolled(node, range(*bounds))
            return
        start, count, step = loops.normalized(self.builder, spec)
        body = without_jumps(node)
        if body.left is not None:
            self.env[body.left] = False
        if body.left is not None or spec.until is not None:
            self.run_until(node, body.statements, str(body.left or spec.until), (start, count, step))
            return
        names, inits = self.carried(body.statements)
        zero, one = (self.builder.as_index(n).value for n in (0, 1))
        op = scf.ForOp(zero, count.value, one, [init.value for init in inits])
        block = op.body
        with ir.InsertionPoint(block), self.scope():
            counter = Expr(block.arguments[0], dtypes.index)
            self.assign(node.target, self.builder.binary("+", start, self.builder.binary("*", counter, step)))
            self.bind(names, inits, list(block.arguments)[1:])
            scf.YieldOp(self.run_body(body.statements, names, inits))
        self.bind(names, inits, op.results)

    def run_until(self, node: ast.For, body: list[ast.stmt], left: str, bounds: tuple[Expr, Expr, int]) -> None:
        """A serial loop that ends early where the flag ``left`` is set."""
        start, count, step = bounds
        counter = fresh_name("iteration")
        self.env[counter] = self.builder.as_index(0)
        advance = ast.AugAssign(ast.Name(counter, ast.Store()), ast.Add(), ast.Constant(1))
        statements = [*body, ast.copy_location(advance, node)]
        names, inits = self.carried(statements)

        def go_on() -> Any:
            return self.both(self.builder.binary("<", self.env[counter], count), self.negate(self.env[left]))

        def iteration() -> list[ir.Value]:
            with self.scope():
                offset = self.builder.binary("*", self.env[counter], step)
                self.assign(node.target, self.builder.binary("+", start, offset))
                return self.run_body(statements, names, inits)

        self.emit_while(names, inits, go_on, iteration)

    def run_grid(self, node: ast.For, spec: loops.Grid) -> None:
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if len(targets) != len(spec.extents):
            raise KernelError(f"T.grid has {count(len(spec.extents), 'extent')}, got {count(len(targets), 'name')}")
        flags = without_jumps(node)
        body = flags.statements
        if flags.left is not None:
            self.env[flags.left] = False
        for target, extent in zip(reversed(targets), reversed(spec.extents), strict=True):
            values = ast.Constant(loops.Serial(0, extent, until=flags.left))  # type: ignore[arg-type]
            loop = ast.For(target, ast.copy_location(values, node.iter), body, [])
            body = [ast.copy_location(loop, node)]
        self.run(body)

    def run_pipelined(self, node: ast.For, spec: loops.Pipelined) -> None:
        if self.builder.parallels:
            raise KernelError("T.Pipelined cannot be inside T.Parallel, whose points run in no order")
        self.refuse_break(node, "T.Pipelined, whose iterations overlap; use T.serial, or 'if'")
        start, stop, step = (self.builder.as_index(v).value for v in (spec.start, spec.stop, 1))
        body = without_jumps(node).statements
        names, inits = self.carried(body)
        op = tile.PipelineOp(
            start, stop, step, [init.value for init in inits],
            num_stages=spec.num_stages, stage=spec.stage, order=spec.order,
        )  # fmt: skip
        block = op.body
        with ir.InsertionPoint(block), self.scope():
            self.assign(node.target, Expr(block.arguments[0], dtypes.index))
            self.bind(names, inits, list(block.arguments)[1:])
            tile.YieldOp(self.run_body(body, names, inits))
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
