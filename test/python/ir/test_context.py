"""Context, locations, dialects, and what `with` makes current."""

import gc
import subprocess
import sys

import pytest
from tilepipe.ir import Context, InsertionPoint, Location, Module, Type


def test_current_follows_with():
    with pytest.raises(ValueError, match="No current Context"):
        _ = Context.current
    with Context() as outer:
        assert Context.current is outer
        with Context() as inner:
            assert Context.current is inner
        assert Context.current is outer
        with pytest.raises(ValueError, match="No current Location"):
            _ = Location.current
        with Location.unknown() as loc:
            assert Location.current == loc
            assert Context.current is outer


def test_insertion_point_gives_context_and_keeps_location():
    ctx = Context()
    module = Module.create(Location.unknown(ctx))
    with ctx, Location.file("f.py", 1, 2), InsertionPoint(module.body) as point:
        assert InsertionPoint.current.block == point.block
        assert Context.current is ctx
        assert Location.current.filename == "f.py"
    # An insertion point alone has no location.
    with InsertionPoint(module.body), pytest.raises(ValueError):
        _ = Location.current


def test_unbalanced_exit():
    a, b = Context(), Context()
    a.__enter__()
    b.__enter__()
    with pytest.raises(RuntimeError, match="Unbalanced"):
        a.__exit__(None, None, None)
    b.__exit__(None, None, None)
    a.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="Unbalanced"):
        a.__exit__(None, None, None)


def test_needs_a_context():
    with pytest.raises(RuntimeError, match="requires a Context"):
        Type.parse("i32")


def test_locations(ctx):
    loc = Location.file("k.py", 12, 3)
    assert repr(loc) == 'loc("k.py":12:3)'
    assert loc.is_a_file() and not loc.is_a_name()
    assert (loc.filename, loc.start_line, loc.start_col) == ("k.py", 12, 3)
    span = Location.file("k.py", 1, 2, 3, 4)
    assert (span.end_line, span.end_col) == (3, 4)
    named = Location.name("kernel", loc)
    assert named.name_str == "kernel" and named.child_loc == loc
    # A file is found inside of other locations.
    assert named.start_line == 12
    call = Location.callsite(loc, [named])
    assert call.callee == loc and call.caller == named
    fused = Location.fused([loc, named])
    assert fused.is_a_fused() and len(fused.locations) == 2
    assert Location.from_attr(loc.attr) == loc
    assert hash(Location.file("k.py", 12, 3)) == hash(loc)
    assert loc != 3
    with pytest.raises(ValueError, match="no file"):
        _ = Location.unknown().filename
    with pytest.raises(ValueError):
        _ = loc.name_str


def test_dialects(ctx):
    assert ctx.dialects["arith"].descriptor.namespace == "arith"
    assert ctx.d.tile.descriptor.namespace == "tile"
    assert "arith" in repr(ctx.d.arith)
    with pytest.raises(ValueError, match="not found"):
        _ = ctx.dialects["nonsense"]
    with pytest.raises(AttributeError):
        _ = ctx.d.nonsense
    assert ctx.is_registered_operation("tile.gemm")
    assert not ctx.is_registered_operation("tile.nonsense")


def test_unregistered_dialects(ctx):
    assert not ctx.allow_unregistered_dialects
    with pytest.raises(Exception, match="unregistered"):
        Module.parse('"foo.bar"() : () -> ()')
    ctx.allow_unregistered_dialects = True
    assert Module.parse('"foo.bar"() : () -> ()').body.operations[0].name == "foo.bar"


def test_handles_keep_the_context_alive():
    def make():
        with Context(), Location.unknown():
            return Module.parse("func.func private @f(i32)").body.operations[0]

    op = make()
    gc.collect()
    assert "private @f" in str(op)
    kind = (lambda: Type.parse("memref<4xf32>", Context()))()
    gc.collect()
    assert str(kind) == "memref<4xf32>"


def test_import_is_quick_and_light():
    """`import tilepipe` loads neither numpy nor torch, and takes less than 0.15 s."""
    program = (
        "import sys, time; t = time.process_time(); import tilepipe, tilepipe.ir; "
        "t = time.process_time() - t; "
        "assert not {'numpy', 'torch'} & set(sys.modules); print(t)"
    )
    taken = min(
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                             check=True).stdout)
        for _ in range(3)
    )
    assert taken < 0.15
