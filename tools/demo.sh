#!/usr/bin/env bash
# The pipelined GEMM, from source to proof: what is decided, what becomes of the
# loop, what it needs on chip, and that it computes what the serial loop computes.
#
#   bash tools/demo.sh [--no-setup]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD_DIR:-$root/build}
[ "${1:-}" = --no-setup ] ||
  bash "$root/tools/setup.sh" --target tile-opt --target tile-run
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
