"""What a kernel needs of its machine."""

from __future__ import annotations

from dataclasses import dataclass

from tilepipe import ir
from tilepipe.plan import buffer_bytes, operations, space_of


@dataclass(frozen=True)
class MemoryUse:
    """Bytes that a kernel needs of one memory, and how many there are (None where the target does not say)."""

    bytes: int
    capacity: int | None


@dataclass(frozen=True)
class Resources:
    """What a kernel needs: threads of a block, and bytes of each on-chip memory with all versions of buffers.

    ``registers`` of a thread, ``spill_bytes`` and ``code_bytes`` are the assembler's figures, None without one. A
    kernel of several launches has the largest of each.
    """

    threads: int
    memory: dict[str, MemoryUse]
    registers: int | None = None
    spill_bytes: int | None = None
    code_bytes: int | None = None


def capacities(module: ir.Module) -> dict[str, int]:
    """Bytes of each memory of the module's machine."""
    attributes = module.operation.attributes
    if "tile.target" not in attributes:
        return {}
    return {memory.space: memory.capacity for memory in attributes["tile.target"].memories}


def used_memory(root: object) -> dict[str, int]:
    """Bytes of each memory that the allocations below an operation take."""
    used = dict[str, int]()
    for op in operations(root):
        if op.name != "tile.alloc":
            continue
        kind = op.results[0].type
        space, size = space_of(kind), buffer_bytes(kind)
        # Placed buffers may share bytes; of the others each has its own.
        placed = op.attributes["offset"].value if "offset" in op.attributes else None
        used[space] = used.get(space, 0) + size if placed is None else max(used.get(space, 0), placed + size)
    return used


def of_module(module: ir.Module, entry: str) -> Resources:
    """The resources of a function whose allocations are placed."""
    functions = (op.operation for op in module.body.operations if op.operation.name == "func.func")
    function = next(op for op in functions if op.attributes["sym_name"].value == entry)
    launches = [op for op in operations(function) if op.name == "tile.launch" and "threads" in op.attributes]
    threads = max((op.attributes["threads"].value for op in launches), default=1)
    limits = capacities(module)
    return Resources(threads, {s: MemoryUse(size, limits.get(s)) for s, size in used_memory(function).items()})
