"""The exception for everything that MLIR has diagnosed."""

from __future__ import annotations

from typing import Any


def _place(location: Any) -> str:
    return str(location)[4:-1]


class MLIRError(Exception):
    """An error with the diagnostics that explain it.

    `error_diagnostics` holds them in order; `filename`, `line`, `col` and
    `notes` are those of the first one that has a place in a file.
    """

    def __init__(self, message: str, error_diagnostics: list[Any] | None = None) -> None:
        self.message = message
        self.error_diagnostics = list(error_diagnostics or [])
        super().__init__(message, self.error_diagnostics)

    def _first(self) -> Any:
        for diagnostic in self.error_diagnostics:
            if diagnostic.location.has_file:
                return diagnostic
        return None

    @property
    def filename(self) -> str | None:
        found = self._first()
        return found.location.filename if found else None

    @property
    def line(self) -> int | None:
        found = self._first()
        return found.location.start_line if found else None

    @property
    def col(self) -> int | None:
        found = self._first()
        return found.location.start_col if found else None

    @property
    def notes(self) -> list[Any]:
        found = self._first()
        return list(found.notes) if found else []

    def __str__(self) -> str:
        text = self.message
        if self.error_diagnostics:
            text += ":"
        for diagnostic in self.error_diagnostics:
            message = diagnostic.message.replace("\n", "\n  ")
            text += f"\nerror: {_place(diagnostic.location)}: {message}"
            for note in diagnostic.notes:
                message = note.message.replace("\n", "\n  ")
                text += f"\n note: {_place(note.location)}: {message}"
        return text
