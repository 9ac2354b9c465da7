//===- Affine.cpp - Bindings of affine expressions and maps ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace tilepipe::python;

namespace {
struct PyAffineExpr {
  ContextRef context;
  AffineExpr expr;
};
template <AffineExprKind... kinds> struct ExprOf : PyAffineExpr {
  explicit ExprOf(PyAffineExpr base) : PyAffineExpr(std::move(base)) {}
  static bool holds(AffineExpr expr) {
    return ((expr.getKind() == kinds) || ...);
  }
};
using Constant = ExprOf<AffineExprKind::Constant>;
using Dim = ExprOf<AffineExprKind::DimId>;
using Symbol = ExprOf<AffineExprKind::SymbolId>;
struct Binary : PyAffineExpr {
  explicit Binary(PyAffineExpr base) : PyAffineExpr(std::move(base)) {}
  static bool holds(AffineExpr e) { return isa<AffineBinaryOpExpr>(e); }
};
template <AffineExprKind kind> struct BinaryOf : Binary {
  explicit BinaryOf(PyAffineExpr base) : Binary(std::move(base)) {}
  static bool holds(AffineExpr expr) { return expr.getKind() == kind; }
};
using Add = BinaryOf<AffineExprKind::Add>;
using Mul = BinaryOf<AffineExprKind::Mul>;
using Mod = BinaryOf<AffineExprKind::Mod>;
using FloorDiv = BinaryOf<AffineExprKind::FloorDiv>;
using CeilDiv = BinaryOf<AffineExprKind::CeilDiv>;

struct PyAffineMap {
  ContextRef context;
  AffineMap map;
};
struct PyIntegerSet {
  ContextRef context;
  IntegerSet set;
};
using Exprs = std::vector<PyAffineExpr>;
} // namespace

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static nb::object wrap(const ContextRef &context, AffineExpr expr) {
  PyAffineExpr base{context, expr};
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return nb::cast(Constant(base));
  case AffineExprKind::DimId:
    return nb::cast(Dim(base));
  case AffineExprKind::SymbolId:
    return nb::cast(Symbol(base));
  case AffineExprKind::Add:
    return nb::cast(Add(base));
  case AffineExprKind::Mul:
    return nb::cast(Mul(base));
  case AffineExprKind::Mod:
    return nb::cast(Mod(base));
  case AffineExprKind::FloorDiv:
    return nb::cast(FloorDiv(base));
  case AffineExprKind::CeilDiv:
    return nb::cast(CeilDiv(base));
  }
  return nb::cast(base);
}

/// An expression or an integer, in the context of the other operand.
static PyAffineExpr toExpr(nb::handle object, ContextRef context) {
  if (nb::isinstance<nb::int_>(object)) {
    if (!context)
      context = resolveContext(nb::none());
    return {context,
            getAffineConstantExpr(nb::cast<int64_t>(object), context->get())};
  }
  return castArgument<PyAffineExpr>(object, "an AffineExpr or an int");
}

static ContextRef contextOf(nb::handle a, nb::handle b) {
  for (nb::handle object : {a, b})
    if (nb::isinstance<PyAffineExpr>(object))
      return nb::cast<PyAffineExpr &>(object).context;
  return nullptr;
}

static nb::object combine(AffineExprKind kind, nb::handle lhs, nb::handle rhs) {
  ContextRef context = contextOf(lhs, rhs);
  PyAffineExpr a = toExpr(lhs, context), b = toExpr(rhs, context);
  return wrap(a.context, getAffineBinaryOpExpr(kind, a.expr, b.expr));
}

template <typename E, typename Base>
static nb::class_<E, Base> bindExpr(nb::module_ &m, const char *name) {
  nb::class_<E, Base> cls(m, name);
  cls.def(
         "__init__",
         [](E *self, PyAffineExpr &from) {
           if (!E::holds(from.expr))
             throw nb::value_error("Cannot cast affine expression");
           new (self) E(from);
         },
         "expr"_a)
      .def_static(
          "isinstance", [](PyAffineExpr &e) { return E::holds(e.expr); },
          "other"_a);
  return cls;
}

