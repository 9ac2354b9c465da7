"""Compiles CCE text against the emulator's header, and finds what stands in it."""

from __future__ import annotations

import atexit
import ctypes
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

_HEADER = "tilepipe/Emulator/CCE/cce_emulator.h"
_LIBRARY = "libTilePipeCceEmulator.so"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SOURCE = re.compile(r"//\s*@(.+?):(\d+):(\d+)\s*$")
_KERNEL = re.compile(r'extern\s+"C"\s+(?:__\w+__\s+)*void\s+(\w+)\s*\(([^)]*)\)\s*\{')
_DIAGNOSTIC = re.compile(r"^<stdin>:(\d+):(\d+): (error: .*)$", re.MULTILINE)


class CompileError(ValueError):
    """The text is no CCE code: a wrong type, an address space that does not fit, a name that does not exist."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: ``pointer`` tells GM from a number of ``type``."""

    type: str
    name: str
    pointer: bool

    @property
    def bytes(self) -> int:
        """How large an element is."""
        bits = re.search(r"\d+", self.type)
        return int(bits.group()) // 8 if bits else {"half": 2, "float": 4}.get(self.type, 1)


@dataclass(frozen=True)
class Place:
    """A place of the user's program, from the comment behind an intrinsic."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def _first(candidates: list[pathlib.Path], what: str) -> pathlib.Path:
    for path in candidates:
        if path.exists():
            return path
    raise FileNotFoundError(f"{what} of the CCE emulator is not there; looked at {', '.join(map(str, candidates))}")


@functools.cache
def include_directory() -> pathlib.Path:
    """Where the header is: in the package, or in the checkout that a build links to."""
    package = pathlib.Path(__file__).absolute().parents[1]
    roots = [package / "_include", pathlib.Path(__file__).resolve().parents[3] / "include"]
    return _first([root / _HEADER for root in roots], "the header").parents[3]


@functools.cache
def library_path() -> pathlib.Path:
    """Where the engine is: in the package, beside build/python, or in the build of a checkout.

    The tests name their build in TILEPIPE_BUILD_DIR.
    """
    package = pathlib.Path(__file__).absolute().parents[1]
    root = package.parents[1]
    places = [package / "_lib", root / "lib", root / "build" / "lib"]
    if "TILEPIPE_BUILD_DIR" in os.environ:
        places.insert(0, pathlib.Path(os.environ["TILEPIPE_BUILD_DIR"]) / "lib")
    return _first([place / _LIBRARY for place in places], "the library")


@functools.cache
def _compiler() -> list[str]:
    for name in ("clang++-22", "clang++"):
        path = shutil.which(name)
        if path:
            break
    else:
        raise FileNotFoundError("the CCE emulator needs clang++-22 or clang++ on PATH")
    command = [path, "-std=c++17", "-Wall", "-Wno-unused", f"-I{include_directory()}", "-include", _HEADER]
    linker = shutil.which("ld.lld-22") or shutil.which("ld.lld")
    return [*command, f"--ld-path={linker}"] if linker else command


@functools.cache
def _directory() -> pathlib.Path:
    path = pathlib.Path(tempfile.mkdtemp(prefix="tilepipe-cce-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def without_comments(text: str) -> str:
    """The text with blanks where comments were, so that places stay."""
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def find_kernels(text: str) -> dict[str, tuple[Parameter, ...]]:
    """The entries of a text and their parameters."""
    kernels = {}
    for match in _KERNEL.finditer(without_comments(text)):
        parameters = []
        for part in filter(None, (part.strip() for part in match.group(2).split(","))):
            words = re.findall(r"\w+", part)
            names = [word for word in words[:-1] if word not in ("__gm__", "const", "__restrict__")]
            parameters.append(Parameter(" ".join(names), words[-1], "*" in part))
        kernels[match.group(1)] = tuple(parameters)
    return kernels


def find_places(text: str) -> dict[int, Place]:
    """The user's place of each line that has one."""
    places = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _SOURCE.search(line)
        if match:
            places[number] = Place(match.group(1), int(match.group(2)), int(match.group(3)))
    return places


def _explain(text: str, output: str) -> str:
    places = find_places(text)
    lines = text.splitlines()
    messages = []
    for line, column, message in _DIAGNOSTIC.findall(output):
        number = int(line)
        place = f" ({places[number]})" if number in places else ""
        shown = lines[number - 1].strip() if number <= len(lines) else ""
        messages.append(f"line {line}:{column}{place}: {message}\n    {shown}")
    return "\n".join(messages) or output


def type_check(text: str) -> None:
    """Checks types and address spaces; raises CompileError."""
    command = [*_compiler(), "-fsyntax-only", "-DTILEPIPE_CCE_TYPECHECK", "-x", "c++", "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode:
        raise CompileError(_explain(text, result.stderr))


@functools.cache
def _build(text: str) -> ctypes.CDLL:
    # The engine's symbols are there for all that is loaded later.
    ctypes.CDLL(str(library_path()), mode=ctypes.RTLD_GLOBAL)
    entries = "".join(f"\nTP_ENTRY({name})" for name in find_kernels(text))
    target = _directory() / f"{hashlib.sha256(text.encode()).hexdigest()}.so"
    # Kernels do nothing but call the engine: what counts is how long they compile.
    command = [*_compiler(), "-O0", "-fPIC", "-shared", "-o", str(target), "-x", "c++", "-"]
    result = subprocess.run(
        command, input=f"{text}{entries}\n", capture_output=True, text=True, timeout=120, check=False
    )
    if result.returncode:
        raise CompileError(_explain(text, result.stderr))
    return ctypes.CDLL(str(target))


def build(text: str) -> ctypes.CDLL:
    """The text as a loaded library; the same text is compiled once. Raises CompileError, as `type_check` does."""
    return _build(text)
