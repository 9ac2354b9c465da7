"""Machine code of the steady loop of GEMMs for sm_80: instructions, barriers, registers, spills.

    python benchmarks/nvidia_sass.py [--triton] [--check] [--dump FOLDER]

The kernel is the one of examples/python/targets/gemm.py with num_stages = 3, for static sizes. PTX
goes through ptxas and nvdisasm, from PATH or from PyPI; without them nothing is measured. With
`--check` the exit status says whether the 128x128x32 kernels spill nothing, and have one barrier
and at most 150 instructions in the steady loop.

    python -m venv venv && venv/bin/pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm numpy triton
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
for folder in ("build/python", "examples/python/targets", "benchmarks"):
    sys.path.insert(0, str(ROOT / folder))

SIZE = 4096
MOST_INSTRUCTIONS = 150
# (block_M, block_N, block_K, threads, transpose_B)
SHAPES = [
    (128, 128, 32, 128, False),
    (128, 128, 32, 256, False),
    (128, 128, 32, 128, True),
    (128, 128, 64, 128, False),
    (64, 64, 32, 128, False),
]


@dataclass
class Figures:
    registers: int
    spilled: int
    total: int
    loop: int
    counts: collections.Counter[str]

    def row(self) -> str:
        what = [self.counts[name] for name in ("HMMA", "LDSM", "LDGSTS", "BAR", "LDGDEPBAR")]
        cells = [self.registers, self.spilled, self.total, self.loop, *what]
        return " | ".join(str(cell) for cell in cells)


def tools() -> tuple[str, str] | None:
    from tilepipe.targets.ptxas import find

    ptxas, nvdisasm = find("ptxas"), find("nvdisasm")
    return (ptxas, nvdisasm) if ptxas and nvdisasm else None


def parse(sass: str) -> tuple[list[str], dict[str, int]]:
    """The opcodes, and where labels point to."""
    code: list[str] = []
    labels: dict[str, int] = {}
    for line in sass.splitlines():
        label = re.match(r"\s*(\.L_\w+):", line)
        instruction = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if label:
            labels[label[1]] = len(code)
        elif instruction:
            code.append(instruction[1])
    return code, labels


def loop_with_most_products(code: list[str], labels: dict[str, int]) -> list[str]:
    """The innermost loop that the kernel spends its time in."""
    best: list[str] = []
    for place, instruction in enumerate(code):
        target = re.search(r"\bBRA\b.*?(\.L_\w+)", instruction)
        begin = labels.get(target[1], place) if target else place
        body = code[begin : place + 1]
        if begin < place and sum("MMA" in i for i in body) > sum("MMA" in i for i in best):
            best = body
    return best


def measure(ptx: str, found: tuple[str, str], name: str, dump: pathlib.Path | None) -> Figures:
    with tempfile.TemporaryDirectory() as temporary:
        folder = dump or pathlib.Path(temporary)
        source, binary = folder / f"{name}.ptx", folder / f"{name}.cubin"
        source.write_text(ptx)
        run = subprocess.run(
            [found[0], "-arch=sm_80", "-v", str(source), "-o", str(binary)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        sass = subprocess.run(
            [found[1], "-c", str(binary)], capture_output=True, text=True, check=True
        ).stdout
        if dump:
            (folder / f"{name}.sass").write_text(sass)
    spills = re.findall(r"(\d+) bytes spill", run.stderr)
    registers = re.search(r"Used (\d+) registers", run.stderr)
    code, labels = parse(sass)
    loop = loop_with_most_products(code, labels)
    opcodes = (re.sub(r"^@!?\w+ ", "", i).split()[0].split(".")[0] for i in loop)
    return Figures(
        int(registers[1]) if registers else 0,
        sum(map(int, spills)),
        len(code),
        len(loop),
        collections.Counter(opcodes),
    )


def our_ptx(shape: tuple[int, int, int, int, bool]) -> str:
    import gemm
    from tilepipe import ir
    from tilepipe._load import native

    m, n, k, threads, transposed = shape
    kernel = gemm.gemm(SIZE, SIZE, SIZE, m, n, k, 3, threads, transpose_B=transposed)
    return native.nvidia.translate(kernel.build(ir.Context()), "sm_80").text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--dump", type=pathlib.Path, help="keep PTX, cubin and SASS here")
    options = parser.parse_args()
    found = tools()
    if not found:
        print(
            "nothing measured: ptxas and nvdisasm are neither on PATH nor in nvidia-cuda-nvcc, nvidia-cuda-nvdisasm"
        )
        return 0
    if options.dump:
        options.dump.mkdir(parents=True, exist_ok=True)
    print("| kernel | registers | spilled | SASS | loop | HMMA | LDSM | LDGSTS | BAR | commits |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    status = 0
    for shape in SHAPES:
        m, n, k, threads, transposed = shape
        name = f"{m}x{n}x{k}, {threads} threads{', B [N, K]' if transposed else ''}"
        key = re.sub(r"\W+", "_", name)
        figures = measure(our_ptx(shape), found, key, options.dump)
        print(f"| {name} | {figures.row()} |", flush=True)
        if (m, n, k) == (128, 128, 32):
            good = (
                figures.spilled == 0
                and figures.loop <= MOST_INSTRUCTIONS
                and figures.counts["BAR"] == 1
            )
            status |= int(options.check and not good)
        if options.triton and not transposed:
            import triton_gemm

            theirs = measure(
                triton_gemm.compile_gemm(threads // 32, (m, n, k))[1],
                found,
                key + "_triton",
                options.dump,
            )
            print(f"| Triton, {name} | {theirs.row()} |", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