template <typename E>
static void bindBinary(nb::module_ &m, const char *name, AffineExprKind kind) {
  bindExpr<E, Binary>(m, name).def_static(
      "get",
      [kind](nb::object lhs, nb::object rhs) {
        return combine(kind, lhs, rhs);
      },
      "lhs"_a, "rhs"_a);
}

static void bindLeaves(nb::module_ &m) {
  bindExpr<Constant, PyAffineExpr>(m, "AffineConstantExpr")
      .def_static(
          "get",
          [](int64_t value, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, getAffineConstantExpr(value, c->get()));
          },
          "value"_a, "context"_a = nb::none())
      .def_prop_ro("value", [](Constant &self) {
        return cast<AffineConstantExpr>(self.expr).getValue();
      });
  bindExpr<Dim, PyAffineExpr>(m, "AffineDimExpr")
      .def_static(
          "get",
          [](unsigned position, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, getAffineDimExpr(position, c->get()));
          },
          "position"_a, "context"_a = nb::none())
      .def_prop_ro("position", [](Dim &self) {
        return cast<AffineDimExpr>(self.expr).getPosition();
      });
  bindExpr<Symbol, PyAffineExpr>(m, "AffineSymbolExpr")
      .def_static(
          "get",
          [](unsigned position, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, getAffineSymbolExpr(position, c->get()));
          },
          "position"_a, "context"_a = nb::none())
      .def_prop_ro("position", [](Symbol &self) {
        return cast<AffineSymbolExpr>(self.expr).getPosition();
      });
  bindExpr<Binary, PyAffineExpr>(m, "AffineBinaryExpr")
      .def_prop_ro("lhs",
                   [](Binary &self) {
                     return wrap(self.context,
                                 cast<AffineBinaryOpExpr>(self.expr).getLHS());
                   })
      .def_prop_ro("rhs", [](Binary &self) {
        return wrap(self.context, cast<AffineBinaryOpExpr>(self.expr).getRHS());
      });
  bindBinary<Add>(m, "AffineAddExpr", AffineExprKind::Add);
  bindBinary<Mul>(m, "AffineMulExpr", AffineExprKind::Mul);
  bindBinary<Mod>(m, "AffineModExpr", AffineExprKind::Mod);
  bindBinary<FloorDiv>(m, "AffineFloorDivExpr", AffineExprKind::FloorDiv);
  bindBinary<CeilDiv>(m, "AffineCeilDivExpr", AffineExprKind::CeilDiv);
}

