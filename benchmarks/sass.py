"""What a cubin's loops consist of, by nvdisasm."""

from __future__ import annotations

import collections
import pathlib
import re
import subprocess
import tempfile

from tilepipe.targets import ptxas


def _instructions(listing: str) -> tuple[list[str], dict[str, int]]:
    """Instructions in order, and the number of the one after each label."""
    found, labels = [], {}
    for line in listing.splitlines():
        if label := re.match(r"\s*(\.L_\w+):", line):
            labels[label.group(1)] = len(found)
        elif instruction := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            found.append(instruction.group(1))
    return found, labels


def _opcode(instruction: str) -> str:
    words = instruction.split()
    return words[1 if words[0].startswith("@") else 0].split(".")[0]


def steady_loop(cubin: bytes) -> dict[str, int]:
    """Counts of each opcode in the loop with most HMMAs, and of ``all``; the innermost of these."""
    tool = ptxas.find("nvdisasm")
    if tool is None:
        raise RuntimeError("nvdisasm is neither on PATH nor in a package nvidia-cuda-nvdisasm")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        listing = subprocess.run([tool, "-c", str(path)], capture_output=True, text=True, check=True).stdout
    instructions, labels = _instructions(listing)
    best: collections.Counter[str] = collections.Counter()
    for last, instruction in enumerate(instructions):
        target = re.search(r"(\.L_\w+)", instruction) if _opcode(instruction) == "BRA" else None
        first = labels.get(target.group(1), last) if target else last
        if first < last:
            body = collections.Counter(map(_opcode, instructions[first : last + 1]))
            body["all"] = last + 1 - first
            if (body["HMMA"], -body["all"]) > (best["HMMA"], -best["all"]):
                best = body
    return best
