"""Runs every loop of the corpus as PTX in the emulator: serial and pipelined, under every policy.

    python run-corpus.py TILE_RUN LOOPS_DIRECTORY

The arguments are those of the `tile-run --check` line of each file.
"""

import pathlib
import re
import shlex
import subprocess
import sys

RUN = re.compile(r"RUN: tile-run %s --check(.*)")


def main() -> int:
    tool, directory = sys.argv[1:]
    ran = failed = 0
    for path in sorted(pathlib.Path(directory).glob("*.mlir")):
        # A line that ends with a backslash goes on in the next comment.
        text = re.sub(r"\\\n// RUN:", "", path.read_text())
        found = RUN.search(text)
        # Loops that are refused have no such line.
        if not found:
            continue
        arguments = shlex.split(found.group(1))
        if "|" in arguments:
            arguments = arguments[: arguments.index("|")]
        # Products and sums of a gemm may be contracted.
        command = [tool, str(path), "--check", *arguments, "--ptx", "--tolerance=0.002"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        ran += 1
        if result.returncode:
            failed += 1
            print(f"FAILED {path.name}: {shlex.join(command)}\n{result.stderr}")
    print(f"{ran} loops, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
