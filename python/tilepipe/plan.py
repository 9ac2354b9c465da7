"""What was decided for each loop, as values and as a table."""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tilepipe import _tables, ir
from tilepipe.frontend.errors import SourceLocation


@dataclass(frozen=True)
class Statement:
    """One statement of a loop. ``stage`` and ``order`` are None in a loop that stays serial."""

    text: str
    location: SourceLocation | None
    stage: int | None
    order: int | None
    is_async: bool = False

    @property
    def source(self) -> str:
        """The line of the kernel it comes from; its text where that is not at hand."""
        place = self.location
        line = linecache.getline(place.file, place.line).strip() if place else ""
        return line or self.text


@dataclass(frozen=True)
class Buffer:
    """An on-chip buffer that a loop uses."""

    name: str
    space: str
    version_bytes: int
    versions: int

    @property
    def bytes(self) -> int:
        return self.versions * self.version_bytes


@dataclass(frozen=True)
class Remark:
    """Why something overlaps less than was asked for."""

    message: str
    location: SourceLocation | None


@dataclass(frozen=True)
class Loop:
    """One `T.Pipelined` loop.

    ``depth`` is the number of iterations in flight, 1 where it stays serial. ``waits`` has, for each wait that
    injection emits, the number of copy groups that may stay in flight. ``interval`` is in cycles, 0 without a model.
    """

    location: SourceLocation | None
    depth: int
    interval: int
    statements: tuple[Statement, ...]
    buffers: tuple[Buffer, ...]
    waits: tuple[int, ...] = ()
    commits: int = 0
    remarks: tuple[Remark, ...] = ()
    is_serial: bool = False

    @property
    def bytes(self) -> dict[str, int]:
        """Bytes of its buffers for each memory space, all versions."""
        total: dict[str, int] = {}
        for buffer in self.buffers:
            total[buffer.space] = total.get(buffer.space, 0) + buffer.bytes
        return total


@dataclass(frozen=True)
class Plan:
    """The loops of a kernel in source order, and what planning remarked that is not about one of them."""

    kernel: str
    loops: tuple[Loop, ...]
    remarks: tuple[Remark, ...] = ()

    def __repr__(self) -> str:
        return _tables.text(self._sheets())

    def _repr_html_(self) -> str:
        return _tables.html(self._sheets())

    def _sheets(self) -> list[_tables.Sheet]:
        if not self.loops:
            return [_tables.Sheet(f"{self.kernel}: no pipelined loops", (), [], _say(self.remarks))]
        return [_sheet(self.kernel, loop) for loop in self.loops]


def _say(remarks: tuple[Remark, ...]) -> list[str]:
    return [f"remark at {r.location.line}:{r.location.column}: {r.message}" if r.location else f"remark: {r.message}"
            for r in remarks]


def _sheet(kernel: str, loop: Loop) -> _tables.Sheet:
    place = f" at {loop.location}" if loop.location else ""
    title = f"{kernel}, loop{place}: " + ("serial" if loop.is_serial else f"depth {loop.depth}")
    if loop.interval:
        title += f", initiation interval {loop.interval} cycles"
    rows = [
        ("-" if s.order is None else str(s.order), "-" if s.stage is None else str(s.stage),
         str(s.location.line) if s.location else "?", s.source, "async" if s.is_async else "")
        for s in loop.statements
    ]
    notes = [f"buffer {b.name}: {b.versions} x {b.version_bytes} = {b.bytes} bytes of {b.space}" for b in loop.buffers]
    if loop.waits:
        counts = ", ".join(map(str, loop.waits))
        notes.append(f"waits: {len(loop.waits)} (groups that may stay in flight: {counts}), commits: {loop.commits}")
    return _tables.Sheet(title, ("order", "stage", "line", "statement", ""), rows, notes + _say(loop.remarks))


# -- From IR ---------------------------------------------------------------------------------------------------------

# Ops that are replayed where they are used instead of being scheduled.
_REPLAYED = {"tile.yield", "tile.slot", "tile.iteration", "tile.alloc", "scf.yield", "memref.subview", "memref.dim",
             "memref.cast", "memref.reinterpret_cast", "memref.collapse_shape", "memref.expand_shape"}  # fmt: skip
_REPLAYED_DIALECTS = ("arith", "math", "index", "affine", "ub")


def place_of(location: Any) -> SourceLocation | None:
    """Where an operation comes from."""
    if not location.has_file:
        return None
    return SourceLocation(location.filename, location.start_line, location.start_col)


def operations(root: Any) -> Iterator[Any]:
    """All operations below ``root``, in order."""
    for region in root.regions:
        for block in region.blocks:
            for op in block.operations:
                yield op.operation
                yield from operations(op.operation)


def root_of(value: Any) -> Any:
    """The buffer that a memref is a view of."""
    while not isinstance(value, ir.BlockArgument):
        operands = value.owner.operation.operands
        if not len(operands) or not isinstance(operands[0].type, ir.MemRefType):
            return value
        value = operands[0]
    return value


def _number(attribute: Any, name: str) -> int:
    found = re.search(rf"\b{name} = (\d+)", str(attribute))
    return int(found.group(1)) if found else 0


