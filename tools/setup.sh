#!/usr/bin/env bash
# Bring a Debian 12 machine and this checkout to a state where everything runs:
# Debian packages, a Python environment in .venv, a build in build/.
# Running it again is cheap: each step looks first whether it is needed.
#
#   bash tools/setup.sh [--no-build] [--with-torch] [--target NAME]...
#
# --with-torch installs torch as well, for the tests that need it (about 200 MB
# for the CPU, more where the package index has CUDA builds only).
# --target builds only the named targets, such as tile-opt.
# BUILD_DIR=... builds elsewhere; JOBS=... limits the parallel compilations.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD_DIR:-$root/build}
jobs=${JOBS:-$(nproc)}
with_build=1 with_torch=0 targets=()
while [ $# -gt 0 ]; do
  case $1 in
  --no-build) with_build=0 ;;
  --with-torch) with_torch=1 ;;
  --target) targets+=("${2:?--target needs a name}"); shift ;;
  *)
    echo "usage: bash tools/setup.sh [--no-build] [--with-torch] [--target NAME]..." >&2
    exit 2
    ;;
  esac
  shift
done

say() { printf '[setup] %s\n' "$*"; }
fail() { printf '[setup] error: %s\n' "$*" >&2; exit 1; }

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools # MLIR, FileCheck, lit
  clang-22 lld-22                                        # compiler and linker
  cmake ninja-build ccache
  libgtest-dev
  python3-venv python3-dev
)
python_packages=(
  numpy lit pytest pytest-xdist hypothesis rich ml_dtypes "nanobind>=2.9,<4" ruff mypy
)

[ $with_torch -eq 0 ] || python_packages+=("torch==2.13.0")

install_debian_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
      grep -q 'install ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "Debian packages: all there"
    return
  fi
  say "Debian packages: installing ${missing[*]}"
  command -v apt-get >/dev/null ||
    fail "no apt-get here; install these (Debian 12 names) by hand: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "needs root or sudo to install: ${missing[*]}"
    as_root=(sudo)
  fi
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get
    install -y -qq --no-install-recommends "${missing[@]}")
  # The package lists may be missing or too old: fetch them only then.
  if ! "${install[@]}" >/tmp/tilepipe-apt.$$ 2>&1; then
    say "Debian packages: updating the package lists"
    "${as_root[@]}" apt-get update -qq || fail "apt-get update failed"
    "${install[@]}" >/tmp/tilepipe-apt.$$ 2>&1 || {
      tail -20 /tmp/tilepipe-apt.$$ >&2
      fail "apt-get could not install: ${missing[*]}"
    }
  fi
  rm -f /tmp/tilepipe-apt.$$
}

# A Python that can make an environment and compile extension modules.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    "$candidate" - 2>/dev/null <<'PY' && { echo "$candidate"; return; }
import ensurepip, os, sys, sysconfig
ok = sys.version_info >= (3, 10) and os.path.exists(
    os.path.join(sysconfig.get_path("include"), "Python.h"))
sys.exit(not ok)
PY
  done
  fail "no Python >= 3.10 with headers and ensurepip (Debian: python3-venv python3-dev)"
}

make_environment() {
  local stamp=$root/.venv/.tilepipe-packages
  if [ -x "$root/.venv/bin/python" ] &&
    [ "$(cat "$stamp" 2>/dev/null)" = "${python_packages[*]}" ]; then
    say "Python environment: all there"
    return
  fi
  say "Python environment: installing into .venv"
  [ -x "$root/.venv/bin/python" ] || "$(find_python)" -m venv "$root/.venv"
  "$root/.venv/bin/python" -m pip install -q --disable-pip-version-check \
    "${python_packages[@]}" || fail "pip could not install: ${python_packages[*]}"
  printf '%s' "${python_packages[*]}" >"$stamp"
}

build_project() {
  # A build that was configured before there was a Python environment has no
  # Python package.
  if [ ! -f "$build/build.ninja" ] ||
    grep -qE '^(TILEPIPE_PYTHON:BOOL=OFF|nanobind_DIR:PATH=.*NOTFOUND)' \
      "$build/CMakeCache.txt"; then
    say "configuring $build"
    cmake -U 'nanobind_DIR' -U '*Python_*' -DTILEPIPE_PYTHON=ON -G Ninja -S "$root" -B "$build" \
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
      -DPython_EXECUTABLE="$root/.venv/bin/python" \
      -DPython3_EXECUTABLE="$root/.venv/bin/python" >"$root/.setup.log" 2>&1 || {
      tail -30 "$root/.setup.log" >&2
      fail "cmake failed (whole log: .setup.log)"
    }
  fi
  say "building (ninja -j$jobs)"
  ninja -C "$build" -j"$jobs" "${targets[@]}" >"$root/.setup.log" 2>&1 || {
    grep -E -A8 'error|FAILED' "$root/.setup.log" | head -60 >&2
    fail "the build failed (whole log: .setup.log)"
  }
  say "built: $(tail -1 "$root/.setup.log")"
}

install_debian_packages
make_environment
[ $with_build -eq 0 ] || build_project
say "done in $SECONDS s"
