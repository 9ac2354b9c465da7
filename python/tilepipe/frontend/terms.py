"""Messages of the compiler in the words of a kernel's author."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])
_INTERPRETER = str(Path(__file__).parent / "interpreter.py")
_OPERATIONS = {
    "tile.alloc": "a tile", "tile.copy": "T.copy", "tile.fill": "T.fill", "tile.gemm": "T.gemm", "tile.map": "T.Parallel",
    "tile.reduce": "T.reduce", "tile.atomic": "an atomic", "tile.pipeline": "T.Pipelined", "tile.launch": "T.Kernel",
    "memref.load": "the read of an element", "memref.store": "the assignment of an element", "scf.for": "a loop",
    "scf.if": "an if", "scf.while": "a while", "cf.assert": "an assertion", "memref.dim": "a size",
}  # fmt: skip
_MATH = {"absf": "abs", "absi": "abs", "powf": "pow", "fpowi": "pow", "ipowi": "pow"}
_ELEMENTS = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "bool", "index": "index"}


def _element(name: str) -> str:
    return _ELEMENTS.get(name) or re.sub(r"^i(\d+)$", r"int\1", name)


def _memref(match: re.Match[str]) -> str:
    *sizes, element = match["shape"].split("x")
    space = re.search(r"space<(\w+)>", match[0])
    kind = f"{space[1]} tile" if space else "tensor"
    return f"a {kind} ({', '.join(sizes)}) of {_element(element)}".replace("?", "dynamic")


def in_kernel_terms(message: str) -> str:
    """A diagnostic without names of operations and types that no kernel has."""
    message = re.sub(r"'?memref<(?P<shape>[\dx?]*(?:f8E\w+|[a-z]+\d*))(?:, [^']*?>*)?>'?", _memref, message)
    message = re.sub(r"'math\.(\w+)'(?: op)?", lambda m: f"T.{_MATH.get(m[1], m[1])}", message)
    message = re.sub(r"'(?:arith|affine|index)\.\w+'(?: op)?", "a scalar", message)
    message = re.sub(r"'([a-z]+\.[a-z_]+)' op ", lambda m: f"{_OPERATIONS.get(m[1], m[1])}: ", message)
    message = re.sub(r"'([a-z]+\.[a-z_]+)'", lambda m: _OPERATIONS.get(m[1], m[0]), message)
    message = re.sub(r"^no kernel: .*", "no kernel: there is no T.Kernel, and what is outside of one runs on the CPU only", message)
    return re.sub(r"'(f8E\w+|b?f\d+|i\d+|index)'", lambda m: _element(m[1]), message)


def count(number: int, word: str, plural: str = "") -> str:
    """``1 name``, ``2 names``."""
    return f"{number} {word if number == 1 else plural or word + 's'}"


def near(name: str, known: Iterable[str]) -> str:
    """What the user may have meant, as the end of a message; nothing where no name is like it."""
    found = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def caller() -> tuple[str, int, int] | None:
    """File, line and column of the innermost call from outside of this package; none while a kernel is staged."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<")):
        if frame.f_code.co_filename == _INTERPRETER:
            return None  # the statement that is staged is the place
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return None
    column = 0
    if sys.version_info >= (3, 11):
        position = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        column = position[2] or 0
    return frame.f_code.co_filename, frame.f_lineno, column + 1
