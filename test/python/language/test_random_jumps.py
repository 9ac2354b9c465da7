"""Random programs of loops, branches and jumps: as a kernel they compute what they compute as Python.

More of them: TILEPIPE_JUMP_PROGRAMS=400.
"""

import importlib.util
import os
import random

import numpy as np
import pytest

pytest.importorskip("tilepipe.ir")

import tilepipe
import tilepipe.language as T

PROGRAMS = int(os.environ.get("TILEPIPE_JUMP_PROGRAMS", "12"))


class Program:
    """The text of a function ``body(A, B)`` on two rows of 8 integers."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.loops = 0
        lines = ["def body(A, B):", "    x = 0", "    y = 1", *self.block(3, False, "    ")]
        self.text = "\n".join([*lines, "    B[6] += x", "    B[7] += y", ""])

    def condition(self):
        n = self.rng.randint
        return self.rng.choice([
            f"A[{n(0, 7)}] > {n(-3, 6)}", f"x % {n(2, 4)} == {n(0, 1)}", f"y < {n(-5, 30)}",
            f"x > {n(0, 20)} and A[{n(0, 7)}] < {n(0, 5)}", "True", "False",
        ])  # fmt: skip

    def block(self, depth, in_loop, indent):
        lines = []
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.random()
            if kind < 0.4 or (depth == 0 and not in_loop):
                number = self.rng.randint(0, 5)
                lines.append(indent + self.rng.choice([f"x += {number}", f"y += x - {number}", f"B[{number}] += x"]))
            elif kind < 0.55 and in_loop:
                lines.append(indent + self.rng.choice(["break", "continue"]))
            elif depth > 0:
                lines += self.branch(depth, in_loop, indent) if kind < 0.75 else self.loop(depth, indent)
        return lines or [indent + "y += 1"]

    def branch(self, depth, in_loop, indent):
        lines = [f"{indent}if {self.condition()}:", *self.block(depth - 1, in_loop, indent + "    ")]
        if self.rng.random() < 0.4:
            lines += [f"{indent}else:", *self.block(depth - 1, in_loop, indent + "    ")]
        return lines

    def loop(self, depth, indent):
        self.loops += 1
        name, inside = f"i{self.loops}", indent + "    "
        kind = self.rng.choice(["range(3)", "range(0, 8, 3)", "range(5, 0, -2)", "range(A[1] + 4)", "[1, 4, 2]", "while"])
        if kind == "while":
            head = [f"{indent}{name} = 0", f"{indent}while {name} < {self.rng.randint(1, 5)}:", f"{inside}{name} += 1"]
        else:
            head = [f"{indent}for {name} in {kind}:", f"{inside}y += {name}"]
        return head + self.block(depth - 1, True, inside)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_program(seed, tmp_path):
    path = tmp_path / f"jumps_{seed}.py"
    path.write_text(Program(seed).text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    inlined = T.macro(module.body)

    @T.prim_func
    def kernel(A: T.Tensor((6, 8), "int32"), B: T.Tensor((6, 8), "int32")):
        with T.Kernel(6) as row:
            a, b = T.alloc_shared((8,), "int32"), T.alloc_shared((8,), "int32")
            T.copy(A[row, 0], a)
            T.clear(b)
            inlined(a, b)
            T.copy(b, B[row, 0])

    rows = np.random.default_rng(seed).integers(-4, 8, (6, 8)).astype(np.int32)
    got, want = tilepipe.compile(kernel, out_idx=[1], target="cpu")(rows), np.zeros((6, 8), np.int64)
    for a, b in zip(rows, want, strict=True):
        module.body([int(value) for value in a], b)
    assert (got == want).all(), path.read_text()