static void bindExprBase(nb::module_ &m) {
  using K = AffineExprKind;
  nb::class_<PyAffineExpr> cls(m, "AffineExpr");
  auto op = [&](const char *name, K kind, bool swapped) {
    cls.def(name, [kind, swapped](PyAffineExpr &self, nb::object other) {
      nb::object me = wrap(self.context, self.expr);
      return swapped ? combine(kind, other, me) : combine(kind, me, other);
    });
  };
  op("__add__", K::Add, false);
  op("__radd__", K::Add, true);
  op("__mul__", K::Mul, false);
  op("__rmul__", K::Mul, true);
  op("__mod__", K::Mod, false);
  op("__rmod__", K::Mod, true);
  op("__floordiv__", K::FloorDiv, false);
  auto maker = [&](const char *name, K kind) {
    cls.def_static(
        name,
        [kind](nb::object lhs, nb::object rhs) {
          return combine(kind, lhs, rhs);
        },
        "lhs"_a, "rhs"_a);
  };
  maker("get_add", K::Add);
  maker("get_mul", K::Mul);
  maker("get_mod", K::Mod);
  maker("get_floor_div", K::FloorDiv);
  maker("get_ceil_div", K::CeilDiv);
  cls.def("__sub__",
          [](PyAffineExpr &self, nb::object other) {
            PyAffineExpr b = toExpr(other, self.context);
            return wrap(self.context, self.expr - b.expr);
          })
      .def("__rsub__",
           [](PyAffineExpr &self, int64_t other) {
             return wrap(self.context,
                         getAffineConstantExpr(other, self.context->get()) -
                             self.expr);
           })
      .def("__neg__",
           [](PyAffineExpr &self) { return wrap(self.context, -self.expr); })
      .def(
          "compose",
          [](PyAffineExpr &self, PyAffineMap &map) {
            return wrap(self.context, self.expr.compose(map.map));
          },
          "other"_a)
      .def("maybe_downcast",
           [](PyAffineExpr &self) { return wrap(self.context, self.expr); })
      .def_static(
          "get_constant",
          [](int64_t value, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, getAffineConstantExpr(value, c->get()));
          },
          "value"_a, "context"_a = nb::none())
      .def_static(
          "get_dim",
          [](unsigned position, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, getAffineDimExpr(position, c->get()));
          },
          "position"_a, "context"_a = nb::none())
      .def_static(
          "get_symbol",
          [](unsigned position, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, getAffineSymbolExpr(position, c->get()));
          },
          "position"_a, "context"_a = nb::none())
      .def_static(
          "simplify_affine_expr",
          [](PyAffineExpr &self, unsigned dims, unsigned symbols) {
            return wrap(self.context,
                        simplifyAffineExpr(self.expr, dims, symbols));
          },
          "expr"_a, "num_dims"_a, "num_symbols"_a)
      .def_prop_ro("context", [](PyAffineExpr &self) { return self.context; })
      .def("__eq__",
           [](PyAffineExpr &a, PyAffineExpr &b) { return a.expr == b.expr; })
      .def(
          "__eq__", [](PyAffineExpr &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__",
           [](PyAffineExpr &self) { return size_t(hash_value(self.expr)); })
      .def("__str__",
           [](PyAffineExpr &self) { return printToString(self.expr); })
      .def("__repr__", [](nb::handle self) {
        return nb::cast<std::string>(self.type().attr("__name__")) + "(" +
               printToString(nb::cast<PyAffineExpr &>(self).expr) + ")";
      });
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

static SmallVector<AffineExpr> unwrap(const Exprs &exprs) {
  SmallVector<AffineExpr> result;
  for (const PyAffineExpr &expr : exprs)
    result.push_back(expr.expr);
  return result;
}

/// A map or set must not name more dimensions or symbols than it declares.
static void checkExprs(ArrayRef<AffineExpr> exprs, int64_t dims,
                       int64_t symbols) {
  int64_t maxDim = -1, maxSymbol = -1;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr inner) {
      if (auto dim = dyn_cast<AffineDimExpr>(inner))
        maxDim = std::max<int64_t>(maxDim, dim.getPosition());
      if (auto symbol = dyn_cast<AffineSymbolExpr>(inner))
        maxSymbol = std::max<int64_t>(maxSymbol, symbol.getPosition());
    });
  if (dims < 0 || symbols < 0 || maxDim >= dims || maxSymbol >= symbols)
    throw nb::value_error(
        "the expressions use a dimension or symbol that is not declared");
}

static PyAffineMap getSubMap(PyAffineMap &self, std::vector<unsigned> results) {
  for (unsigned result : results)
    if (result >= self.map.getNumResults())
      throw nb::value_error("result position out of bounds");
  return {self.context, self.map.getSubMap(results)};
}

static PyAffineMap getPermutation(std::vector<unsigned> order,
                                  nb::handle context) {
  ContextRef c = resolveContext(context);
  llvm::SmallBitVector seen(order.size());
  for (unsigned position : order) {
    if (position >= order.size() || seen.test(position))
      throw std::runtime_error("Invalid permutation when attempting to create "
                               "an AffineMap");
    seen.set(position);
  }
  if (order.empty())
    return {c, AffineMap::get(c->get())};
  return {c, AffineMap::getPermutationMap(order, c->get())};
}

