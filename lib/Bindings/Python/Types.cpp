//===- Types.cpp - Bindings of types --------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include <nanobind/operators.h>

using namespace mlir;
using namespace tilepipe::python;

namespace {
struct PyShapedType : PyType {
  explicit PyShapedType(PyType base) : PyType(std::move(base)) {}
  ShapedType get() const { return cast<ShapedType>(type); }
};
struct PyFloatType : PyType {
  explicit PyFloatType(PyType base) : PyType(std::move(base)) {}
};
template <typename T>
using BaseOf =
    std::conditional_t<std::is_convertible_v<T, FloatType>, PyFloatType,
                       std::conditional_t<std::is_convertible_v<T, ShapedType>,
                                          PyShapedType, PyType>>;
/// The Python class of a C++ type class, as a type of its own for nanobind.
template <typename T> struct Wrapped : BaseOf<T> {
  explicit Wrapped(PyType base) : BaseOf<T>(std::move(base)) {}
  T get() const { return cast<T>(this->type); }
};
struct PyTypeID {
  TypeID id;
};
using Shape = std::vector<int64_t>;
} // namespace

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Adds the conversion constructor and `isinstance` to a subclass of Type.
template <typename W, typename Base, typename Pred>
static nb::class_<W, Base> bindSubclass(nb::module_ &m, const char *name,
                                        Pred holds) {
  nb::class_<W, Base> cls(m, name);
  std::string shown = name;
  cls.def(
         "__init__",
         [holds, shown](W *self, PyType &from) {
           if (!holds(from.type))
             throw nb::value_error(("Cannot cast type to " + shown + " (from " +
                                    printToString(from.type) + ")")
                                       .c_str());
           new (self) W(from);
         },
         "cast_from_type"_a)
      .def_static(
          "isinstance", [holds](PyType &other) { return holds(other.type); },
          "other"_a);
  return cls;
}

template <typename T>
static nb::class_<Wrapped<T>, BaseOf<T>> bindType(nb::module_ &m,
                                                  const char *name) {
  auto cls = bindSubclass<Wrapped<T>, BaseOf<T>>(
      m, name, [](Type t) { return isa<T>(t); });
  Globals::get().typeCasters[TypeID::get<T>()] = cls;
  cls.def_prop_ro_static("static_typeid",
                         [](nb::handle) { return PyTypeID{TypeID::get<T>()}; });
  return cls;
}

/// `T::getChecked(...)`, with what it has to say in the exception.
template <typename T, typename... Args>
static nb::object getChecked(const PyLocation &loc, Args... args) {
  DiagnosticCapture capture(loc.context);
  T type = T::getChecked([&] { return mlir::emitError(loc.loc); }, args...);
  if (!type)
    capture.raise("Invalid type");
  return toPython(loc.context, Type(type));
}

/// The location for a type's error: a given or current one, else unknown.
static PyLocation locationFor(nb::handle loc, const ContextRef &context) {
  if (!loc.is_none())
    return nb::cast<PyLocation>(loc);
  if (Frame *frame = currentFrame(); frame && frame->location)
    return *frame->location;
  return {context, UnknownLoc::get(context->get())};
}

static SmallVector<Type> unwrap(const std::vector<PyType> &types) {
  SmallVector<Type> result;
  for (const PyType &type : types)
    result.push_back(type.type);
  return result;
}

static nb::list wrap(const ContextRef &context, TypeRange types) {
  nb::list list;
  for (Type type : types)
    list.append(toPython(context, type));
  return list;
}

static void checkDim(ShapedType type, int64_t dim) {
  if (!type.hasRank())
    throw nb::value_error(
        "calling this method requires that the type has a rank.");
  if (dim < 0 || dim >= type.getRank())
    throw nb::index_error("dimension out of range");
}

//===----------------------------------------------------------------------===//
// Scalar types
//===----------------------------------------------------------------------===//

template <typename T> static void bindFloat(nb::module_ &m, const char *name) {
  bindType<T>(m, name).def_static(
      "get",
      [](nb::object context) {
        ContextRef c = resolveContext(context);
        return toPython(c, Type(T::get(c->get())));
      },
      "context"_a = nb::none());
}

