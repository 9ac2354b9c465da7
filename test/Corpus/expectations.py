"""The anchor's plans of the corpus loops, and ours in the same form.

`expectations.json` holds, for each loop, what TileLang 0.1.15 does with it on
sm_80: its verdict and, where it has a plan, stage, order, depth and versions.

    expectations.py extract LOOPS.json   writes expectations.json from the corpus
    expectations.py summary < planned    the plans of planned IR
    expectations.py check                our pinned plans against the anchor's

A test pins what `summary` prints with FileCheck. `check` reads those lines back and
compares them with the anchor's for each loop whose verdict is "equal"; a loop that
differs must have a row in docs/deviations.md, and one that does not must have none.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "expectations.json"
DEVIATIONS = HERE.parent.parent / "docs" / "deviations.md"

STAGE = re.compile(r"#tile\.stage<(\d+), order = (\d+)>")
SCHEDULE = re.compile(r"#tile\.pipeline_schedule<depth = (\d+)")
ALLOC = re.compile(r"tile\.alloc \{([^}]*)\}")


def extract(path: str) -> None:
    table = {}
    for case in json.loads(pathlib.Path(path).read_text())["cases"]:
        anchor = case["anchor"].get("sm_80")
        if anchor is None:
            table[case["id"]] = {"verdict": "not checked"}
            continue
        entry: dict = {"verdict": anchor["verdict"]}
        if "error" in anchor:
            entry["error"] = anchor["error"]["kind"]
        plans = anchor.get("plan") or []
        entry["loops"] = [{key: plan[key] for key in ("stage", "order", "depth")} for plan in plans]
        versions = anchor.get("versions") or {}
        entry["versions"] = {k: v["versions"] for k, v in versions.items() if v["versions"] > 1}
        table[case["id"]] = entry
    rows = [f"  {json.dumps(key)}: {json.dumps(table[key])}" for key in sorted(table)]
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def loop_line(depth: int, stage: list[int], order: list[int]) -> str:
    return f"loop: depth {depth} stage {stage} order {order}"


def versions_line(versions: dict[str, int]) -> str:
    text = " ".join(f"{name}:{versions[name]}" for name in sorted(versions))
    return f"versions: {text or 'none'}"


def summary_of_function(ir: str) -> list[str]:
    versions = {}
    for attributes in ALLOC.findall(ir):
        name = re.search(r'name = "([^"]*)"', attributes)
        count = re.search(r"versions = (\d+)", attributes)
        if name and count and int(count[1]) > 1:
            versions[name[1]] = int(count[1])
    lines = []
    starts = [*SCHEDULE.finditer(ir)]
    for i, start in enumerate(starts):
        end = starts[i + 1].start() if i + 1 < len(starts) else len(ir)
        pairs = STAGE.findall(ir[start.end() : end])
        stage, order = ([int(pair[i]) for pair in pairs] for i in (0, 1))
        lines.append(loop_line(int(start[1]), stage, order))
    return [*(lines or ["loop: serial"]), versions_line(versions)]


def summary(ir: str) -> list[str]:
    """For each function its name, the plan of each planned loop, versions above 1."""
    lines = []
    for function in re.split(r"^ *func\.func ", ir, flags=re.MULTILINE)[1:]:
        lines += [function[: function.index("(")], *summary_of_function(function)]
    return lines


def expected(entry: dict) -> list[str]:
    lines = [loop_line(loop["depth"], loop["stage"], loop["order"]) for loop in entry["loops"]]
    return [*(lines or ["loop: serial"]), versions_line(entry["versions"])]


def pinned(path: pathlib.Path) -> list[str]:
    """The lines that the test of a loop pins."""
    lines = re.findall(r"^// CHECK(?:-NEXT)?: (.*)$", path.read_text(), re.MULTILINE)
    return [line for line in lines if not line.startswith("@")]


def check() -> int:
    # The first table of the file; the second one is about other verdicts.
    text = DEVIATIONS.read_text().split("\nLoops that TileLang")[0]
    excused = set(re.findall(r"^\| `([a-z0-9_]+)`", text, re.MULTILINE))
    bad = 0
    for name, entry in json.loads(TABLE.read_text()).items():
        path = HERE / "loops" / f"{name}.mlir"
        if not path.exists():
            print(f"{name}: no test")
            bad += 1
        elif entry["verdict"].startswith("equal"):
            same = pinned(path) == expected(entry)
            if same == (name in excused):
                print(f"{name}: {'same as the anchor but listed' if same else 'differs'}")
                print(*(f"  anchor {line}" for line in expected(entry)), sep="\n")
                print(*(f"  ours   {line}" for line in pinned(path)), sep="\n")
                bad += 1
    return bad


def main() -> int:
    match sys.argv[1:]:
        case ["extract", path]:
            extract(path)
        case ["summary"]:
            print(*summary(sys.stdin.read()), sep="\n")
        case ["check"]:
            return 1 if check() else 0
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
