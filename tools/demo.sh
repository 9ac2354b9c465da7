#!/usr/bin/env bash
# The pipelined GEMM, from source to proof: what is decided, what becomes of the
# loop, what it needs on chip, and that it computes what the serial loop computes.
#
#   bash tools/demo.sh [--no-setup]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD_DIR:-$root/build}
[ "${1:-}" = --no-setup ] ||
  bash "$root/tools/setup.sh" --target tile-opt --target tile-run --target TilePipePython \
    --target TilePipePtxEmulator --target TilePipeCceEmulator
cd "$root"
export PATH=$build/bin:$PATH
kernel=examples/mlir/gemm.mlir
chip=sm_80

heading() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  printf '$ %s\n' "$*"
  "$@"
}

heading "1. The loop: tiles of A and B are copied on chip and multiplied, step after step"
sed -n '/tile.pipeline/,/^    }/p' $kernel

heading "2. The plan: stages, issue orders, versions, waits, bytes against the budget of $chip"
run tile-opt $kernel --tile-set-target=chip=$chip --explain

heading "3. The pipelined program: prologue, steady loop, epilogue; copies in flight across steps"
run tile-opt $kernel --pipeline-planning --inject-software-pipeline --canonicalize --cse |
  sed -n '/tile.launch/,/^    }/p'

heading "4. On-chip memory: byte offsets, and what happens over budget"
tile-opt $kernel --tile-set-target=chip=$chip --pipeline-planning --inject-software-pipeline \
  --tile-allocate-memory | grep 'tile.alloc' | sed 's/^ */  /'
echo "  and with num_stages = 12:"
sed 's/num_stages = 3/num_stages = 12/' $kernel >"${TMPDIR:-/tmp}/tilepipe-demo.mlir"
tile-opt "${TMPDIR:-/tmp}/tilepipe-demo.mlir" --tile-set-target=chip=$chip --pipeline-planning \
  -o /dev/null 2>&1 | grep -E 'error|note' | sed 's/^[^ ]*: /  /' || true
rm -f "${TMPDIR:-/tmp}/tilepipe-demo.mlir"

heading "5. The proof: serial == pipelined, whenever the copies choose to complete"
run tile-run $kernel --check --args '200x136,136x152,200x152'
run tile-run $kernel --jit --check --args '200x136,136x152,200x152'

python=$root/.venv/bin/python
[ -x "$python" ] || python=python3
export PYTHONPATH=$build/python:examples/python/targets
has() { "$python" -c "import sys; from tilepipe.targets import is_built; sys.exit(not is_built('$1'))" 2>/dev/null; }
has cpu || exit 0

show() {
  "$python" - "$1" "$2" <<'PY'
import re, sys
import tilepipe, gemm

target, wanted = sys.argv[1:]
k = tilepipe.compile(gemm.gemm(96, 96, 160, 64, 64, 32, num_stages=3, threads=128), out_idx=[-1], target=target)
lines = k.get_kernel_source().splitlines()
first = next(i for i, line in enumerate(lines) if re.search(wanted, line))
print(f"{len(lines)} lines; around line {first}:")
print("\n".join("  " + re.sub(r"@\S*/", "@", line)[:110] for line in lines[max(0, first - 6) : first + 14]))
r = k.resources
print("\nresources:", ", ".join(f"{name} {m.bytes} of {m.capacity} bytes" for name, m in r.memory.items()))
if r.registers is not None:
    print(f"ptxas: {r.registers} registers, {r.spill_bytes} bytes spilled, {r.code_bytes} bytes of code")
report = k.check(reference=gemm.reference, seeds=1)
print(f"\n{report}")
sys.exit(not report)
PY
}

if has cuda; then
  heading "6. The same kernel in Python for NVIDIA: PTX, and what happens to it in the emulator"
  show cuda:sm_80 'cp.async.wait_group'
fi
if has ascend; then
  heading "7. And for Ascend: CCE, and its emulator"
  # In the steady loop, where the copies of one step are handed over and those of an earlier one are taken.
  show ascend:dav-2201 'set_flag.PIPE_MTE2, PIPE_MTE1, .event_t.'
fi