def buffer_bytes(kind: Any) -> int:
    """The bytes of a memref of static shape; elements narrower than a byte take one."""
    text = str(kind.element_type)
    bits = re.search(r"\d+", text)
    width = max(8, int(bits.group())) if bits and text != "index" else 64
    return math.prod(kind.shape) * (width // 8)


def space_of(kind: Any) -> str:
    found = re.search(r"space<(\w+)>", str(kind.memory_space))
    return found.group(1) if found else "global"


class _Reader:
    """Reads the loops of one planned function."""

    def __init__(self, function: Any, names: list[str]) -> None:
        self.function = function
        self.names = names
        self.loops = [op for op in operations(function) if op.name == "tile.pipeline"]

    def _name(self, value: Any) -> str | None:
        """The name of the buffer behind a value, None for what is no buffer."""
        if not isinstance(value.type, ir.MemRefType):
            return None
        root = root_of(value)
        if isinstance(root, ir.BlockArgument):
            is_argument = root.owner == self.function.regions[0].blocks[0]
            return self.names[root.arg_number] if is_argument else "?"
        attributes = root.owner.operation.attributes
        return attributes["name"].value if "name" in attributes else "?"

    def _text(self, op: Any) -> str:
        names: dict[str, None] = {}
        for inner in (op, *operations(op)):
            names.update(dict.fromkeys(filter(None, map(self._name, inner.operands))))
        return f"{op.name.removeprefix('tile.')}({', '.join(names)})"

    def statements(self, loop: Any) -> tuple[Statement, ...]:
        found = []
        for view in loop.regions[0].blocks[0].operations:
            op = view.operation
            stage = op.attributes["tile.stage"] if "tile.stage" in op.attributes else None
            replayed = op.name in _REPLAYED or op.name.split(".")[0] in _REPLAYED_DIALECTS
            if stage is None and (replayed or "schedule" in loop.attributes):
                continue
            numbers = [int(n) for n in re.findall(r"\d+", str(stage))] if stage else [None, None]
            found.append(Statement(self._text(op), place_of(op.location), numbers[0], numbers[1]))
        return tuple(sorted(found, key=lambda s: -1 if s.order is None else s.order))

    def buffers(self, loop: Any) -> tuple[Buffer, ...]:
        found: dict[Any, Buffer] = {}
        for op in operations(loop):
            for value in op.operands:
                root = root_of(value) if isinstance(value.type, ir.MemRefType) else None
                if root is None or isinstance(root, ir.BlockArgument) or root.owner.operation.name != "tile.alloc":
                    continue
                attributes = root.owner.operation.attributes
                versions = attributes["versions"].value if "versions" in attributes else 1
                name = self._name(root) or "?"
                found[root] = Buffer(name, space_of(root.type), buffer_bytes(root.type), versions)
        return tuple(found.values())

    def read(self, loop: Any) -> Loop:
        schedule = loop.attributes["schedule"] if "schedule" in loop.attributes else None
        return Loop(
            place_of(loop.location), _number(schedule, "depth") if schedule else 1,
            _number(schedule, "ii") if schedule else 0, self.statements(loop), self.buffers(loop),
            is_serial=schedule is None,
        )  # fmt: skip


@dataclass
class _Found:
    """What injection made at the places of one loop."""

    waits: list[int] = field(default_factory=list)
    commits: int = 0
    copies: set[SourceLocation] = field(default_factory=set)
    remarks: list[Remark] = field(default_factory=list)


def _owner(loops: list[Loop], place: SourceLocation | None) -> int | None:
    # Inner loops come after outer ones; a statement of an inner loop is in both.
    for number in reversed(range(len(loops))):
        if place is not None and place in (loops[number].location, *(s.location for s in loops[number].statements)):
            return number
    return None


def read_loops(function: Any, names: list[str]) -> list[Loop]:
    """The loops of a planned function."""
    reader = _Reader(function, names)
    return [reader.read(loop) for loop in reader.loops]


def complete(kernel: str, loops: list[Loop], injected: Any, remarks: list[Remark]) -> Plan:
    """The plan: ``loops`` with their waits in the injected function, which keeps their locations."""
    found = [_Found() for _ in loops]
    rest: list[Remark] = []
    for op in operations(injected):
        number = _owner(loops, place_of(op.location)) if op.name.startswith("tile.async.") else None
        if number is None:
            continue
        if op.name == "tile.async.wait":
            found[number].waits.append(op.attributes["pending"].value if "pending" in op.attributes else 0)
        elif op.name == "tile.async.commit":
            found[number].commits += 1
        elif op.name == "tile.async.copy":
            found[number].copies.add(place_of(op.location))  # type: ignore[arg-type]
    for remark in remarks:
        number = _owner(loops, remark.location)
        (rest if number is None else found[number].remarks).append(remark)
    return Plan(kernel, tuple(map(_with, loops, found)), tuple(rest))


def _with(loop: Loop, found: _Found) -> Loop:
    statements = tuple(
        Statement(s.text, s.location, s.stage, s.order, s.location in found.copies) for s in loop.statements
    )
    return Loop(loop.location, loop.depth, loop.interval, statements, loop.buffers, tuple(found.waits), found.commits,
                tuple(found.remarks), loop.is_serial)  # fmt: skip