static void bindMapMakers(nb::class_<PyAffineMap> &cls) {
  cls.def_static(
         "get",
         [](int64_t dims, int64_t symbols, Exprs exprs, nb::object context) {
           ContextRef c =
               exprs.empty() ? resolveContext(context) : exprs[0].context;
           checkExprs(unwrap(exprs), dims, symbols);
           return PyAffineMap{
               c, AffineMap::get(dims, symbols, unwrap(exprs), c->get())};
         },
         "dim_count"_a, "symbol_count"_a, "exprs"_a, "context"_a = nb::none())
      .def_static(
          "get_constant",
          [](int64_t value, nb::object context) {
            ContextRef c = resolveContext(context);
            return PyAffineMap{c, AffineMap::getConstantMap(value, c->get())};
          },
          "value"_a, "context"_a = nb::none())
      .def_static(
          "get_empty",
          [](nb::object context) {
            ContextRef c = resolveContext(context);
            return PyAffineMap{c, AffineMap::get(c->get())};
          },
          "context"_a = nb::none())
      .def_static(
          "get_identity",
          [](unsigned dims, nb::object context) {
            ContextRef c = resolveContext(context);
            return PyAffineMap{
                c, AffineMap::getMultiDimIdentityMap(dims, c->get())};
          },
          "n_dims"_a, "context"_a = nb::none())
      .def_static(
          "get_minor_identity",
          [](unsigned dims, unsigned results, nb::object context) {
            ContextRef c = resolveContext(context);
            if (results > dims)
              throw nb::value_error("more results than dimensions");
            return PyAffineMap{
                c, AffineMap::getMinorIdentityMap(dims, results, c->get())};
          },
          "n_dims"_a, "n_results"_a, "context"_a = nb::none())
      .def_static("get_permutation", &getPermutation, "permutation"_a,
                  "context"_a = nb::none())
      .def("get_submap", &getSubMap, "result_positions"_a)
      .def(
          "get_major_submap",
          [](PyAffineMap &self, unsigned count) {
            if (count >= self.map.getNumResults())
              throw nb::value_error("number of results out of bounds");
            return PyAffineMap{self.context, self.map.getMajorSubMap(count)};
          },
          "n_results"_a)
      .def(
          "get_minor_submap",
          [](PyAffineMap &self, unsigned count) {
            if (count >= self.map.getNumResults())
              throw nb::value_error("number of results out of bounds");
            return PyAffineMap{self.context, self.map.getMinorSubMap(count)};
          },
          "n_results"_a);
}

