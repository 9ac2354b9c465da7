//===- Attributes.cpp - Bindings of attributes ----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilepipe::python;

namespace {
template <typename A> struct Wrapped : PyAttribute {
  explicit Wrapped(PyAttribute base) : PyAttribute(std::move(base)) {}
  A get() const { return cast<A>(attr); }
};
} // namespace

template <typename A, typename Base = PyAttribute>
static nb::class_<Wrapped<A>, Base> bindAttr(nb::module_ &m, const char *name,
                                             bool isDefault = true) {
  nb::class_<Wrapped<A>, Base> cls(m, name);
  std::string shown = name;
  cls.def(
         "__init__",
         [shown](Wrapped<A> *self, PyAttribute &from) {
           if (!isa<A>(from.attr))
             throw nb::value_error(("Cannot cast attribute to " + shown +
                                    " (from " + printToString(from.attr) + ")")
                                       .c_str());
           new (self) Wrapped<A>(from);
         },
         "cast_from_attr"_a)
      .def_static(
          "isinstance", [](PyAttribute &other) { return isa<A>(other.attr); },
          "other"_a);
  if (isDefault)
    Globals::get().attrCasters[TypeID::get<A>()] = cls;
  return cls;
}

/// Makes `Broad` downcast to the class of `A` where an attribute is an `A`.
template <typename Broad, typename... As>
static void chooseAmong(nb::object fallback,
                        std::pair<nb::object, As *>... as) {
  Globals::get().attrCasters[TypeID::get<Broad>()] =
      nb::cpp_function([=](PyAttribute attr) {
        nb::object cls = fallback;
        (void)std::initializer_list<int>{
            (isa<As>(attr.attr) ? (cls = as.first, 0) : 0)...};
        return cls(attr);
      });
}

static nb::object wrap(const ContextRef &context, Attribute attr) {
  return toPython(context, attr);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static nb::object toPythonInt(const APInt &value, bool isSigned) {
  if (value.getBitWidth() <= 64)
    return isSigned ? nb::cast(value.getSExtValue())
                    : nb::cast(value.getZExtValue());
  return nb::module_::import_("builtins")
      .attr("int")(llvm::toString(value, 10, isSigned));
}

static nb::object getInteger(PyType type, nb::int_ value) {
  if (!type.type.isIntOrIndex())
    throw nb::type_error(
        ("expected an integer or index type, got " + printToString(type.type))
            .c_str());
  unsigned width = isa<IndexType>(type.type)
                       ? unsigned(IndexType::kInternalStorageBitWidth)
                       : type.type.getIntOrFloatBitWidth();
  auto integer = dyn_cast<IntegerType>(type.type);
  std::string digits = nb::cast<std::string>(nb::str(value));
  bool negative = digits.front() == '-';
  size_t needed = nb::cast<size_t>(nb::object(value).attr("bit_length")()) + 1;
  APInt bits(std::max<size_t>(needed, width) + 1, digits, 10);
  bool fits = negative ? !(integer && integer.isUnsigned()) &&
                             bits.getSignificantBits() <= width
                       : (integer && integer.isSigned()
                              ? bits.getSignificantBits() <= width
                              : bits.getActiveBits() <= width);
  // i0 has the one value 0.
  if (!fits && !(width == 0 && bits.isZero()))
    throw nb::value_error(
        ("value " + digits + " does not fit into " + printToString(type.type))
            .c_str());
  return wrap(type.context, IntegerAttr::get(type.type, bits.trunc(width)));
}

static nb::object getFloat(PyType type, double value) {
  if (!isa<FloatType>(type.type)) {
    DiagnosticCapture capture(type.context);
    capture.raise("Invalid attribute: expected floating point type, got " +
                  printToString(type.type));
  }
  return wrap(type.context, FloatAttr::get(type.type, value));
}

static void bindNumbers(nb::module_ &m) {
  using I = Wrapped<IntegerAttr>;
  auto integer =
      bindAttr<IntegerAttr>(m, "IntegerAttr")
          .def_static("get", &getInteger, "type"_a, "value"_a)
          .def_prop_ro("value",
                       [](I &a) {
                         auto type = dyn_cast<IntegerType>(a.get().getType());
                         return toPythonInt(a.get().getValue(),
                                            !(type && type.isUnsigned()));
                       })
          .def("__int__", [](I &a) {
            auto type = dyn_cast<IntegerType>(a.get().getType());
            return toPythonInt(a.get().getValue(),
                               !(type && type.isUnsigned()));
          });
  using B = Wrapped<BoolAttr>;
  auto boolean =
      bindAttr<BoolAttr>(m, "BoolAttr", /*isDefault=*/false)
          .def_static(
              "get",
              [](bool value, nb::object context) {
                ContextRef c = resolveContext(context);
                return wrap(c, BoolAttr::get(c->get(), value));
              },
              "value"_a, "context"_a = nb::none())
          .def_prop_ro("value", [](B &a) { return a.get().getValue(); })
          .def("__bool__", [](B &a) { return a.get().getValue(); });
  chooseAmong<IntegerAttr>(
      integer, std::make_pair(nb::object(boolean), (BoolAttr *)nullptr));
  using F = Wrapped<FloatAttr>;
  bindAttr<FloatAttr>(m, "FloatAttr")
      .def_static(
          "get",
          [](PyType type, double value, nb::object) {
            return getFloat(type, value);
          },
          "type"_a, "value"_a, "loc"_a = nb::none())
      .def_static(
          "get_unchecked",
          [](PyType type, double value, nb::object) {
            return getFloat(type, value);
          },
          "type"_a, "value"_a, "context"_a = nb::none())
      .def_static(
          "get_f32",
          [](double value, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, FloatAttr::get(Float32Type::get(c->get()), value));
          },
          "value"_a, "context"_a = nb::none())
      .def_static(
          "get_f64",
          [](double value, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, FloatAttr::get(Float64Type::get(c->get()), value));
          },
          "value"_a, "context"_a = nb::none())
      .def_prop_ro("value", [](F &a) { return a.get().getValueAsDouble(); })
      .def("__float__", [](F &a) { return a.get().getValueAsDouble(); });
}

