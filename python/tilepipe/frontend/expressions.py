"""Walks the syntax tree of a kernel and stages it: the expressions."""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tilepipe import ir
from tilepipe.dialects import scf
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import Builder
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.terms import count, near
from tilepipe.frontend.values import Buffer, Element, Expr, Region, Variable, describe

if TYPE_CHECKING:
    from tilepipe.frontend.interpreter import Source

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.Pow: operator.pow,
}  # fmt: skip
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
_UNARY: dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}

_CONVERSIONS: dict[str, Callable[[object], str]] = {"s": str, "r": repr, "a": ascii}
Staged = (Expr, Element, Variable)
MISSING = object()
"""Stands for the value of a name that a branch does not bind."""


class ExpressionInterpreter:
    """Evaluates expressions: Python values stay Python values, values of the kernel become operations."""

    def __init__(self, source: Source, builder: Builder, env: dict[str, Any], outer: Callable[[str], Any]) -> None:
        self.source = source
        self.builder = builder
        self.env = env
        self.outer = outer
        # Names that the function binds, but not on every way to the present place; and why not.
        self.unbound: dict[str, str] = {}

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """Operations get the location of ``node``, and so do errors that have none."""
        place = self.source.location(node)
        try:
            with ir.Location.file(place.file, place.line, place.column):
                yield
        except KernelError as error:
            if error.location is not None:
                raise
            raise error.at(place) from error.__cause__
        except ir.MLIRError as error:
            raise KernelError(str(error), place) from None
        except (TypeError, ValueError, AttributeError, IndexError, KeyError, ZeroDivisionError) as error:
            raise KernelError(_explain(error), place) from error

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression."""
        # Half of all expressions make no operations.
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            with suppress(KernelError):  # said below, with its place
                return self.lookup(node.id)
        handler = getattr(self, "eval_" + type(node).__name__, None)
        with self.at(node):
            return handler(node) if handler is not None else self.eval_python(node)

    def eval_python(self, node: ast.expr) -> Any:
        """Anything else is plain Python over names that are not values of the kernel."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        known = {}
        for name in names:
            try:
                known[name] = self.lookup(name)
            except KernelError:
                continue  # bound by the expression itself
            if isinstance(known[name], Staged):
                what = "':='" if isinstance(node, ast.NamedExpr) else f"'{type(node).__name__}'"
                raise KernelError(f"{what} is not supported on values of the kernel")
        return eval(compile(ast.fix_missing_locations(ast.Expression(node)), self.source.file, "eval"), known)

    def lookup(self, name: str) -> Any:
        if name in self.env:
            return self.env[name]
        if name in self.unbound:
            raise KernelError(f"'{name}' {self.unbound[name]}")
        try:
            return self.outer(name)
        except NameError:
            pass
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise KernelError(f"unknown name '{name}'{near(name, self.env)}")

    def eval_Name(self, node: ast.Name) -> Any:
        return self.lookup(node.id)

    def eval_Attribute(self, node: ast.Attribute) -> Any:
        value = self.eval(node.value)
        try:
            return getattr(value, node.attr)
        except AttributeError:
            owner, hint = ast.unparse(node.value), near(node.attr, dir(value))
            raise KernelError(f"'{owner}' has no attribute '{node.attr}'{hint}") from None

    def eval_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(map(self.builder.read, self.eval_items(node.elts)))

    def eval_List(self, node: ast.List) -> Any:
        return [*map(self.builder.read, self.eval_items(node.elts))]

    def eval_Dict(self, node: ast.Dict) -> Any:
        items: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.update(self.eval(value))
            else:
                items[self.eval(key)] = self.builder.read(self.eval(value))
        return items

    def eval_Lambda(self, node: ast.Lambda) -> Any:
        a = node.args
        if a.posonlyargs or a.vararg or a.kwonlyargs or a.kwarg or a.defaults:
            return self.eval_python(node)
        names = [argument.arg for argument in a.args]

        def call(*values: Any) -> Any:
            if len(values) != len(names):
                raise TypeError(f"the lambda takes {count(len(names), 'argument')}, got {len(values)}")
            known = self.env
            self.env = {**known, **dict(zip(names, values, strict=True))}
            try:
                return self.eval(node.body)
            finally:
                self.env = known

        return call

    def eval_ListComp(self, node: ast.ListComp) -> Any:
        return self.eval_comprehension(node, node.generators)

    def eval_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return (item for item in self.eval_comprehension(node, node.generators))

    def eval_SetComp(self, node: ast.SetComp) -> Any:
        return set(self.eval_comprehension(node, node.generators))

    def eval_DictComp(self, node: ast.DictComp) -> Any:
        return dict(self.eval_comprehension(node, node.generators))

    def eval_comprehension(self, node: Any, generators: list[ast.comprehension]) -> list[Any]:
        """The items, in order, those of a dict as pairs; its variables are gone afterwards."""
        if not generators:
            values = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            items = [self.builder.read(self.eval(value)) for value in values]
            return [tuple(items)] if isinstance(node, ast.DictComp) else items
        first, *rest = generators
        source = self.eval(first.iter)
        if isinstance(source, (Buffer, Region, *Staged)) or not isinstance(source, Iterable):
            raise KernelError(f"a comprehension runs over Python values, got {describe(source)}")
        items = []
        known = self.env
        for item in source:
            self.env = dict(known)
            self.bind_target(first.target, item)
            conditions = [self.eval(test) for test in first.ifs]
            if any(isinstance(condition, Staged) for condition in conditions):
                raise KernelError("the condition of a comprehension is a Python value, not one of the kernel")
            if all(conditions):
                items += self.eval_comprehension(node, rest)
        self.env = known
        return items

    def bind_target(self, target: ast.expr, value: Any) -> None:
        """Binds the variables of a comprehension."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise KernelError(f"cannot assign to '{ast.unparse(target)}' in a comprehension")
        for element, item in zip(target.elts, value, strict=True):
            self.bind_target(element, item)

    def eval_items(self, nodes: list[ast.expr]) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items.extend(self.eval(node.value))
            else:
                items.append(self.eval(node))
        return items

    def eval_Slice(self, node: ast.Slice) -> slice:
        return slice(*(None if part is None else self.eval(part) for part in (node.lower, node.upper, node.step)))

    def eval_Subscript(self, node: ast.Subscript) -> Any:
        value = self.eval(node.value)
        # Indices are read where the element is: under its condition.
        is_tuple = isinstance(node.slice, ast.Tuple)
        index = tuple(self.eval_items(node.slice.elts)) if is_tuple else self.eval(node.slice)  # type: ignore[attr-defined]
        if isinstance(value, (list, tuple, dict)) and isinstance(index, Staged):
            raise KernelError(f"cannot index a Python {type(value).__name__} with a value of the kernel")
        if isinstance(value, Staged):
            raise KernelError(f"'{ast.unparse(node.value)}' is a scalar and has no elements")
        return value[index]

    def binary(self, op: type, left: Any, right: Any) -> Any:
        if op not in _BINARY:
            raise KernelError(f"operator '{op.__name__}' is not supported in a kernel")
        for side in (left, right):
            if isinstance(side, (Buffer, Region)):
                missing = side.as_scalar_error() if isinstance(side, Region) else None
                raise KernelError(missing or "arithmetic is on elements; loop over the tile with T.Parallel")
        return _BINARY[op](left, right)

    def eval_BinOp(self, node: ast.BinOp) -> Any:
        return self.binary(type(node.op), self.eval(node.left), self.eval(node.right))

    def eval_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.eval(node.operand)
        return self.negate(value) if isinstance(node.op, ast.Not) else _UNARY[type(node.op)](value)

    def negate(self, value: Any) -> Any:
        """``not value``."""
        if isinstance(value, Staged):
            return self.builder.invert(Expr(self.builder.condition(value), dtypes.bool_))
        return not value

    def eval_Compare(self, node: ast.Compare) -> Any:
        left, result = self.eval(node.left), None
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.eval(right_node)
            this = self.compare(type(op), left, right)
            result = this if result is None else self.both(result, this)
            left = right
        return result

    def compare(self, op: type, left: Any, right: Any) -> Any:
        if op not in (ast.In, ast.NotIn) or not isinstance(right, (list, tuple, range)):
            return _COMPARE[op](left, right)
        if not any(isinstance(v, Staged) for v in (left, *right)):
            return _COMPARE[op](left, right)
        found: Any = False
        for item in right:
            found = self.builder.binary("|", found, self.builder.binary("==", left, item))
        if op is ast.In:
            return found
        return self.builder.invert(found) if isinstance(found, Staged) else True

    def both(self, a: Any, b: Any) -> Any:
        return self.builder.binary("&", a, b) if isinstance(a, Staged) or isinstance(b, Staged) else a and b

    def eval_BoolOp(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result = self.eval(node.values[0])
        for right in node.values[1:]:
            if not isinstance(result, Staged):
                if bool(result) != is_and:
                    return result
                result = self.eval(right)
                continue
            # The right side is computed only where it counts, as in Python.
            def compute(right: ast.expr = right) -> list[object]:
                return [Expr(self.builder.condition(self.eval(right)), dtypes.bool_)]

            def constant() -> list[object]:
                return [not is_and]

            then, otherwise = (compute, constant) if is_and else (constant, compute)
            result = self.select_branch(result, then, otherwise)[0]
        return result

    def eval_IfExp(self, node: ast.IfExp) -> Any:
        condition = self.eval(node.test)
        if not isinstance(condition, Staged):
            return self.eval(node.body if condition else node.orelse)
        return self.select_value(condition, node.body, node.orelse)

    def select_value(self, condition: Any, then: ast.expr, otherwise: ast.expr) -> Any:
        """One of two expressions, of which only the chosen one is computed."""
        return self.select_branch(condition, lambda: [self.eval(then)], lambda: [self.eval(otherwise)])[0]

    def select_branch(self, condition: Any, then: Callable[[], list[object]],
                      otherwise: Callable[[], list[object]]) -> list[object]:
        """Stages both branches of an `if`; the values that they give, merged one by one."""
        draft = scf.IfOp(self.builder.condition(condition), hasElse=True)
        values, blocks = [], []
        for region, branch in zip(draft.regions, (then, otherwise), strict=True):
            block = region.blocks[0]
            blocks.append(block)
            with ir.InsertionPoint(block):
                values.append(branch())
        return self.merge(draft, blocks, values)

    def merge(self, draft: Any, blocks: list[ir.Block], values: list[list[object]]) -> list[object]:
        """Replaces the draft, whose result types were not known yet, by an `if` that gives the values."""
        merged: list[object] = []
        yields: tuple[list[ir.Value], list[ir.Value]] = ([], [])
        places: list[tuple[int, dtypes.DType]] = []
        for position, (a, b) in enumerate(zip(*values, strict=True)):
            merged.append(a)
            if a is b or not (_is_scalar(a) or _is_scalar(b)):
                continue
            if not (_is_scalar(a) and _is_scalar(b)):
                # Bound on one side only: not a value after the branch.
                merged[position] = _unbound(a, b)
                continue
            dtype = self.common_dtype(a, b)
            for side, value in enumerate((a, b)):
                with ir.InsertionPoint(blocks[side]):
                    expr = self.builder.cast(self.builder.as_expr(value, dtype), dtype)
                yields[side].append(expr.value)
            places.append((position, dtype))
        for side, block in enumerate(blocks):
            with ir.InsertionPoint(block):
                scf.YieldOp(yields[side])
        if not places:
            return merged
        types = [dtype.mlir() for _, dtype in places]
        final = ir.Operation.create("scf.if", results=types, operands=[draft.operation.operands[0]], regions=2)
        for region, block in zip(final.regions, blocks, strict=True):
            block.append_to(region)
        draft.operation.erase()
        for (position, dtype), result in zip(places, final.results, strict=True):
            merged[position] = Expr(result, dtype)
        return merged

    def common_dtype(self, a: object, b: object) -> dtypes.DType:
        known = [v.dtype for v in (a, b) if isinstance(v, Staged)]
        if not known:
            numbers = (a, b)
            if all(isinstance(v, bool) for v in numbers):
                return dtypes.bool_
            return dtypes.float32 if any(isinstance(v, float) for v in numbers) else dtypes.int32
        return self.builder._common(
            known[0] if isinstance(a, Staged) else None, known[-1] if isinstance(b, Staged) else None, a, b
        )

    def eval_JoinedStr(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.eval(part)) for part in node.values)

    def eval_FormattedValue(self, node: ast.FormattedValue) -> str:
        value = self.eval(node.value)
        if node.conversion >= 0:
            value = _CONVERSIONS[chr(node.conversion)](value)
        return format(value, "" if node.format_spec is None else self.eval(node.format_spec))

    def eval_Call(self, node: ast.Call) -> Any:
        function = self.eval(node.func)
        lazy = getattr(function, "stage_lazily", None)
        if lazy is not None:
            return lazy(self, node)
        args = self.eval_items(node.args)
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.eval(keyword.value)
            kwargs.update(value if keyword.arg is None else {keyword.arg: value})
        if function is range and any(isinstance(a, Staged) for a in args):
            from tilepipe.language.loops import serial

            return serial(*args)
        if function in _SCALAR_BUILTINS and any(isinstance(a, Staged) for a in args):
            return _SCALAR_BUILTINS[function](self.builder, args)
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            raise KernelError(_explain_call(error, function, kwargs)) from error


def _explain(error: Exception) -> str:
    if isinstance(error, ZeroDivisionError):
        return "division by zero"
    return f"no item {error}" if isinstance(error, KeyError) else str(error)


def _explain_call(error: TypeError, function: Any, kwargs: dict[str, Any]) -> str:
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return _explain(error)
    wrong = next((name for name in kwargs if name not in known), None)
    return _explain(error) + ("" if wrong is None else near(wrong, known))


def _reduce(op: str) -> Callable[[Builder, list[Any]], Expr]:
    def run(builder: Builder, args: list[Any]) -> Expr:
        result = args[0]
        for arg in args[1:]:
            result = builder.binary(op, result, arg)
        return result

    return run


_SCALAR_BUILTINS: dict[Any, Callable[[Builder, list[Any]], Any]] = {
    max: _reduce("max"),
    min: _reduce("min"),
    abs: lambda builder, args: builder.binary("max", args[0], -args[0]),
    int: lambda builder, args: builder.cast(builder.as_expr(args[0]), dtypes.int32),
    float: lambda builder, args: builder.cast(builder.as_expr(args[0]), dtypes.float32),
    bool: lambda builder, args: Expr(builder.condition(args[0]), dtypes.bool_),
}


def _is_scalar(value: object) -> bool:
    return isinstance(value, (*Staged, bool, int, float))


def _unbound(a: object, b: object) -> object:
    return MISSING if a is MISSING or b is MISSING else a
