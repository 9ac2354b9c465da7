"""Random vector programs: flags are inserted, proven, printed, and run in the emulator, which must agree.

usage: fuzz_flags.py TILE_OPT TILE_TRANSLATE FIRST LAST    seeds, the last one not included
"""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
from tilepipe.emulator.cce import Module

TILE = "memref<64xf32, #ub>"
HEAD = """#ub = #tile.space<ub>
ascend.func @k(%X: memref<?xf32>, %Y: memref<?xf32>, %n: index, %m: index, %p: i1, %q: i1)
    attributes {core = #ascend.core<vector>} {
  %half = arith.constant 0.5 : f32
"""
#: Trip counts and conditions that the kernels are run with.
ARGUMENTS = ((3, 2, 1, 0), (0, 1, 0, 1), (5, 4, 1, 1))


class Program:
    """Loads, stores, vector instructions and scalar accesses of a few buffers, in loops and branches."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.values = 0
        self.versions = [self.random.choice([1, 1, 2, 3]) for _ in range(self.random.randint(2, 5))]

    def fresh(self) -> str:
        self.values += 1
        return f"%v{self.values}"

    def emit(self, indent: str, text: str) -> None:
        self.lines.append(indent + text)

    def buffer(self, iv: str | None, indent: str) -> str:
        """A buffer, or a version of one: a fixed one, or one by the iteration."""
        index = self.random.randrange(len(self.versions))
        count = self.versions[index]
        if count == 1:
            return f"%x{index}"
        slot = f"%c{self.random.randrange(count)}"
        if iv is not None and self.random.random() < 0.8:
            moved, slot = self.fresh(), self.fresh()
            self.emit(
                indent, f"{moved} = arith.addi {iv}, %c{self.random.choice([0, 0, 1])} : index"
            )
            self.emit(indent, f"{slot} = arith.remui {moved}, %c{count} : index")
        view = self.fresh()
        self.emit(
            indent, f"{view} = tile.slot %x{index}[{slot}] : memref<{count}x64xf32, #ub> -> {TILE}"
        )
        return view

    def instruction(self, iv: str | None, indent: str) -> None:
        what = self.random.random()
        x = self.buffer(iv, indent)
        row = "rows %c1 columns %c64 stride %c64 pitch %c64"
        if what < 0.3:
            self.emit(indent, f"ascend.load %X[%c0] to {x}[%c0] {row} : memref<?xf32>, {TILE}")
        elif what < 0.5:
            self.emit(indent, f"ascend.store {x}[%c0] to %Y[%c0] {row} : {TILE}, memref<?xf32>")
        elif what < 0.58:
            scalar, y = self.fresh(), self.buffer(iv, indent)
            self.emit(indent, f"{scalar} = ascend.scalar_load {x}[%c0] : {TILE} -> f32")
            self.emit(
                indent,
                f"ascend.vscalar <adds> {y}[%c0], {y}[%c0], {scalar} count %c64 : {TILE}, {TILE}, f32",
            )
        elif what < 0.63:
            self.emit(indent, f"ascend.scalar_store %half, {x}[%c1] : f32, {TILE}")
        else:
            y = self.buffer(iv, indent)
            self.emit(indent, f"ascend.vunary <abs> {x}[%c0], {y}[%c0] count %c64 : {TILE}, {TILE}")

    def branch(self, depth: int, iv: str | None, indent: str) -> None:
        condition = self.random.choice(["%p", "%q"])
        if iv is not None and self.random.random() < 0.5:
            condition = self.fresh()
            kind, bound = self.random.choice(["eq", "sgt", "slt"]), self.random.randint(0, 2)
            self.emit(indent, f"{condition} = arith.cmpi {kind}, {iv}, %c{bound} : index")
        self.emit(indent, f"scf.if {condition} {{")
        self.block(depth + 1, iv, indent + "  ")
        if self.random.random() < 0.4:
            self.emit(indent, "} else {")
            self.block(depth + 1, iv, indent + "  ")
        self.emit(indent, "}")

    def block(self, depth: int, iv: str | None, indent: str) -> None:
        for _ in range(self.random.randint(1, 4)):
            what = self.random.random()
            if what < 0.25 and depth < 2:
                inner, count = self.fresh(), self.random.choice(["%n", "%m", "%c2", "%c3"])
                self.emit(indent, f"scf.for {inner} = %c0 to {count} step %c1 {{")
                self.block(depth + 1, inner, indent + "  ")
                self.emit(indent, "}")
            elif what < 0.4 and depth < 3:
                self.branch(depth, iv, indent)
            else:
                self.instruction(iv, indent)

    def text(self) -> str:
        self.block(0, None, "  ")
        head = HEAD + "".join(f"  %c{c} = arith.constant {c} : index\n" for c in (0, 1, 2, 3, 64))
        for index, count in enumerate(self.versions):
            # What is read has been written.
            shape = "64" if count == 1 else f"{count}x64"
            elements = f"%all{index}"
            head += f'  %x{index} = tile.alloc {{name = "x{index}"}} : memref<{shape}xf32, #ub>\n'
            head += f"  {elements} = arith.constant {64 * count} : index\n"
            head += f"  ascend.vdup %x{index}[%c0], %half count {elements} : memref<{shape}xf32, #ub>, f32\n"
        return head + "\n".join(self.lines) + "\n  ascend.return\n}\n"


def run(command: list[str], text: str) -> str:
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


def check(tile_opt: str, tile_translate: str, seed: int) -> bool:
    passes = [
        "--tile-allocate-memory=avoid-reuse",
        "--cse",
        "--ascend-insert-flags",
        "--ascend-verify-flags",
    ]
    program = Program(seed).text()
    try:
        module = Module(
            run([tile_translate, "--tile-to-cce"], run([tile_opt, "-", *passes], program))
        )
    except subprocess.CalledProcessError as error:
        # More pipes and buffers than there are flags.
        if "but only 6 may be used" in error.stderr:
            return True
        print(f"seed {seed}: {error.stderr[:2000]}\n{program}")
        return False
    for numbers in ARGUMENTS:
        arrays = [np.ones(64, np.float32), np.zeros(64, np.float32)]
        report = module.check("k", 1, [arrays[0], 64, arrays[1], 64, *numbers], ("late", "random"))
        if not report.ok:
            print(f"seed {seed}, arguments {numbers}: {report}\n{module.text}")
            return False
    return True


def main() -> int:
    tile_opt, tile_translate, first, last = sys.argv[1:]
    wrong = sum(not check(tile_opt, tile_translate, seed) for seed in range(int(first), int(last)))
    print(f"{int(last) - int(first)} programs, {wrong} wrong")
    return bool(wrong)


sys.exit(main())