//===----------------------------------------------------------------------===//
// Strings, symbols, types, maps
//===----------------------------------------------------------------------===//

static void bindStrings(nb::module_ &m) {
  using S = Wrapped<StringAttr>;
  bindAttr<StringAttr>(m, "StringAttr")
      .def_static(
          "get",
          [](nb::object value, nb::object context) {
            ContextRef c = resolveContext(context);
            if (nb::isinstance<nb::bytes>(value)) {
              nb::bytes bytes = nb::cast<nb::bytes>(value);
              return wrap(
                  c, StringAttr::get(c->get(),
                                     StringRef(bytes.c_str(), bytes.size())));
            }
            return wrap(
                c, StringAttr::get(c->get(), nb::cast<std::string>(value)));
          },
          "value"_a, "context"_a = nb::none())
      .def_static(
          "get_typed",
          [](PyType type, const std::string &value) {
            return wrap(type.context, StringAttr::get(value, type.type));
          },
          "type"_a, "value"_a)
      .def_prop_ro("value",
                   [](S &a) {
                     StringRef s = a.get().getValue();
                     return nb::str(s.data(), s.size());
                   })
      .def_prop_ro("value_bytes", [](S &a) {
        StringRef s = a.get().getValue();
        return nb::bytes(s.data(), s.size());
      });
  using Flat = Wrapped<FlatSymbolRefAttr>;
  using Sym = Wrapped<SymbolRefAttr>;
  auto symbol =
      bindAttr<SymbolRefAttr>(m, "SymbolRefAttr")
          .def_static(
              "get",
              [](std::vector<std::string> path, nb::object context) {
                ContextRef c = resolveContext(context);
                if (path.empty())
                  throw std::runtime_error(
                      "SymbolRefAttr must be composed of at least one symbol.");
                SmallVector<FlatSymbolRefAttr> nested;
                for (const std::string &name : llvm::drop_begin(path))
                  nested.push_back(FlatSymbolRefAttr::get(c->get(), name));
                return wrap(c, SymbolRefAttr::get(c->get(), path[0], nested));
              },
              "symbols"_a, "context"_a = nb::none())
          .def_prop_ro("value", [](Sym &a) {
            std::vector<std::string> path{a.get().getRootReference().str()};
            for (FlatSymbolRefAttr part : a.get().getNestedReferences())
              path.push_back(part.getValue().str());
            return path;
          });
  auto flat =
      bindAttr<FlatSymbolRefAttr>(m, "FlatSymbolRefAttr", /*isDefault=*/false)
          .def_static(
              "get",
              [](const std::string &value, nb::object context) {
                ContextRef c = resolveContext(context);
                return wrap(c, FlatSymbolRefAttr::get(c->get(), value));
              },
              "value"_a, "context"_a = nb::none())
          .def_prop_ro("value",
                       [](Flat &a) { return a.get().getValue().str(); });
  chooseAmong<SymbolRefAttr>(
      symbol, std::make_pair(nb::object(flat), (FlatSymbolRefAttr *)nullptr));
}

