"""Removes each flag and barrier of proven IR once: --ascend-verify-flags must notice.

usage: mutate_flags.py TILE_OPT FILE    FILE holds ascend.funcs with flags
"""

import re
import subprocess
import sys

SYNC = re.compile(r"^\s*ascend\.(set_flag|wait_flag|barrier <(?!all))")


def is_proven(tile_opt: str, text: str) -> bool:
    command = [tile_opt, "-", "--ascend-verify-flags", "-o", "/dev/null"]
    return (
        subprocess.run(command, input=text, text=True, capture_output=True, check=False).returncode
        == 0
    )


def main() -> int:
    tile_opt, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if not is_proven(tile_opt, "\n".join(lines)):
        print("the input itself is not proven")
        return 1
    sites = [i for i, line in enumerate(lines) if SYNC.match(line)]
    missed = [i for i in sites if is_proven(tile_opt, "\n".join(lines[:i] + lines[i + 1 :]))]
    for i in missed:
        print(f"not noticed: line {i + 1}: {lines[i].strip()}")
    print(f"{len(sites)} removed, {len(missed)} not noticed")
    return bool(missed or not sites)


sys.exit(main())
