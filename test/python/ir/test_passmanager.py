"""Pass pipelines."""

import pytest
from tilepipe.ir import Context, Location, MLIRError, Module
from tilepipe.passmanager import PassManager

TEXT = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %a, %0 : i32
  return %1 : i32
}
"""


def test_parse_and_print(ctx):
    pm = PassManager.parse("builtin.module(func.func(cse),canonicalize)")
    text = str(pm)
    assert text.startswith("builtin.module(func.func(cse),canonicalize")
    assert str(PassManager("any")) == "any()" and str(PassManager()) == "any()"
    pm = PassManager("builtin.module")
    pm.add("func.func(cse)")
    pm.add("symbol-dce")
    assert str(pm) == "builtin.module(func.func(cse),symbol-dce)"


@pytest.mark.parametrize("text", ["nonsense", "builtin.module(nonsense)", "builtin.module(cse",
                                  "builtin.module(cse{foo=1})", ""])
def test_bad_pipelines(ctx, text):
    with pytest.raises(ValueError):
        PassManager.parse(text)
    with pytest.raises(ValueError):
        PassManager("builtin.module").add(text or "x(")


def test_run(ctx):
    module = Module.parse(TEXT)
    PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    assert "addi" not in str(module)
    other = Module.parse(TEXT)
    PassManager.parse("any(canonicalize)").run(other)  # the module itself will do
    assert str(other) == str(module)
    PassManager.parse("func.func(cse)").run(other.body.operations[0].operation)


def test_run_refuses(ctx):
    module = Module.parse(TEXT)
    with pytest.raises(MLIRError, match="can't run 'func.func' pass manager"):
        PassManager.parse("func.func(cse)").run(module)
    with Context(), Location.unknown(), pytest.raises(ValueError, match="different contexts"):
        PassManager.parse("any(cse)").run(module)
    with pytest.raises(TypeError, match="expected an operation"):
        PassManager.parse("any(cse)").run(3)


def test_invalid_ir_never_reaches_a_pass(ctx):
    module = Module.parse(TEXT)
    module.body.operations[0].entry_block.operations[2].erase()
    with pytest.raises(MLIRError, match="Verification failed before"):
        PassManager.parse("any(canonicalize)").run(module)


def test_our_passes_are_registered(ctx):
    for name in ("pipeline-planning", "inject-software-pipeline"):
        PassManager.parse(f"builtin.module({name})")


def test_timing_and_statistics(ctx, capfd):
    module = Module.parse(TEXT)
    pm = PassManager.parse("builtin.module(canonicalize)")
    pm.enable_timing()
    pm.enable_statistics()
    pm.run(module)
    del pm
    err = capfd.readouterr().err
    assert "Execution time report" in err and "Canonicalizer" in err
    assert "Pass statistics report" in err


def test_ir_printing(ctx, capfd, tmp_path):
    ctx.enable_multithreading(False)
    module = Module.parse(TEXT)
    pm = PassManager.parse("builtin.module(canonicalize,cse)")
    pm.enable_ir_printing(print_before_all=True, enable_debug_info=True)
    pm.run(module)
    err = capfd.readouterr().err
    assert "IR Dump Before Canonicalizer" in err and "IR Dump After CSE" in err and "loc(" in err
    pm = PassManager.parse("builtin.module(canonicalize,cse)")
    pm.enable_ir_printing(tree_printing_dir_path=str(tmp_path))
    pm.run(module)
    assert len(list(tmp_path.rglob("*.mlir"))) == 2


def test_module_scope_printing_needs_one_thread(ctx):
    pm = PassManager.parse("builtin.module(cse)")
    assert ctx.is_multithreading_enabled
    with pytest.raises(ValueError, match="enable_multithreading"):
        pm.enable_ir_printing(print_module_scope=True)
    ctx.enable_multithreading(False)
    pm.enable_ir_printing(print_module_scope=True)