static void bindHolders(nb::module_ &m) {
  using T = Wrapped<TypeAttr>;
  bindAttr<TypeAttr>(m, "TypeAttr")
      .def_static(
          "get",
          [](PyType value, nb::object) {
            return wrap(value.context, TypeAttr::get(value.type));
          },
          "value"_a, "context"_a = nb::none())
      .def_prop_ro("value", [](T &a) {
        return toPython(a.context, a.get().getValue());
      });
  bindAttr<UnitAttr>(m, "UnitAttr")
      .def_static(
          "get",
          [](nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, UnitAttr::get(c->get()));
          },
          "context"_a = nb::none());
  using O = Wrapped<OpaqueAttr>;
  bindAttr<OpaqueAttr>(m, "OpaqueAttr")
      .def_static(
          "get",
          [](const std::string &dialect, nb::bytes buffer, PyType type,
             nb::object context) {
            return wrap(
                type.context,
                OpaqueAttr::get(StringAttr::get(type.context->get(), dialect),
                                StringRef(buffer.c_str(), buffer.size()),
                                type.type));
          },
          "dialect_namespace"_a, "buffer"_a, "type"_a, "context"_a = nb::none())
      .def_prop_ro("dialect_namespace",
                   [](O &a) { return a.get().getDialectNamespace().str(); })
      .def_prop_ro("data", [](O &a) {
        StringRef data = a.get().getAttrData();
        return nb::bytes(data.data(), data.size());
      });
  using L = Wrapped<StridedLayoutAttr>;
  bindAttr<StridedLayoutAttr>(m, "StridedLayoutAttr")
      .def_static(
          "get",
          [](int64_t offset, std::vector<int64_t> strides, nb::object context) {
            ContextRef c = resolveContext(context);
            return wrap(c, StridedLayoutAttr::get(c->get(), offset, strides));
          },
          "offset"_a, "strides"_a, "context"_a = nb::none())
      .def_static(
          "get_fully_dynamic",
          [](int64_t rank, nb::object context) {
            ContextRef c = resolveContext(context);
            std::vector<int64_t> strides(rank, ShapedType::kDynamic);
            return wrap(c, StridedLayoutAttr::get(
                               c->get(), ShapedType::kDynamic, strides));
          },
          "rank"_a, "context"_a = nb::none())
      .def_prop_ro("offset", [](L &a) { return a.get().getOffset(); })
      .def_prop_ro("strides", [](L &a) {
        return std::vector<int64_t>(a.get().getStrides().begin(),
                                    a.get().getStrides().end());
      });
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

static SmallVector<Attribute> unwrap(const std::vector<PyAttribute> &attrs) {
  SmallVector<Attribute> result;
  for (const PyAttribute &attr : attrs)
    result.push_back(attr.attr);
  return result;
}

static int64_t checkIndex(int64_t index, size_t size) {
  if (index < 0)
    index += int64_t(size);
  if (index < 0 || index >= int64_t(size))
    throw nb::index_error("ArrayAttribute index out of range");
  return index;
}

