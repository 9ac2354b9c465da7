"""lit configuration: every .mlir below test/ with a RUN line is a test."""

import os
import shutil

import lit.formats

config.name = "tilepipe"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Inputs of other tests, and suites that have runners of their own.
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilepipe_binary_dir, "test")

path = [config.tilepipe_bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A test that needs an optional tool says so: `REQUIRES: tile-run`.
for tool in ("tile-opt", "tile-run", "tile-fuzz", "tile-translate", "tile-lsp-server"):
    if os.path.exists(os.path.join(config.tilepipe_bin_dir, tool)):
        config.available_features.add(tool)
for tool in ("mlir-opt", "mlir-tblgen", "mlir-translate"):
    if shutil.which(tool, path=config.llvm_tools_dir):
        config.available_features.add(tool)
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if os.path.exists(os.path.join(config.tilepipe_bin_dir, "TilePipeUnitTests")):
    config.available_features.add("unit")

config.available_features.update(config.tilepipe_targets)

plugin = os.path.join(config.tilepipe_lib_dir, "libTilePipe.so")
config.substitutions += [
    ("%plugin", plugin),
    ("%mlir-opt", os.path.join(config.llvm_tools_dir, "mlir-opt")),
    ("%mlir-tblgen", os.path.join(config.llvm_tools_dir, "mlir-tblgen")),
    ("%python", config.python or "python3"),
    ("%source-root", config.tilepipe_source_dir),
    ("%build-root", config.tilepipe_binary_dir),
    ("%unit-tests", os.path.join(config.tilepipe_bin_dir, "TilePipeUnitTests")),
]

if lit_config.params.get("quick", "") in ("", "0"):
    config.available_features.add("not-quick")
if lit_config.params.get("long", "") not in ("", "0"):
    config.available_features.add("long")
if lit_config.params.get("campaign"):
    config.available_features.add("campaign")
    config.environment["TILEPIPE_CAMPAIGN"] = lit_config.params["campaign"]
