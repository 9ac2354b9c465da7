"""Symbol tables."""

import pytest
from tilepipe.ir import Module, SymbolTable

TEXT = """
func.func private @foo()
func.func @bar() { call @foo() : () -> () return }
module @inner { func.func private @deep() }
"""


@pytest.fixture
def module(ctx):
    return Module.parse(TEXT)


def test_lookup(module):
    table = SymbolTable(module.operation)
    assert table["foo"].name.value == "foo" and "bar" in table and "baz" not in table
    with pytest.raises(KeyError):
        _ = table["baz"]
    with pytest.raises(TypeError, match="not a Symbol Table"):
        SymbolTable(table["foo"].operation)


def test_insert_renames(module):
    table = SymbolTable(module.operation)
    copy = table["foo"].clone(ip=False)
    name = table.insert(copy)
    assert name.value == "foo_0" and table["foo_0"] == copy
    assert module.operation.verify()


def test_erase_is_seen_at_once(module):
    table = SymbolTable(module.operation)
    bar = table["bar"]
    table.erase(bar)
    assert "bar" not in table and not bar.is_valid
    del table["foo"]
    assert "foo" not in table
    # A table does not remember what others erase.
    table["inner"].operation.erase()
    with pytest.raises(KeyError):
        _ = table["inner"]


def test_names_and_visibility(module):
    table = SymbolTable(module.operation)
    foo = table["foo"]
    assert SymbolTable.get_visibility(foo).value == "private"
    SymbolTable.set_visibility(foo, "nested")
    assert SymbolTable.get_visibility(foo).value == "nested"
    assert SymbolTable.get_visibility(table["bar"]).value == "public"
    with pytest.raises(ValueError):
        SymbolTable.set_visibility(foo, "secret")
    SymbolTable.set_symbol_name(foo, "renamed")
    SymbolTable.replace_all_symbol_uses("foo", "renamed", module.operation)
    assert SymbolTable.get_symbol_name(foo).value == "renamed"
    assert module.operation.verify() and "call @renamed" in str(module)
    with pytest.raises(ValueError, match="symbol name"):
        SymbolTable.get_symbol_name(table["bar"].entry_block.operations[0])


def test_walk(module):
    seen = []
    SymbolTable.walk_symbol_tables(module.operation, True, lambda op, vis: seen.append(op))
    assert len(seen) == 2 and seen[1] == module.operation
