#!/usr/bin/env bash
# Every test: lit (FileCheck and diagnostics), unit tests, Python tests.
#
#   bash tools/test.sh [--quick | --long] [--campaign N] [--no-setup]
#
#   --quick       without the tests that run many programs
#   --long        with the tests that take minutes
#   --campaign N  then N random programs through the differential generator
#   --no-setup    takes the build as it is
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD_DIR:-$root/build}
mode=default campaign=0 setup=1
usage() { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
while [ $# -gt 0 ]; do
  case $1 in
  --quick | --long) mode=${1#--} ;;
  --campaign)
    campaign=${2:-}
    [[ $campaign =~ ^[0-9]+$ ]] || { usage >&2; exit 2; }
    shift
    ;;
  --no-setup) setup=0 ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
  esac
  shift
done

say() { printf '[test] %s\n' "$*"; }
[ $setup -eq 0 ] || bash "$root/tools/setup.sh"

python=$root/.venv/bin/python
[ -x "$python" ] || python=python3
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
status=0

say "lit tests"
lit_arguments=(-sv -j"${JOBS:-$(nproc)}" --xunit-xml-output "$results/lit.xml")
[ $mode = default ] || lit_arguments+=("-D$mode=1")
# They run below, one by one.
lit_arguments+=(--filter-out unit/unit.test)
/usr/lib/llvm-22/bin/lit "${lit_arguments[@]}" "$build/test" || status=1

if [ -x "$build/bin/TilePipeUnitTests" ]; then
  say "unit tests"
  "$build/bin/TilePipeUnitTests" --gtest_brief=1 \
    --gtest_output="xml:$results/unit.xml" || status=1
fi

if compgen -G "$root/test/python/**/test_*.py" >/dev/null ||
  compgen -G "$root/test/python/test_*.py" >/dev/null; then
  say "Python tests"
  PYTHONPATH="$build/python:$root/python${PYTHONPATH:+:$PYTHONPATH}" \
    TILEPIPE_BUILD_DIR="$build" TILEPIPE_TEST_MODE=$mode \
    "$python" -m pytest -q -p no:cacheprovider -n "${JOBS:-$(nproc)}" "$root/test/python" \
    --junitxml "$results/python.xml" || status=1
fi

if [ "$campaign" -gt 0 ]; then
  say "differential campaign of $campaign programs; failing ones go to $build/fuzz"
  mkdir -p "$build/fuzz"
  "$build/bin/tile-fuzz" --programs "$campaign" --jobs "${JOBS:-$(nproc)}" \
    --output "$build/fuzz" || status=1
fi

# One line for a person and for a runner: the sum over all suites.
"$python" - "$results" "$status" <<'PY'
import pathlib, sys
import xml.etree.ElementTree as ET

passed = failed = skipped = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
    for case in ET.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
# A suite that died before it wrote its file has failed as well.
if sys.argv[2] != "0" and not failed:
    failed = 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed != 0 or passed == 0)
PY
