"""`_native.nvidia.translate`: PTX, facts about kernels, and errors that leave the interpreter alive."""

import threading

import pytest
from tilepipe import ir
from tilepipe._load import native

if not hasattr(native, "nvidia"):
    pytest.skip("built without the NVIDIA target", allow_module_level=True)

GOOD = """
gpu.module @m {
  gpu.func @good(%p: memref<?x4xf32>, %i: index, %v: f32) kernel
      attributes {known_block_size = array<i32: 64, 2, 1>, tilepipe.shared_bytes = 48 : i64} {
    memref.store %v, %p[%i, %i] : memref<?x4xf32>
    gpu.return
  }
}
"""
# LLVM has no pattern for a power and aborts the process where nobody prevents it.
UNSELECTABLE = """
llvm.func @power(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %r = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
}
"""


def test_ptx_and_kernels():
    module = ir.Module.parse(GOOD, ir.Context())
    before = str(module)
    ptx = native.nvidia.translate(module)
    assert ".visible .entry good(" in ptx.text and ".loc" in ptx.text
    assert ptx.chip == "sm_80" and set(ptx.times) == {"lower", "translate", "optimize", "codegen"}
    (kernel,) = ptx.kernels
    assert (kernel.name, kernel.block_size, kernel.shared_bytes) == ("good", [64, 2, 1], 48)
    assert kernel.parameters == [("pointer", 64), ("integer", 64), ("integer", 64), ("float", 32)]
    assert str(module) == before


def test_chip_and_line_info():
    module = ir.Module.parse(GOOD, ir.Context())
    ptx = native.nvidia.translate(module, "sm_90a", 32, line_info=False)
    assert ".target sm_90a" in ptx.text and ".loc" not in ptx.text
    with pytest.raises(ir.MLIRError, match="unknown chip 'sm_7'"):
        native.nvidia.translate(module, "sm_7")


def test_fatal_errors_are_exceptions_with_a_place():
    module = ir.Module.parse(UNSELECTABLE, ir.Context())
    with pytest.raises(ir.MLIRError, match="Cannot select: f32 = fpow") as raised:
        native.nvidia.translate(module)
    assert ":2:1" in str(raised.value)


def test_threads_share_a_context():
    context = ir.Context()
    modules = [ir.Module.parse(GOOD if i % 2 else UNSELECTABLE, context) for i in range(4)]
    outcomes: list[str] = []

    def work(module: ir.Module) -> None:
        for _ in range(4):
            try:
                outcomes.append(native.nvidia.translate(module).text)
            except ir.MLIRError:
                outcomes.append("refused")

    threads = [threading.Thread(target=work, args=(module,)) for module in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("refused") == 8 and len(set(outcomes)) == 2
