"""A gallery of mistakes: each is a kernel that gives one clear error, at its place."""

import inspect
from dataclasses import dataclass

import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
from tilepipe import KernelError

# Words of the compiler that no author of a kernel knows.
FOREIGN_WORDS = ("memref", "tile.", "op expects", "!", "SSA", "TypeError", "got Expr", "arith.")


@dataclass(frozen=True)
class Mistake:
    """A function that makes a kernel, and the text of the error that it gives at the line with ``# here``."""

    factory: object
    text: str

    def __str__(self):
        return self.factory.__name__

    def line(self):
        lines, first = inspect.getsourcelines(self.factory)
        return first + next(i for i, line in enumerate(lines) if "# here" in line)


class Gallery:
    """The mistakes of one file."""

    def __init__(self, file):
        self.file = file
        self.mistakes = []

    def case(self, text):
        """The kernel that the function makes is refused with ``text`` at the line with ``# here``."""

        def register(factory):
            self.mistakes.append(Mistake(factory, text))
            return factory

        return register

    def check(self, mistake):
        with pytest.raises(KernelError) as caught:
            tilepipe.compile(mistake.factory(), target="cpu")
        error, line = caught.value, mistake.line()
        shown = str(error)
        assert mistake.text in error.message, shown
        assert error.location is not None, shown
        assert (error.location.file, error.location.line) == (self.file, line), shown
        # One error, with its place, the line of the source and a caret.
        assert shown.startswith(f"{self.file}:{line}:{error.location.column}: error: ")
        assert shown.count("error:") == 1 and "# here" in shown and "^" in shown
        for term in FOREIGN_WORDS:
            assert all(term not in text for text in (error.message, *error.notes)), shown