static void bindFloats(nb::module_ &m) {
  bindSubclass<PyFloatType, PyType>(m, "FloatType", [](Type t) {
    return isa<FloatType>(t);
  }).def_prop_ro("width", [](PyFloatType &t) {
    return cast<FloatType>(t.type).getWidth();
  });
  bindFloat<Float4E2M1FNType>(m, "Float4E2M1FNType");
  bindFloat<Float6E2M3FNType>(m, "Float6E2M3FNType");
  bindFloat<Float6E3M2FNType>(m, "Float6E3M2FNType");
  bindFloat<Float8E5M2Type>(m, "Float8E5M2Type");
  bindFloat<Float8E4M3Type>(m, "Float8E4M3Type");
  bindFloat<Float8E4M3FNType>(m, "Float8E4M3FNType");
  bindFloat<Float8E5M2FNUZType>(m, "Float8E5M2FNUZType");
  bindFloat<Float8E4M3FNUZType>(m, "Float8E4M3FNUZType");
  bindFloat<Float8E4M3B11FNUZType>(m, "Float8E4M3B11FNUZType");
  bindFloat<Float8E3M4Type>(m, "Float8E3M4Type");
  bindFloat<Float8E8M0FNUType>(m, "Float8E8M0FNUType");
  bindFloat<BFloat16Type>(m, "BF16Type");
  bindFloat<Float16Type>(m, "F16Type");
  bindFloat<FloatTF32Type>(m, "FloatTF32Type");
  bindFloat<Float32Type>(m, "F32Type");
  bindFloat<Float64Type>(m, "F64Type");
}

static nb::object getInteger(unsigned width, IntegerType::SignednessSemantics s,
                             nb::handle context) {
  ContextRef c = resolveContext(context);
  if (width > IntegerType::kMaxWidth)
    throw nb::value_error("integer bitwidth is limited to 16777215 bits");
  return toPython(c, Type(IntegerType::get(c->get(), width, s)));
}

static void bindInteger(nb::module_ &m) {
  using S = IntegerType::SignednessSemantics;
  auto cls = bindType<IntegerType>(m, "IntegerType");
  auto maker = [&](const char *name, S s) {
    cls.def_static(
        name,
        [s](unsigned width, nb::object context) {
          return getInteger(width, s, context);
        },
        "width"_a, "context"_a = nb::none());
  };
  maker("get_signless", S::Signless);
  maker("get_signed", S::Signed);
  maker("get_unsigned", S::Unsigned);
  using W = Wrapped<IntegerType>;
  cls.def_prop_ro("width", [](W &t) { return t.get().getWidth(); })
      .def_prop_ro("is_signless", [](W &t) { return t.get().isSignless(); })
      .def_prop_ro("is_signed", [](W &t) { return t.get().isSigned(); })
      .def_prop_ro("is_unsigned", [](W &t) { return t.get().isUnsigned(); });
}

template <typename T> static void bindSimple(nb::module_ &m, const char *name) {
  bindType<T>(m, name).def_static(
      "get",
      [](nb::object context) {
        ContextRef c = resolveContext(context);
        return toPython(c, Type(T::get(c->get())));
      },
      "context"_a = nb::none());
}

//===----------------------------------------------------------------------===//
// Shaped types
//===----------------------------------------------------------------------===//