static void bindMap(nb::module_ &m) {
  nb::class_<PyAffineMap> cls(m, "AffineMap");
  bindMapMakers(cls);
  cls.def_prop_ro("n_dims", [](PyAffineMap &s) { return s.map.getNumDims(); })
      .def_prop_ro("n_symbols",
                   [](PyAffineMap &s) { return s.map.getNumSymbols(); })
      .def_prop_ro("n_inputs",
                   [](PyAffineMap &s) { return s.map.getNumInputs(); })
      .def_prop_ro("results",
                   [](PyAffineMap &s) {
                     nb::list list;
                     for (AffineExpr expr : s.map.getResults())
                       list.append(wrap(s.context, expr));
                     return list;
                   })
      .def_prop_ro("is_permutation",
                   [](PyAffineMap &s) { return s.map.isPermutation(); })
      .def_prop_ro(
          "is_projected_permutation",
          [](PyAffineMap &s) { return s.map.isProjectedPermutation(); })
      .def_prop_ro("context", [](PyAffineMap &s) { return s.context; })
      .def("__eq__",
           [](PyAffineMap &a, PyAffineMap &b) { return a.map == b.map; })
      .def(
          "__eq__", [](PyAffineMap &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__", [](PyAffineMap &s) { return size_t(hash_value(s.map)); })
      .def("__str__", [](PyAffineMap &s) { return printToString(s.map); })
      .def("__repr__", [](PyAffineMap &s) {
        return "AffineMap(" + printToString(s.map) + ")";
      });
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static PyIntegerSet getSet(int64_t dims, int64_t symbols, Exprs exprs,
                           std::vector<bool> flags, nb::handle context) {
  ContextRef c = exprs.empty() ? resolveContext(context) : exprs[0].context;
  if (exprs.size() != flags.size())
    throw nb::value_error(
        "Expected the number of constraints to match that of equality flags");
  if (exprs.empty())
    throw nb::value_error("Expected non-empty list of constraints");
  checkExprs(unwrap(exprs), dims, symbols);
  SmallVector<bool> eq(flags.begin(), flags.end());
  return {c, IntegerSet::get(dims, symbols, unwrap(exprs), eq)};
}

static void bindSet(nb::module_ &m) {
  nb::class_<PyIntegerSet>(m, "IntegerSet")
      .def_static("get", &getSet, "num_dims"_a, "num_symbols"_a, "exprs"_a,
                  "eq_flags"_a, "context"_a = nb::none())
      .def_static(
          "get_empty",
          [](unsigned dims, unsigned symbols, nb::object context) {
            ContextRef c = resolveContext(context);
            return PyIntegerSet{
                c, IntegerSet::getEmptySet(dims, symbols, c->get())};
          },
          "num_dims"_a, "num_symbols"_a, "context"_a = nb::none())
      .def_prop_ro("n_dims", [](PyIntegerSet &s) { return s.set.getNumDims(); })
      .def_prop_ro("n_symbols",
                   [](PyIntegerSet &s) { return s.set.getNumSymbols(); })
      .def_prop_ro("n_inputs",
                   [](PyIntegerSet &s) { return s.set.getNumInputs(); })
      .def_prop_ro("n_equalities",
                   [](PyIntegerSet &s) { return s.set.getNumEqualities(); })
      .def_prop_ro("n_inequalities",
                   [](PyIntegerSet &s) { return s.set.getNumInequalities(); })
      .def_prop_ro("is_canonical_empty",
                   [](PyIntegerSet &s) { return s.set.isEmptyIntegerSet(); })
      .def_prop_ro(
          "constraints",
          [](PyIntegerSet &s) {
            nb::list list;
            for (unsigned i = 0; i < s.set.getNumConstraints(); ++i)
              list.append(nb::make_tuple(
                  wrap(s.context, s.set.getConstraint(i)), s.set.isEq(i)));
            return list;
          })
      .def("__eq__",
           [](PyIntegerSet &a, PyIntegerSet &b) { return a.set == b.set; })
      .def(
          "__eq__", [](PyIntegerSet &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__",
           [](PyIntegerSet &s) { return size_t(hash_value(s.set)); })
      .def("__str__", [](PyIntegerSet &s) { return printToString(s.set); });
}

//===----------------------------------------------------------------------===//
// Attributes of the two
//===----------------------------------------------------------------------===//

namespace {
template <typename A> struct Holder : PyAttribute {
  explicit Holder(PyAttribute base) : PyAttribute(std::move(base)) {}
};
} // namespace

template <typename A, typename PyT, typename Get>
static void bindHolder(nb::module_ &m, const char *name, Get value) {
  nb::class_<Holder<A>, PyAttribute> cls(m, name);
  cls.def(
         "__init__",
         [](Holder<A> *self, PyAttribute &from) {
           if (!isa<A>(from.attr))
             throw nb::value_error("Cannot cast attribute");
           new (self) Holder<A>(from);
         },
         "cast_from_attr"_a)
      .def_static(
          "isinstance", [](PyAttribute &other) { return isa<A>(other.attr); },
          "other"_a)
      .def_prop_ro("value", [value](Holder<A> &self) {
        return PyT{self.context, value(cast<A>(self.attr))};
      });
  Globals::get().attrCasters[TypeID::get<A>()] = cls;
}

void tilepipe::python::bindAffine(nb::module_ &m) {
  bindExprBase(m);
  bindLeaves(m);
  bindMap(m);
  bindSet(m);
  bindHolder<AffineMapAttr, PyAffineMap>(
      m, "AffineMapAttr", [](AffineMapAttr a) { return a.getValue(); });
  bindHolder<IntegerSetAttr, PyIntegerSet>(
      m, "IntegerSetAttr", [](IntegerSetAttr a) { return a.getValue(); });
  nb::cpp_function_def(
      [](PyAffineMap &map) {
        return toPython(map.context, Attribute(AffineMapAttr::get(map.map)));
      },
      nb::scope(m), nb::name("_affine_map_attr"), "affine_map"_a);
  nb::cpp_function_def(
      [](PyIntegerSet &set) {
        return toPython(set.context, Attribute(IntegerSetAttr::get(set.set)));
      },
      nb::scope(m), nb::name("_integer_set_attr"), "integer_set"_a);
  nb::object staticMethod =
      nb::module_::import_("builtins").attr("staticmethod");
  m.attr("AffineMapAttr").attr("get") =
      staticMethod(m.attr("_affine_map_attr"));
  m.attr("IntegerSetAttr").attr("get") =
      staticMethod(m.attr("_integer_set_attr"));
}
