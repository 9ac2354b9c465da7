"""Errors of kernels, located in the user's source."""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tilepipe.frontend.terms import caller, in_kernel_terms


@dataclass(frozen=True)
class SourceLocation:
    """A place in the user's kernel: 1-based line, 1-based column."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def shown_source(place: SourceLocation) -> list[str]:
    """The source line of a place and a caret under its column; nothing where there is no such line."""
    source = linecache.getline(place.file, place.line).rstrip("\n")
    if not source:
        return []
    # Tabs stay tabs above and below, so that the caret stands where the column is.
    indent = "".join("\t" if c == "\t" else " " for c in source[: place.column - 1])
    return [f"    {source}", f"    {indent}^"]


def note_at(place: SourceLocation, text: str) -> str:
    """A note with its place, as a line of `KernelError.notes`."""
    return "\n".join((f"{place}: note: {text}", *shown_source(place)))


class KernelError(Exception):
    """A mistake in a kernel.

    ``location`` is where (or None if it has no place), ``message`` says what, without the place. The text of
    the exception shows both and the source line with a caret under the column.
    """

    def __init__(self, message: str, location: SourceLocation | None = None, notes: tuple[str, ...] = ()) -> None:
        self.message = message
        self.location = location
        self.notes = notes
        super().__init__(self._format())

    def _format(self) -> str:
        if self.location is None:
            return "\n".join((self.message, *self.notes))
        lines = [f"{self.location}: error: {self.message}", *shown_source(self.location)]
        lines += [note if ": note: " in note else f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def at(self, location: SourceLocation) -> KernelError:
        """The same error with a place, unless it has one already."""
        return self if self.location is not None else KernelError(self.message, location, self.notes)

    def at_caller(self) -> KernelError:
        """The same error at the innermost line outside of this package."""
        place = caller()
        return self if place is None else self.at(SourceLocation(*place))

    @staticmethod
    def from_diagnostics(error: Any) -> KernelError:
        """The first diagnostic of an `ir.MLIRError` that has a place in the user's source."""
        if error.filename is None:
            return KernelError(str(error))
        place = SourceLocation(error.filename, error.line, error.col)
        located = next(d for d in error.error_diagnostics if d.location.has_file)
        # An author of MLIR knows the words of MLIR.
        words = str if is_mlir(place.file) else in_kernel_terms
        shown = (n for n in error.notes if not n.message.startswith("see current operation"))
        return KernelError(words(located.message).rstrip(), place, tuple(_note(n, words) for n in shown))


def _note(note: Any, words: Callable[[str], str]) -> str:
    text, place = words(note.message).rstrip(), note.location
    if not place.has_file:
        return text
    return note_at(SourceLocation(place.filename, place.start_line, place.start_col), text)


def name_of_mlir(text: str) -> str:
    """A name of a file that stands for the text, so that errors in it show its lines."""
    name = f"<mlir {hashlib.sha256(text.encode()).hexdigest()[:8]}>"
    # Without a time stamp: there is no file that could change.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def is_mlir(file: str) -> bool:
    """True for names that `name_of_mlir` gives."""
    return file.startswith("<mlir ")