static void bindContainers(nb::module_ &m) {
  using A = Wrapped<ArrayAttr>;
  bindAttr<ArrayAttr>(m, "ArrayAttr")
      .def_static(
          "get",
          [](std::vector<PyAttribute> attributes, nb::object context) {
            ContextRef c = attributes.empty() || !context.is_none()
                               ? resolveContext(context)
                               : attributes.front().context;
            return wrap(c, ArrayAttr::get(c->get(), unwrap(attributes)));
          },
          "attributes"_a, "context"_a = nb::none())
      .def("__getitem__",
           [](A &a, int64_t index) {
             return wrap(a.context, a.get()[checkIndex(index, a.get().size())]);
           })
      .def("__len__", [](A &a) { return a.get().size(); })
      .def("__iter__",
           [](A &a) {
             nb::list list;
             for (Attribute element : a.get())
               list.append(wrap(a.context, element));
             return nb::iter(list);
           })
      .def("__add__", [](A &a, std::vector<PyAttribute> extra) {
        SmallVector<Attribute> all(a.get().begin(), a.get().end());
        llvm::append_range(all, unwrap(extra));
        return wrap(a.context, ArrayAttr::get(a.context->get(), all));
      });
  using D = Wrapped<DictionaryAttr>;
  bindAttr<DictionaryAttr>(m, "DictAttr")
      .def_static(
          "get",
          [](nb::dict value, nb::object context) {
            ContextRef c = resolveContext(context);
            NamedAttrList list;
            for (auto [key, item] : value)
              list.set(nb::cast<std::string>(key),
                       nb::cast<PyAttribute &>(item).attr);
            return wrap(c, list.getDictionary(c->get()));
          },
          "value"_a = nb::dict(), "context"_a = nb::none())
      .def("__contains__",
           [](D &a, const std::string &name) { return a.get().contains(name); })
      .def("__len__", [](D &a) { return a.get().size(); })
      .def("__getitem__",
           [](D &a, const std::string &name) {
             Attribute found = a.get().get(name);
             if (!found)
               throw nb::key_error(name.c_str());
             return wrap(a.context, found);
           })
      .def("__getitem__",
           [](D &a, int64_t index) {
             return PyNamedAttribute{
                 a.context,
                 a.get().getValue()[checkIndex(index, a.get().size())]};
           })
      .def("__iter__", [](D &a) {
        nb::list list;
        for (NamedAttribute element : a.get())
          list.append(nb::cast(PyNamedAttribute{a.context, element}));
        return nb::iter(list);
      });
}

template <typename A, typename Element>
static nb::object bindDenseArray(nb::module_ &m, const char *name) {
  using W = Wrapped<A>;
  auto cls = bindAttr<A>(m, name, /*isDefault=*/false);
  auto make = [](const ContextRef &c, const std::vector<Element> &values) {
    SmallVector<Element> flat(values.begin(), values.end());
    return wrap(c, A::get(c->get(), flat));
  };
  cls.def_static(
         "get",
         [make](std::vector<Element> values, nb::object context) {
           return make(resolveContext(context), values);
         },
         "values"_a, "context"_a = nb::none())
      .def("__getitem__",
           [](W &a, int64_t index) -> Element {
             return a.get()[checkIndex(index, a.get().size())];
           })
      .def("__len__", [](W &a) { return a.get().size(); })
      .def("__iter__",
           [](W &a) {
             nb::list list;
             for (Element element : a.get().asArrayRef())
               list.append(element);
             return nb::iter(list);
           })
      .def("__add__", [make](W &a, std::vector<Element> extra) {
        std::vector<Element> all(a.get().asArrayRef().begin(),
                                 a.get().asArrayRef().end());
        all.insert(all.end(), extra.begin(), extra.end());
        return make(a.context, all);
      });
  return std::move(cls);
}

static void bindDenseArrays(nb::module_ &m) {
  nb::object b =
      bindDenseArray<DenseBoolArrayAttr, bool>(m, "DenseBoolArrayAttr");
  nb::object i8 =
      bindDenseArray<DenseI8ArrayAttr, int8_t>(m, "DenseI8ArrayAttr");
  nb::object i16 =
      bindDenseArray<DenseI16ArrayAttr, int16_t>(m, "DenseI16ArrayAttr");
  nb::object i32 =
      bindDenseArray<DenseI32ArrayAttr, int32_t>(m, "DenseI32ArrayAttr");
  nb::object i64 =
      bindDenseArray<DenseI64ArrayAttr, int64_t>(m, "DenseI64ArrayAttr");
  nb::object f32 =
      bindDenseArray<DenseF32ArrayAttr, float>(m, "DenseF32ArrayAttr");
  nb::object f64 =
      bindDenseArray<DenseF64ArrayAttr, double>(m, "DenseF64ArrayAttr");
  chooseAmong<DenseArrayAttr>(
      m.attr("Attribute"), std::make_pair(b, (DenseBoolArrayAttr *)nullptr),
      std::make_pair(i8, (DenseI8ArrayAttr *)nullptr),
      std::make_pair(i16, (DenseI16ArrayAttr *)nullptr),
      std::make_pair(i32, (DenseI32ArrayAttr *)nullptr),
      std::make_pair(i64, (DenseI64ArrayAttr *)nullptr),
      std::make_pair(f32, (DenseF32ArrayAttr *)nullptr),
      std::make_pair(f64, (DenseF64ArrayAttr *)nullptr));
}

