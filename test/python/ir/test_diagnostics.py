"""Errors with places and notes; handlers."""

import gc
import weakref

import pytest
from tilepipe.ir import Context, DiagnosticSeverity, Location, MLIRError, Module
from tilepipe.passmanager import PassManager

REDEFINED = """func.func @f() {
  %0 = arith.constant 1 : i32
  %0 = arith.constant 2 : i32
  return
}
"""


def test_error_has_place_and_notes(ctx):
    with pytest.raises(MLIRError) as caught:
        Module.parse(REDEFINED, source_name="k.mlir")
    error = caught.value
    assert (error.filename, error.line, error.col) == ("k.mlir", 3, 3)
    assert "redefinition" in error.error_diagnostics[0].message
    assert error.error_diagnostics[0].severity == DiagnosticSeverity.ERROR
    assert [note.location.start_line for note in error.notes] == [2]
    text = str(error)
    assert text.startswith("Unable to parse module assembly:\nerror: ")
    assert '"k.mlir":3:3' in text and '\n note: "k.mlir":2:3' in text


def test_error_without_place():
    error = MLIRError("plain")
    assert str(error) == "plain" and error.line is error.filename is error.col is None
    assert error.notes == []


def test_verification_error(ctx):
    module = Module.parse(
        '"func.func"() <{function_type = () -> (), sym_name = "f"}> ({\n'
        "  %0 = arith.constant 1 : i32\n  func.return\n}) : () -> ()"
    )
    ret = module.body.operations[0].entry_block.operations[0].result
    function = module.body.operations[0].operation
    function.regions[0].blocks[0].operations[1].erase()
    with Location.file("user.py", 7, 5):
        from tilepipe.dialects import func
        from tilepipe.ir import InsertionPoint

        with InsertionPoint(function.regions[0].blocks[0]):
            func.ReturnOp([ret])
    with pytest.raises(MLIRError) as caught:
        module.operation.verify()
    assert (caught.value.filename, caught.value.line) == ("user.py", 7)


def test_handlers_see_what_is_no_exception(ctx):
    seen = []

    def handler(diagnostic):
        seen.append((diagnostic.severity, diagnostic.message, str(diagnostic.location)))
        return True

    attached = ctx.attach_diagnostic_handler(handler)
    assert attached.attached
    Location.file("a", 1, 2).emit_error("foo")
    assert seen == [(DiagnosticSeverity.ERROR, "foo", 'loc("a":1:2)')]
    attached.detach()
    assert not attached.attached
    Location.unknown().emit_error("bar")
    assert len(seen) == 1


def test_handlers_are_asked_from_the_last(ctx):
    order = []
    with ctx.attach_diagnostic_handler(lambda d: order.append("first") or True):
        with ctx.attach_diagnostic_handler(lambda d: order.append("second") or False):
            Location.unknown().emit_error("x")
        Location.unknown().emit_error("y")
    assert order == ["second", "first", "first"]


def test_handler_that_raises(ctx):
    def broken(diagnostic):
        raise RuntimeError("boom")

    with _ignored():
        handler = ctx.attach_diagnostic_handler(broken)
        Location.unknown().emit_error("x")
    assert handler.had_error


class _ignored:
    def __enter__(self):
        import sys

        self.hook, sys.unraisablehook = sys.unraisablehook, lambda args: None

    def __exit__(self, *args):
        import sys

        sys.unraisablehook = self.hook


def test_handler_cycle_is_collected():
    class Marker:
        pass

    marker = Marker()
    ctx = Context()
    ctx.attach_diagnostic_handler(lambda d, c=ctx, m=marker: True)
    gone = weakref.ref(marker)
    del ctx, marker
    gc.collect()
    assert gone() is None


def test_remarks_of_a_pass_reach_handlers(ctx):
    """What the planner has to say about a loop is no error."""
    module = Module.parse(
        """func.func @f(%A: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %x = memref.load %A[%k] : memref<64xf32>
    memref.store %x, %A[%c0] : memref<64xf32>
  }
  return
}""",
        source_name="k.mlir",
    )
    seen = []
    with ctx.attach_diagnostic_handler(lambda d: seen.append(d) or True):
        PassManager.parse("builtin.module(pipeline-planning)").run(module)
    assert seen and all(d.severity == DiagnosticSeverity.REMARK for d in seen)
    assert seen[0].location.filename == "k.mlir" and seen[0].location.start_line == 4
