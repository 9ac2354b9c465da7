"""`T.prim_func`: a kernel, from its Python function to a module of `tile` IR."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tilepipe import ir
from tilepipe.dialects import func, memref
from tilepipe.frontend import dtypes
from tilepipe.frontend.builder import Builder
from tilepipe.frontend.errors import KernelError, SourceLocation
from tilepipe.frontend.interpreter import Interpreter, ReturnFromMacro, Source
from tilepipe.frontend.values import Buffer, Expr, Linear


@dataclass(frozen=True, eq=False)
class Dynamic:
    """A size that is known when the kernel is called: ``T.dynamic("m")``."""

    name: str

    def _arithmetic(self, *_: object) -> Any:
        raise KernelError(
            f"size '{self.name}' is not known here; it is inside of a kernel that has a tensor with this size"
        ).at_caller()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _arithmetic
    __mod__ = __rmod__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _arithmetic


@dataclass(frozen=True)
class Halved:
    """Half of a dynamic size: the bytes of a row of which two elements share one."""

    of: Dynamic

    @property
    def name(self) -> str:
        return f"{self.of.name} / 2"


@dataclass(frozen=True)
class TensorType:
    """The type of a tensor argument as it lies in memory: sizes are ints, `Dynamic`s, or half of one.

    ``packed`` is what elements mean where two share one of ``dtype``; then the last size counts bytes.
    """

    shape: tuple[int | Dynamic | Halved, ...]
    dtype: dtypes.DType
    packed: dtypes.DType | None = None

    @staticmethod
    def of(shape: tuple[int | Dynamic, ...], dtype: dtypes.DType) -> TensorType:
        """The type of a tensor with these sizes in elements."""
        if not dtype.is_packed:
            return TensorType(shape, dtype)
        if not shape or (isinstance(shape[-1], int) and shape[-1] % 2):
            raise KernelError(f"the last size of a tensor of {dtype} is even, got shape {shape}")
        last = shape[-1] // 2 if isinstance(shape[-1], int) else Halved(shape[-1])
        return TensorType((*shape[:-1], last), dtype.loads_as, dtype)

    def dynamic_sizes(self) -> list[Dynamic]:
        """The sizes that are known when the kernel is called."""
        return [s.of if isinstance(s, Halved) else s for s in self.shape if not isinstance(s, int)]

    def resolve(self, sizes: Callable[[Dynamic], Any]) -> list[Any]:
        """The shape in memory for these dynamic sizes."""
        return [s if isinstance(s, int) else sizes(s.of) // 2 if isinstance(s, Halved) else sizes(s) for s in self.shape]

    def mlir(self) -> ir.Type:
        sizes = [s if isinstance(s, int) else ir.ShapedType.get_dynamic_size() for s in self.shape]
        return ir.MemRefType.get(sizes, self.dtype.mlir())


def _size_name(size: int | Dynamic | Halved, known: dict[Dynamic, str]) -> str:
    """A name for a size that is known when the kernel is called; empty for others."""
    if isinstance(size, int):
        return ""
    if isinstance(size, Halved):
        return _size_name(size.of, known) + " / 2"
    if size not in known:
        # Two sizes may have one name.
        taken = set(known.values())
        known[size] = size.name if size.name not in taken else f"{size.name} {len(known)}"
    return known[size]


@dataclass(frozen=True)
class Parameter:
    """One argument of a kernel, and where it is declared."""

    name: str
    type: TensorType | dtypes.DType
    default: object = inspect.Parameter.empty
    location: SourceLocation | None = field(default=None, compare=False)


# What was read, by the identity of the code, which is kept alive. A factory makes a new function of the same code
# for each of its calls; finding where a function ends takes longer than staging it. (Equal code objects may stand in
# different files.)
_READ: dict[int, tuple[CodeType, Source]] = {}
_MOST_READ = 1024


def read_source(function: Callable[..., Any]) -> Source:
    """The syntax tree of a function and where it stands. The tree is shared: nobody changes it."""
    code = getattr(function, "__code__", None)
    known = _READ.get(id(code))
    if known is not None:
        return known[1]
    source = _read_source(function)
    if isinstance(code, CodeType):
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        _READ[id(code)] = (code, source)
    return source


def _read_source(function: Callable[..., Any]) -> Source:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise KernelError(f"the source of '{function.__qualname__}' is not at hand: {error}") from None
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    indent = len(text.split("\n", 1)[0]) - len(dedented.split("\n", 1)[0])
    file = inspect.getsourcefile(function) or "<kernel>"
    try:
        tree = ast.parse(dedented).body[0]
    except SyntaxError:  # a lambda in the middle of an expression
        tree = ast.Pass()
    if not isinstance(tree, ast.FunctionDef):
        raise KernelError("a kernel is a plain function, with 'def'", SourceLocation(file, first, indent + 1))
    return Source(tree, file, first, indent)


def outer_lookup(function: Callable[..., Any]) -> Callable[[str], Any]:
    """Finds names as Python does: enclosing functions, then the module."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def lookup(name: str) -> Any:
        if name in cells:
            try:
                return cells[name].cell_contents
            except ValueError:
                raise NameError(name) from None
        if name in function.__globals__:
            return function.__globals__[name]
        raise NameError(name)

    return lookup


