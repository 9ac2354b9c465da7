"""Functions and calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .. import ir as _ir
from ._func_ops_gen import CallOp as _CallOp
from ._func_ops_gen import FuncOp as _FuncOp
from ._func_ops_gen import ReturnOp, _Dialect
from ._ods_common import _cext

if not TYPE_CHECKING:
    from ._func_ops_gen import *  # noqa: F403


def _signature(kind: Any, loc: Any) -> Any:
    if isinstance(kind, tuple):
        inputs, results = kind
        context = loc.context if loc is not None else None
        kind = _ir.FunctionType.get(inputs=inputs, results=results, context=context)
    return kind if isinstance(kind, _ir.Attribute) else _ir.TypeAttr.get(kind)


def _as_values(returned: Any) -> list[Any]:
    if returned is None:
        return []
    if isinstance(returned, _ir.Value):
        return [returned]
    if isinstance(returned, _ir._OperationBase):
        return list(returned.results)
    return list(returned)


@_cext.register_operation(_Dialect, replace=True)
class FuncOp(_FuncOp):
    """`func.func`; its body, if any, is one region."""

    def __init__(
        self,
        name: Any,
        type: Any,
        *,
        visibility: Any = None,
        body_builder: Callable[[FuncOp], None] | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        super().__init__(name, _signature(type, loc), sym_visibility=visibility, loc=loc, ip=ip)
        if body_builder:
            with _ir.InsertionPoint(self.add_entry_block()):
                body_builder(self)

    @property
    def is_external(self) -> bool:
        return len(self.regions[0].blocks) == 0

    @property
    def body(self) -> Any:
        return self.regions[0]

    @property
    def type(self) -> Any:
        return self.attributes["function_type"].value

    @property
    def visibility(self) -> Any:
        return self.attributes.get("sym_visibility")

    @property
    def name(self) -> Any:
        return self.attributes["sym_name"]

    @property
    def entry_block(self) -> Any:
        if self.is_external:
            raise IndexError("External function does not have a body")
        return self.regions[0].blocks[0]

    def add_entry_block(self, arg_locs: Sequence[Any] | None = None) -> Any:
        if not self.is_external:
            raise IndexError("The function already has an entry block!")
        inputs = self.type.inputs
        locs = arg_locs or [self.location] * len(inputs)
        self.body.blocks.append(*inputs, arg_locs=locs)
        return self.body.blocks[0]

    @property
    def arguments(self) -> Any:
        return self.entry_block.arguments

    @property
    def arg_attrs(self) -> Any:
        found = self.attributes.get("arg_attrs")
        if found is not None:
            return found
        empty = _ir.DictAttr.get({}, self.context)
        return _ir.ArrayAttr.get([empty] * len(self.type.inputs), self.context)

    @arg_attrs.setter
    def arg_attrs(self, attribute: Any) -> None:
        if not isinstance(attribute, _ir.ArrayAttr):
            attribute = _ir.ArrayAttr.get(list(attribute), self.context)
        self.attributes["arg_attrs"] = attribute

    @property
    def result_attrs(self) -> Any:
        return self.attributes["res_attrs"]

    @result_attrs.setter
    def result_attrs(self, attribute: Any) -> None:
        self.attributes["res_attrs"] = attribute

    @classmethod
    def from_py_func(
        cls, *inputs: Any, results: Sequence[Any] | None = None, name: str | None = None
    ) -> Callable[[Callable], Callable]:
        """Decorator: the function's body, run once, emits the operation's body.

        Without `results`, what it returns becomes the operands of a
        `func.return`. The decorated name emits a call of the function.
        """

        def decorator(body: Callable) -> Callable:
            return _emit_function(cls, body, inputs, results, name or body.__name__)

        return decorator


def _wants_func_op(body: Callable) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return any(
        p.kind == p.VAR_KEYWORD or (p.name == "func_op" and p.kind in kinds)
        for p in inspect.signature(body).parameters.values()
    )


def _emit_function(
    cls: Any, body: Callable, inputs: Sequence[Any], results: Any, name: str
) -> Callable:
    implicit = results is None
    kind = _ir.FunctionType.get(inputs=list(inputs), results=[] if implicit else list(results))
    func_op = cls(name=name, type=kind)
    extra = {"func_op": func_op} if _wants_func_op(body) else {}
    return_types = [] if implicit else list(results)
    with _ir.InsertionPoint(func_op.add_entry_block()):
        returned = body(*func_op.entry_block.arguments, **extra)
        if implicit:
            values = _as_values(returned)
            ReturnOp(values)
            return_types = [value.type for value in values]
            kind = _ir.FunctionType.get(inputs=list(inputs), results=return_types)
            func_op.attributes["function_type"] = _ir.TypeAttr.get(kind)
        elif returned is not None:
            raise ValueError(
                "Capturing a python function with explicit `results=` requires that the "
                "wrapped function returns None."
            )

    def emit_call(*arguments: Any) -> Any:
        call_op = CallOp(return_types, _ir.FlatSymbolRefAttr.get(name), list(arguments))
        found = call_op.results
        return None if not return_types else found[0] if len(return_types) == 1 else found

    emit_call.__name__ = body.__name__
    emit_call.func_op = func_op
    return emit_call


@_cext.register_operation(_Dialect, replace=True)
class CallOp(_CallOp):
    """`func.call` of a function operation, or of a name with result types."""

    def __init__(
        self,
        calleeOrResults: Any,
        argumentsOrCallee: Any = None,
        arguments: Any = None,
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None:
        if isinstance(calleeOrResults, FuncOp):
            if arguments is not None:
                raise ValueError("unexpected third argument when constructing a call to a FuncOp")
            callee = _ir.FlatSymbolRefAttr.get(
                calleeOrResults.name.value, calleeOrResults.context
            )
            super().__init__(
                calleeOrResults.type.results, callee, argumentsOrCallee or [], loc=loc, ip=ip
            )
            return
        if isinstance(argumentsOrCallee, (list, tuple)):
            raise ValueError(
                "when constructing a call to a function by name, the second argument must be "
                "a string or a FlatSymbolRefAttr"
            )
        super().__init__(calleeOrResults, argumentsOrCallee, arguments or [], loc=loc, ip=ip)


def call(*args: Any, **kwargs: Any) -> Any:
    op = CallOp(*args, **kwargs)
    return op.result if len(op.results) == 1 else op.results if len(op.results) else op


def return_(operands_: Any, *, loc: Any = None, ip: Any = None) -> Any:
    return ReturnOp(operands_, loc=loc, ip=ip)


if TYPE_CHECKING:  # what is written above stands for what is generated
    from ._func_ops_gen import *  # noqa: F403
