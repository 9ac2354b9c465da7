"""What NVIDIA's assembler says of PTX, where it is at hand: on PATH, or in the PyPI package nvidia-cuda-nvcc."""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass

from tilepipe.frontend.errors import KernelError


@dataclass(frozen=True)
class Usage:
    """One kernel: registers of a thread, bytes it spills, bytes of machine code, static bytes of shared memory."""

    registers: int
    spill_bytes: int
    code_bytes: int
    shared_bytes: int


@functools.cache
def find(tool: str = "ptxas") -> str | None:
    """The path of one of NVIDIA's tools, None where there is none."""
    found = shutil.which(tool)
    if found:
        return found
    package = importlib.util.find_spec("nvidia")
    for folder in (package.submodule_search_locations or () if package else ()):
        for path in sorted(pathlib.Path(folder).glob(f"*/bin/{tool}")):
            return str(path)
    return None


def assemble(ptx: str, chip: str) -> tuple[bytes, dict[str, Usage]]:
    """The cubin and what each kernel uses. Raises `KernelError` where ptxas refuses the text, or is not at hand."""
    tool = find()
    if tool is None:
        raise KernelError("ptxas is neither on PATH nor in a package nvidia-cuda-nvcc")
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "kernel.ptx"), pathlib.Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [tool, "-v", f"--gpu-name={chip}", "-o", str(cubin), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise KernelError(f"ptxas refuses the kernel:\n{done.stderr.strip()}".replace(str(source), "kernel.ptx"))
        code = cubin.read_bytes()
    return code, _usages(done.stderr + done.stdout, _sections(code))


def _usages(report: str, sections: dict[str, int]) -> dict[str, Usage]:
    found = {}
    for part in report.split("Compiling entry function '")[1:]:
        name = part.split("'", 1)[0]

        def number(pattern: str, text: str = part) -> int:
            return sum(map(int, re.findall(pattern, text)))

        found[name] = Usage(number(r"Used (\d+) registers"), number(r"(\d+) bytes spill"),
                            sections.get(f".text.{name}", 0), number(r"(\d+) bytes smem"))  # fmt: skip
    return found


def _sections(elf: bytes) -> dict[str, int]:
    """The sizes of the sections of an ELF file of 64 bits."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    start = headers[names][4]
    return {elf[start + h[0] : elf.index(b"\0", start + h[0])].decode(): h[5] for h in headers}