def evaluate_annotation(function: Callable[..., Any], annotation: Any) -> Any:
    """An annotation that is a string (``from __future__ import annotations``) is evaluated in its place."""
    if not isinstance(annotation, str):
        return annotation
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    local = {name: cell.cell_contents for name, cell in cells.items()}
    try:
        return eval(annotation, dict(function.__globals__), local)
    except NameError:
        return _evaluate_in_caller(annotation)


def _evaluate_in_caller(annotation: str) -> Any:
    # Names that only the annotation uses are not in the closure; they are alive in a calling frame.
    frame = inspect.currentframe()
    while frame is not None:
        try:
            return eval(annotation, frame.f_globals, frame.f_locals)
        except NameError:
            frame = frame.f_back
    raise KernelError(f"cannot evaluate the annotation '{annotation}'")


class PrimFunc:
    """A kernel that is not compiled yet.

    ``name`` is the function's, ``params`` its arguments in order. ``build`` stages it. ``script`` is its
    source IR as text.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.source = read_source(function)
        self.place = self.source.location(self.source.tree)
        parameters = inspect.signature(function).parameters.values()
        # Without a type, a default is a constant of the kernel.
        self.constants = {p.name: p.default for p in parameters if p.annotation is p.empty is not p.default}
        self.params = tuple(self._parameter(p) for p in parameters if p.name not in self.constants)
        self.__doc__ = function.__doc__

    def _parameter(self, parameter: inspect.Parameter) -> Parameter:
        arguments = self.source.tree.args
        nodes = {a.arg: a for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        place = self.source.location(nodes.get(parameter.name, self.source.tree))
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise KernelError(f"'{parameter}': a kernel has a fixed list of arguments", place)
        if parameter.annotation is inspect.Parameter.empty:
            raise KernelError(
                f"argument '{parameter.name}' has no type; write '{parameter.name}: T.Tensor((M, N), dtype)'", place
            )
        try:
            type_ = evaluate_annotation(self.function, parameter.annotation)
        except KernelError as error:
            raise KernelError(error.message, place) from None
        if isinstance(type_, dtypes.DType) and type_.is_packed:
            raise KernelError(f"argument '{parameter.name}' is a scalar of {type_}; use {type_.loads_as}", place)
        if isinstance(type_, (TensorType, dtypes.DType)):
            if isinstance(type_, TensorType) and parameter.default is not parameter.empty:
                raise KernelError(f"argument '{parameter.name}' is a tensor and has no default", place)
            return Parameter(parameter.name, type_, parameter.default, place)
        raise KernelError(f"argument '{parameter.name}' is a T.Tensor or a dtype, got {type_!r}", place)

    def build(self, context: ir.Context) -> ir.Module:
        """The kernel as a module of `tile` IR in ``context``; raises `KernelError`."""
        place = self.place
        with context, ir.Location.file(place.file, place.line, place.column), Builder() as builder:
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                types = [p.type.mlir() for p in self.params]
                op = func.FuncOp(self.name, ir.FunctionType.get(types, []))
                self._name_sizes(op.operation)
                block = op.add_entry_block()
            with ir.InsertionPoint(block):
                env = self._bind_arguments(builder, list(block.arguments))
                Interpreter(self.source, builder, env, outer_lookup(self.function)).run(self.source.tree.body)
                func.ReturnOp([])
            builder.erase_unused_reads()
            self._verify(module)
            return module

    def _name_sizes(self, function: ir.Operation) -> None:
        """Says which sizes are equal in every call: one proof serves all tensors of a size."""
        types = [p.type if isinstance(p.type, TensorType) else None for p in self.params]
        known: dict[Dynamic, str] = {}
        names = [[] if t is None else [_size_name(s, known) for s in t.shape] for t in types]
        flat = [name for each in names for name in each if name]
        if len(set(flat)) == len(flat):
            return
        shared = [[name if flat.count(name) > 1 else "" for name in each] for each in names]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([
            ir.DictAttr.get({"tile.sizes": ir.ArrayAttr.get([ir.StringAttr.get(n) for n in each])} if any(each) else {})
            for each in shared
        ])  # fmt: skip

    def _verify(self, module: ir.Module) -> None:
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise KernelError.from_diagnostics(error) from None

    def _bind_arguments(self, builder: Builder, arguments: list[ir.Value]) -> dict[str, Any]:
        env: dict[str, Any] = dict(self.constants)
        sizes: dict[Dynamic, Expr] = {}
        for parameter, argument in zip(self.params, arguments, strict=True):
            type_ = parameter.type
            if isinstance(type_, dtypes.DType):
                env[parameter.name] = Expr(argument, type_)
                continue
            shape: list[int | Expr] = []
            for dim, size in enumerate(type_.shape):
                if isinstance(size, int):
                    shape.append(size)
                    continue
                named = size.of if isinstance(size, Halved) else size
                if named not in sizes:
                    at = builder.constant(dim, dtypes.index).value
                    extent = Expr(memref.DimOp(argument, at).result, dtypes.index, Linear.symbol())
                    sizes[named] = builder.binary("*", extent, 2) if isinstance(size, Halved) else extent
                shape.append(sizes[named])
            if type_.packed is not None and isinstance(type_.shape[-1], int):
                shape[-1] = 2 * type_.shape[-1]
            env[parameter.name] = Buffer(argument, tuple(shape), type_.packed or type_.dtype, "global", parameter.name)
        # A dynamic size that the kernel names from outside stands for its value.
        lookup = outer_lookup(self.function)
        for name in self.function.__code__.co_freevars + self.function.__code__.co_names:
            try:
                value = lookup(name)
            except NameError:
                continue
            if isinstance(value, Dynamic) and value in sizes:
                env[name] = sizes[value]
        return env

    def script(self) -> str:
        """The source IR as text."""
        return str(self.build(ir.Context()))

    def __call__(self, *_: object, **__: object) -> None:
        """Raises: only compiled kernels can be called."""
        raise KernelError(
            f"'{self.name}' is not compiled; use tilepipe.compile({self.name}) or @tilepipe.jit"
        ).at_caller()

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(p.name for p in self.params)})>"


def prim_func(function: Callable[..., Any]) -> PrimFunc:
    """Makes a kernel of a function whose arguments are `T.Tensor`s or dtypes."""
    return PrimFunc(function)


class Macro:
    """A helper function that is inlined where it is called. See `macro`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.source = read_source(function)
        self.signature = inspect.signature(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from tilepipe.frontend.builder import current

        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        body = Interpreter(
            self.source, current(), dict(bound.arguments), outer_lookup(self.function), in_macro=True
        )
        try:
            body.run(self.source.tree.body)
        except ReturnFromMacro as result:
            return result.value
        return None


def macro(function: Callable[..., Any]) -> Macro:
    """Makes a helper that kernels call; it is staged anew at each call. A `return` may only be its last act."""
    return Macro(function)