static void bindShaped(nb::module_ &m) {
  constexpr int64_t dynamic = ShapedType::kDynamic;
  using W = PyShapedType;
  bindSubclass<W, PyType>(m, "ShapedType",
                          [](Type t) { return isa<ShapedType>(t); })
      .def_prop_ro(
          "element_type",
          [](W &t) { return toPython(t.context, t.get().getElementType()); })
      .def_prop_ro("has_rank", [](W &t) { return t.get().hasRank(); })
      .def_prop_ro("rank",
                   [](W &t) {
                     checkDim(t.get().hasRank() && !t.get().getRank()
                                  ? ShapedType(RankedTensorType::get(
                                        {1}, t.get().getElementType()))
                                  : t.get(),
                              0);
                     return t.get().getRank();
                   })
      .def_prop_ro("has_static_shape",
                   [](W &t) { return t.get().hasStaticShape(); })
      .def_prop_ro("num_elements",
                   [](W &t) {
                     if (!t.get().hasStaticShape())
                       throw nb::value_error("the type has no static shape");
                     return t.get().getNumElements();
                   })
      .def_prop_ro("shape",
                   [](W &t) {
                     if (!t.get().hasRank())
                       throw nb::value_error("calling this method requires "
                                             "that the type has a rank.");
                     return Shape(t.get().getShape().begin(),
                                  t.get().getShape().end());
                   })
      .def(
          "is_dynamic_dim",
          [](W &t, int64_t dim) {
            checkDim(t.get(), dim);
            return t.get().isDynamicDim(dim);
          },
          "dim"_a)
      .def(
          "is_static_dim",
          [](W &t, int64_t dim) {
            checkDim(t.get(), dim);
            return !t.get().isDynamicDim(dim);
          },
          "dim"_a)
      .def(
          "get_dim_size",
          [](W &t, int64_t dim) {
            checkDim(t.get(), dim);
            return t.get().getDimSize(dim);
          },
          "dim"_a)
      .def_static(
          "is_dynamic_size", [](int64_t s) { return s == dynamic; },
          "dim_size"_a)
      .def_static(
          "is_static_size", [](int64_t s) { return s != dynamic; },
          "dim_size"_a)
      .def(
          "is_dynamic_stride_or_offset",
          [](W &, int64_t s) { return s == dynamic; }, "dim_size"_a)
      .def(
          "is_static_stride_or_offset",
          [](W &, int64_t s) { return s != dynamic; }, "dim_size"_a)
      .def_static("get_dynamic_size", [] { return dynamic; })
      .def_static("get_dynamic_stride_or_offset", [] { return dynamic; });
}

static nb::object getVector(Shape shape, PyType element, nb::handle scalable,
                            nb::handle scalableDims, nb::handle loc) {
  SmallVector<bool> flags;
  if (!scalable.is_none() && !scalableDims.is_none())
    throw nb::value_error("'scalable' and 'scalable_dims' kwargs are mutually "
                          "exclusive.");
  if (!scalable.is_none())
    for (bool flag : nb::cast<std::vector<bool>>(scalable))
      flags.push_back(flag);
  if (!flags.empty() && flags.size() != shape.size())
    throw nb::value_error("Expected len(scalable) == len(shape).");
  if (!scalableDims.is_none()) {
    flags.assign(shape.size(), false);
    for (int64_t dim : nb::cast<Shape>(scalableDims)) {
      if (dim < 0 || dim >= int64_t(shape.size()))
        throw nb::value_error("Scalable dimension index out of bounds.");
      flags[dim] = true;
    }
  }
  if (flags.empty())
    flags.assign(shape.size(), false);
  if (!isa<VectorElementTypeInterface>(element.type)) {
    DiagnosticCapture capture(element.context);
    mlir::emitError(locationFor(loc, element.context).loc)
        << "failed to verify 'elementType': VectorElementTypeInterface "
           "instance";
    capture.raise("Invalid type");
  }
  return getChecked<VectorType>(locationFor(loc, element.context),
                                ArrayRef<int64_t>(shape), element.type,
                                ArrayRef<bool>(flags));
}

static void bindVectorAndTensor(nb::module_ &m) {
  using V = Wrapped<VectorType>;
  bindType<VectorType>(m, "VectorType")
      .def_static("get", &getVector, "shape"_a, "element_type"_a, nb::kw_only(),
                  "scalable"_a = nb::none(), "scalable_dims"_a = nb::none(),
                  "loc"_a = nb::none())
      .def_prop_ro("scalable", [](V &t) { return t.get().isScalable(); })
      .def_prop_ro("scalable_dims", [](V &t) {
        std::vector<bool> flags(t.get().getScalableDims().begin(),
                                t.get().getScalableDims().end());
        return flags;
      });
  using R = Wrapped<RankedTensorType>;
  bindType<RankedTensorType>(m, "RankedTensorType")
      .def_static(
          "get",
          [](Shape shape, PyType element, std::optional<PyAttribute> encoding,
             nb::object loc) {
            return getChecked<RankedTensorType>(
                locationFor(loc, element.context), ArrayRef<int64_t>(shape),
                element.type, encoding ? encoding->attr : Attribute());
          },
          "shape"_a, "element_type"_a, "encoding"_a = nb::none(),
          "loc"_a = nb::none())
      .def_prop_ro("encoding", [](R &t) {
        return toPython(t.context, t.get().getEncoding());
      });
  bindType<UnrankedTensorType>(m, "UnrankedTensorType")
      .def_static(
          "get",
          [](PyType element, nb::object loc) {
            return getChecked<UnrankedTensorType>(
                locationFor(loc, element.context), element.type);
          },
          "element_type"_a, "loc"_a = nb::none());
}

