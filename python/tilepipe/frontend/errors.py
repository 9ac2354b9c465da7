"""Errors of kernels, located in the user's source."""

from __future__ import annotations

import linecache
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
        lines = [f"{self.location}: error: {self.message}"]
        source = linecache.getline(self.location.file, self.location.line).rstrip("\n")
        if source:
            lines += [f"    {source.expandtabs(4)}", "    " + " " * (self.location.column - 1) + "^"]
        lines += [note if note.startswith(self.location.file) else f"note: {note}" for note in self.notes]
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
        shown = tuple(_note(n) for n in error.notes if not n.message.startswith("see current operation"))
        return KernelError(in_kernel_terms(located.message), place, shown)


def _note(note: Any) -> str:
    text, place = in_kernel_terms(note.message), note.location
    if not place.has_file:
        return text
    return f"{SourceLocation(place.filename, place.start_line, place.start_col)}: note: {text}"