//===----------------------------------------------------------------------===//
// Attribute
//===----------------------------------------------------------------------===//

static nb::object parse(const std::string &text, nb::handle context) {
  ContextRef c = resolveContext(context);
  DiagnosticCapture capture(c);
  size_t used = 0;
  Attribute attr = parseAttribute(text, c->get(), Type(), &used);
  if (!attr || StringRef(text).drop_front(used).trim() != "")
    capture.raise("Unable to parse attribute: '" + text + "'");
  return wrap(c, attr);
}

static void bindBuilders(nb::module_ &m) {
  struct AttrBuilder {};
  nb::class_<AttrBuilder>(m, "AttrBuilder")
      .def_static(
          "contains",
          [](const std::string &kind) {
            return Globals::get().attrBuilders.contains(kind.c_str());
          },
          "attribute_kind"_a)
      .def_static(
          "get",
          [](const std::string &kind) {
            nb::object builder = Globals::get().attrBuilders.attr("get")(kind);
            if (builder.is_none())
              throw nb::key_error(kind.c_str());
            return builder;
          },
          "attribute_kind"_a)
      .def_static(
          "insert",
          [](const std::string &kind, nb::object builder, bool replace) {
            nb::dict builders = Globals::get().attrBuilders;
            if (builders.contains(kind.c_str()) && !replace)
              throw std::runtime_error("Attribute builder for '" + kind +
                                       "' is already registered");
            builders[kind.c_str()] = builder;
          },
          "attribute_kind"_a, "attr_builder"_a, "replace"_a = false);
}

static nb::object getType(PyAttribute &a) {
  if (auto typed = dyn_cast<TypedAttr>(a.attr))
    return toPython(a.context, typed.getType());
  return toPython(a.context, Type(NoneType::get(a.context->get())));
}

void tilepipe::python::bindAttributes(nb::module_ &m) {
  nb::class_<PyNamedAttribute>(m, "NamedAttribute")
      .def_prop_ro("name",
                   [](PyNamedAttribute &a) { return a.attr.getName().str(); })
      .def_prop_ro("attr",
                   [](PyNamedAttribute &a) {
                     return wrap(a.context, a.attr.getValue());
                   })
      .def("__repr__", [](PyNamedAttribute &a) {
        return "NamedAttribute(" + a.attr.getName().str() + "=" +
               printToString(a.attr.getValue()) + ")";
      });
  nb::class_<PyAttribute>(m, "Attribute")
      .def(
          "__init__",
          [](PyAttribute *self, PyAttribute &from) {
            new (self) PyAttribute(from);
          },
          "cast_from_type"_a)
      .def_static("parse", &parse, "asm"_a, "context"_a = nb::none())
      .def_prop_ro("context", [](PyAttribute &a) { return a.context; })
      .def_prop_ro("type", &getType)
      .def("get_named",
           [](PyAttribute &a, const std::string &name) {
             return PyNamedAttribute{
                 a.context,
                 NamedAttribute(StringAttr::get(a.context->get(), name),
                                a.attr)};
           })
      .def("maybe_downcast",
           [](PyAttribute &a) { return wrap(a.context, a.attr); })
      .def("__eq__",
           [](PyAttribute &a, PyAttribute &b) { return a.attr == b.attr; })
      .def(
          "__eq__", [](PyAttribute &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__",
           [](PyAttribute &a) { return size_t(hash_value(a.attr)); })
      .def("dump",
           [](PyAttribute &a) {
             a.attr.print(llvm::errs());
             llvm::errs() << "\n";
           })
      .def("__str__", [](PyAttribute &a) { return printToString(a.attr); })
      .def("__repr__", [](nb::handle self) {
        return nb::cast<std::string>(self.type().attr("__name__")) + "(" +
               printToString(nb::cast<PyAttribute &>(self).attr) + ")";
      });
  bindNumbers(m);
  bindStrings(m);
  bindHolders(m);
  bindContainers(m);
  bindDenseArrays(m);
  bindBuilders(m);
}