static nb::object getMemRef(Shape shape, PyType element,
                            std::optional<PyAttribute> layout,
                            std::optional<PyAttribute> space, nb::handle loc) {
  MemRefLayoutAttrInterface layoutAttr;
  if (layout) {
    layoutAttr = dyn_cast<MemRefLayoutAttrInterface>(layout->attr);
    if (!layoutAttr)
      throw nb::value_error("the layout is not a memref layout attribute");
  }
  return getChecked<MemRefType>(locationFor(loc, element.context),
                                ArrayRef<int64_t>(shape), element.type,
                                layoutAttr, space ? space->attr : Attribute());
}

static void bindMemRefs(nb::module_ &m) {
  using W = Wrapped<MemRefType>;
  bindType<MemRefType>(m, "MemRefType")
      .def_static("get", &getMemRef, "shape"_a, "element_type"_a,
                  "layout"_a = nb::none(), "memory_space"_a = nb::none(),
                  "loc"_a = nb::none())
      .def_prop_ro("layout",
                   [](W &t) {
                     return toPython(t.context, Attribute(t.get().getLayout()));
                   })
      .def_prop_ro("affine_map",
                   [](W &t) -> nb::object {
                     return toPython(t.context,
                                     Attribute(AffineMapAttr::get(
                                         t.get().getLayout().getAffineMap())))
                         .attr("value");
                   })
      .def_prop_ro(
          "memory_space",
          [](W &t) { return toPython(t.context, t.get().getMemorySpace()); })
      .def("get_strides_and_offset", [](W &t) {
        SmallVector<int64_t> strides;
        int64_t offset;
        if (failed(t.get().getStridesAndOffset(strides, offset)))
          throw std::runtime_error(
              "Failed to extract strides and offset from memref.");
        return std::make_pair(Shape(strides.begin(), strides.end()), offset);
      });
  using U = Wrapped<UnrankedMemRefType>;
  bindType<UnrankedMemRefType>(m, "UnrankedMemRefType")
      .def_static(
          "get",
          [](PyType element, std::optional<PyAttribute> space, nb::object loc) {
            return getChecked<UnrankedMemRefType>(
                locationFor(loc, element.context), element.type,
                space ? space->attr : Attribute());
          },
          "element_type"_a, "memory_space"_a.none(), "loc"_a = nb::none())
      .def_prop_ro("memory_space", [](U &t) {
        return toPython(t.context, t.get().getMemorySpace());
      });
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

static void bindAggregates(nb::module_ &m) {
  using C = Wrapped<ComplexType>;
  bindType<ComplexType>(m, "ComplexType")
      .def_static(
          "get",
          [](PyType element) {
            return getChecked<ComplexType>(
                locationFor(nb::none(), element.context), element.type);
          },
          "element_type"_a)
      .def_prop_ro("element_type", [](C &t) {
        return toPython(t.context, t.get().getElementType());
      });
  using T = Wrapped<TupleType>;
  bindType<TupleType>(m, "TupleType")
      .def_static(
          "get_tuple",
          [](std::vector<PyType> elements, nb::object context) {
            ContextRef c = elements.empty() ? resolveContext(context)
                                            : elements.front().context;
            return toPython(c,
                            Type(TupleType::get(c->get(), unwrap(elements))));
          },
          "elements"_a, "context"_a = nb::none())
      .def(
          "get_type",
          [](T &t, int64_t pos) {
            if (pos < 0 || pos >= int64_t(t.get().size()))
              throw nb::index_error("tuple element out of range");
            return toPython(t.context, t.get().getType(pos));
          },
          "pos"_a)
      .def_prop_ro("num_types", [](T &t) { return t.get().size(); });
  using F = Wrapped<FunctionType>;
  bindType<FunctionType>(m, "FunctionType")
      .def_static(
          "get",
          [](std::vector<PyType> inputs, std::vector<PyType> results,
             nb::object context) {
            ContextRef c = !inputs.empty()    ? inputs.front().context
                           : !results.empty() ? results.front().context
                                              : resolveContext(context);
            return toPython(c, Type(FunctionType::get(c->get(), unwrap(inputs),
                                                      unwrap(results))));
          },
          "inputs"_a, "results"_a, "context"_a = nb::none())
      .def_prop_ro("inputs",
                   [](F &t) { return wrap(t.context, t.get().getInputs()); })
      .def_prop_ro("results",
                   [](F &t) { return wrap(t.context, t.get().getResults()); });
  using O = Wrapped<OpaqueType>;
  bindType<OpaqueType>(m, "OpaqueType")
      .def_static(
          "get",
          [](const std::string &dialect, const std::string &buffer,
             nb::object context) {
            ContextRef c = resolveContext(context);
            return getChecked<OpaqueType>(locationFor(nb::none(), c),
                                          StringAttr::get(c->get(), dialect),
                                          StringRef(buffer));
          },
          "dialect_namespace"_a, "buffer"_a, "context"_a = nb::none())
      .def_prop_ro("dialect_namespace",
                   [](O &t) { return t.get().getDialectNamespace().str(); })
      .def_prop_ro("data", [](O &t) { return t.get().getTypeData().str(); });
}

//===----------------------------------------------------------------------===//
// Type
//===----------------------------------------------------------------------===//

static nb::object parse(const std::string &text, nb::handle context) {
  ContextRef c = resolveContext(context);
  DiagnosticCapture capture(c);
  size_t used = 0;
  Type type = parseType(text, c->get(), &used);
  if (!type || StringRef(text).drop_front(used).trim() != "")
    capture.raise("Unable to parse type: '" + text + "'");
  return toPython(c, type);
}

void tilepipe::python::bindTypes(nb::module_ &m) {
  nb::class_<PyTypeID>(m, "TypeID")
      .def("__eq__", [](PyTypeID &a, PyTypeID &b) { return a.id == b.id; })
      .def(
          "__eq__", [](PyTypeID &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__", [](PyTypeID &a) { return size_t(hash_value(a.id)); });
  nb::class_<PyType>(m, "Type")
      .def(
          "__init__",
          [](PyType *self, PyType &from) { new (self) PyType(from); },
          "cast_from_type"_a)
      .def_static("parse", &parse, "asm"_a, "context"_a = nb::none())
      .def_prop_ro("context", [](PyType &t) { return t.context; })
      .def_prop_ro("typeid",
                   [](PyType &t) { return PyTypeID{t.type.getTypeID()}; })
      .def("maybe_downcast",
           [](PyType &t) { return toPython(t.context, t.type); })
      .def("__eq__", [](PyType &a, PyType &b) { return a.type == b.type; })
      .def(
          "__eq__", [](PyType &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__", [](PyType &t) { return size_t(hash_value(t.type)); })
      .def("dump",
           [](PyType &t) {
             t.type.print(llvm::errs());
             llvm::errs() << "\n";
           })
      .def("__str__", [](PyType &t) { return printToString(t.type); })
      .def("__repr__", [](nb::handle self) {
        return nb::cast<std::string>(self.type().attr("__name__")) + "(" +
               printToString(nb::cast<PyType &>(self).type) + ")";
      });
  bindInteger(m);
  bindSimple<IndexType>(m, "IndexType");
  bindSimple<NoneType>(m, "NoneType");
  bindFloats(m);
  bindShaped(m);
  bindVectorAndTensor(m);
  bindMemRefs(m);
  bindAggregates(m);
  m.def(
      "register_type_caster",
      [](PyTypeID id, bool replace) {
        return nb::cpp_function([id, replace](nb::object caster) {
          auto &slot = Globals::get().typeCasters[id.id];
          if (slot.is_valid() && !replace)
            throw std::runtime_error("Type caster is already registered");
          slot = caster;
          return caster;
        });
      },
      "typeid"_a, nb::kw_only(), "replace"_a = false);
  m.def(
      "register_value_caster",
      [](PyTypeID id, bool replace) {
        return nb::cpp_function([id, replace](nb::object caster) {
          auto &slot = Globals::get().valueCasters[id.id];
          if (slot.is_valid() && !replace)
            throw std::runtime_error("Value caster is already registered");
          slot = caster;
          return caster;
        });
      },
      "typeid"_a, nb::kw_only(), "replace"_a = false);
}
