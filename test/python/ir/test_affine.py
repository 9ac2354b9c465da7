"""Affine expressions, maps and integer sets."""

import pytest
from tilepipe.ir import (
    AffineAddExpr,
    AffineBinaryExpr,
    AffineCeilDivExpr,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineFloorDivExpr,
    AffineMap,
    AffineMapAttr,
    AffineModExpr,
    AffineMulExpr,
    AffineSymbolExpr,
    Attribute,
    IntegerSet,
    IntegerSetAttr,
)


def test_operators(ctx):
    d0, s0 = AffineDimExpr.get(0), AffineSymbolExpr.get(0)
    assert str(d0 + s0) == "d0 + s0" and isinstance(d0 + s0, AffineAddExpr)
    assert str(d0 * 4 + 2) == "d0 * 4 + 2" and isinstance(2 * d0, AffineMulExpr)
    assert str(d0 % 3) == "d0 mod 3" and isinstance(d0 % 3, AffineModExpr)
    assert str(d0 - 1) == "d0 - 1" and str(1 - d0) == "-d0 + 1" and str(-d0) == "-d0"
    assert isinstance(AffineExpr.get_floor_div(d0, 2), AffineFloorDivExpr)
    assert str(AffineExpr.get_ceil_div(d0, 2)) == "d0 ceildiv 2"
    assert isinstance(AffineCeilDivExpr.get(d0, s0), AffineBinaryExpr)
    assert (d0 + 1).lhs == d0 and (d0 + 1).rhs.value == 1
    assert repr(d0) == "AffineDimExpr(d0)"


def test_folding_and_equality(ctx):
    one = AffineConstantExpr.get(1)
    assert (one + 2) == AffineExpr.get_constant(3) and (one + 2).value == 3
    assert AffineExpr.get_dim(2).position == 2 and AffineExpr.get_symbol(1).position == 1
    d0 = AffineExpr.get_dim(0)
    assert d0 + 0 == d0 and hash(d0 + 0) == hash(d0) and d0 != 0
    assert AffineExpr.simplify_affine_expr(d0 - d0, 1, 0).value == 0
    with pytest.raises(ValueError):
        AffineDimExpr(one)
    with pytest.raises(TypeError):
        d0 + "x"


def test_maps(ctx):
    d0, d1 = AffineDimExpr.get(0), AffineDimExpr.get(1)
    swap = AffineMap.get(2, 0, [d1, d0])
    assert str(swap) == "(d0, d1) -> (d1, d0)" and repr(swap).startswith("AffineMap(")
    assert swap.n_dims == 2 and swap.n_symbols == 0 and swap.n_inputs == 2
    assert swap.is_permutation and swap == AffineMap.get_permutation([1, 0])
    assert swap.results == [d1, d0] and hash(swap) == hash(AffineMap.get_permutation([1, 0]))
    assert str(AffineMap.get_minor_identity(3, 1)) == "(d0, d1, d2) -> (d2)"
    assert AffineMap.get_minor_identity(3, 1).is_projected_permutation
    assert str(swap.get_submap([0])) == "(d0, d1) -> (d1)"
    assert str(swap.get_minor_submap(1)) == "(d0, d1) -> (d0)"
    assert str(swap.get_major_submap(1)) == "(d0, d1) -> (d1)"
    assert str(AffineMap.get_constant(7)) == "() -> (7)" and str(AffineMap.get_empty()) == "() -> ()"
    assert (d0 + d1).compose(swap) == d1 + d0


def test_map_errors(ctx):
    d3 = AffineDimExpr.get(3)
    with pytest.raises(ValueError, match="not declared"):
        AffineMap.get(2, 0, [d3])
    with pytest.raises(RuntimeError, match="permutation"):
        AffineMap.get_permutation([0, 0])
    with pytest.raises(ValueError, match="out of bounds"):
        AffineMap.get_identity(2).get_submap([5])
    with pytest.raises(ValueError):
        AffineMap.get_identity(2).get_major_submap(2)


def test_sets(ctx):
    d0, s0 = AffineDimExpr.get(0), AffineSymbolExpr.get(0)
    box = IntegerSet.get(1, 1, [d0 - 1, s0 - d0], [True, False])
    assert str(box) == "(d0)[s0] : (d0 - 1 == 0, -d0 + s0 >= 0)"
    assert (box.n_dims, box.n_symbols, box.n_equalities, box.n_inequalities) == (1, 1, 1, 1)
    assert box.constraints[0] == (d0 - 1, True)
    assert IntegerSet.get_empty(1, 0).is_canonical_empty
    for wrong in (lambda: IntegerSet.get(1, 0, [], []), lambda: IntegerSet.get(1, 0, [d0], []),
                  lambda: IntegerSet.get(0, 0, [d0], [True])):
        with pytest.raises(ValueError):
            wrong()


def test_attributes(ctx):
    attr = AffineMapAttr.get(AffineMap.get_identity(2))
    assert isinstance(Attribute.parse("affine_map<(d0, d1) -> (d0, d1)>"), AffineMapAttr)
    assert attr.value == AffineMap.get_identity(2)
    box = IntegerSet.get(1, 0, [AffineDimExpr.get(0)], [False])
    assert IntegerSetAttr.get(box).value == box
