"""`break` and `continue`: rewritten to flags and `if`s, so that loops keep one entry and one exit.

    for i in T.serial(n):            left = False
        if a[i] < 0:                 for i in T.serial(n), until left:
            break                        skip = False
        s += a[i]                        if a[i] < 0:
                                             left = skip = True
                                         if not skip:
                                             s += a[i]
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

_LOOPS = (ast.For, ast.While)
_numbers = itertools.count()


@dataclass(frozen=True)
class LoopBody:
    """A body without jumps. ``left`` names the flag that a `break` sets, None where there is none."""

    statements: list[ast.stmt]
    left: str | None


def jumps(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The `break`s and `continue`s of the loop with this body, not those of loops inside of it."""
    for statement in statements:
        if isinstance(statement, (ast.Break, ast.Continue)):
            yield statement
        elif not isinstance(statement, _LOOPS):
            for name in ("body", "orelse", "handlers", "finalbody"):
                yield from jumps(getattr(statement, name, []))


def without_jumps(loop: ast.For | ast.While) -> LoopBody:
    """The body of a loop with flags in the place of its jumps."""
    found = list(jumps(loop.body))
    if not found:
        return LoopBody(loop.body, None)
    skip, left = fresh_name("continue"), fresh_name("break")
    leaves = any(isinstance(jump, ast.Break) for jump in found)
    body = [set_flag(skip, False, loop.body[0]), *_guarded(loop.body, skip, left)]
    return LoopBody(body, left if leaves else None)


def fresh_name(what: str) -> str:
    """A name that no kernel and no other loop has."""
    return f"{what} {next(_numbers)}"


def set_flag(name: str, value: bool, place: ast.AST) -> ast.stmt:
    """``name = value`` at the place of a statement."""
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), place)


def not_flag(name: str) -> ast.expr:
    """``not name``."""
    return ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load()))


def unless(name: str, statements: list[ast.stmt]) -> ast.stmt:
    """The statements under an `if` that the flag is not set."""
    return ast.copy_location(ast.If(ast.copy_location(not_flag(name), statements[0]), statements, []), statements[0])


def _guarded(statements: list[ast.stmt], skip: str, left: str) -> list[ast.stmt]:
    """What follows a statement that may jump runs only where it did not."""
    result: list[ast.stmt] = []
    for number, statement in enumerate(statements):
        if isinstance(statement, (ast.Break, ast.Continue)):
            if isinstance(statement, ast.Break):
                result.append(set_flag(left, True, statement))
            return [*result, set_flag(skip, True, statement)]
        if not isinstance(statement, ast.If) or not any(jumps([statement])):
            result.append(statement)
            continue
        branches = (_guarded(branch, skip, left) for branch in (statement.body, statement.orelse))
        result.append(ast.copy_location(ast.If(statement.test, *branches), statement))
        rest = _guarded(statements[number + 1 :], skip, left)
        return [*result, unless(skip, rest)] if rest else result
    return result
