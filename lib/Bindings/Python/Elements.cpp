//===- Elements.cpp - Dense elements and Python buffers -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace mlir;
using namespace tilepipe::python;

namespace {
struct PyDenseElements : PyAttribute {
  explicit PyDenseElements(PyAttribute base) : PyAttribute(std::move(base)) {}
  DenseElementsAttr get() const { return cast<DenseElementsAttr>(attr); }
};
struct PyDenseInts : PyDenseElements {
  using PyDenseElements::PyDenseElements;
};
struct PyDenseFloats : PyDenseElements {
  using PyDenseElements::PyDenseElements;
};

/// A contiguous view of a Python buffer.
class Buffer {
public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view,
                           PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0)
      return;
    PyErr_Clear();
    // Strided memory is copied to its C order.
    copy = nb::module_::import_("numpy").attr("ascontiguousarray")(object);
    if (PyObject_GetBuffer(copy.ptr(), &view,
                           PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
      throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&view); }
  Buffer(const Buffer &) = delete;

  std::vector<int64_t> shape() const {
    return {view.shape, view.shape + view.ndim};
  }
  /// The kind of the elements, without the sign of the byte order.
  char kind() const {
    StringRef format(view.format ? view.format : "B");
    if (format.starts_with(">"))
      throw nb::value_error("big-endian arrays are not supported");
    format = format.ltrim("@=<");
    return format.size() == 1 ? format[0] : 0;
  }
  ArrayRef<char> bytes() const {
    return {static_cast<const char *>(view.buf), size_t(view.len)};
  }
  unsigned itemsize() const { return view.itemsize; }

private:
  Py_buffer view;
  nb::object copy;
};
} // namespace

static Type elementTypeOf(const Buffer &buffer, bool isSignless,
                          MLIRContext *context) {
  using S = IntegerType::SignednessSemantics;
  unsigned bits = buffer.itemsize() * 8;
  char kind = buffer.kind();
  switch (kind) {
  case '?':
    return IntegerType::get(context, 1);
  case 'e':
    return Float16Type::get(context);
  case 'f':
    return Float32Type::get(context);
  case 'd':
    return Float64Type::get(context);
  default:
    break;
  }
  if (kind && StringRef("bhilq").contains(kind))
    return IntegerType::get(context, bits,
                            isSignless ? S::Signless : S::Signed);
  if (kind && StringRef("BHILQ").contains(kind))
    return IntegerType::get(context, bits,
                            isSignless ? S::Signless : S::Unsigned);
  throw nb::value_error("unimplemented array format conversion from this "
                        "format: pass the element type");
}

static nb::object fromBuffer(nb::handle array, bool isSignless,
                             std::optional<PyType> explicitType,
                             std::optional<std::vector<int64_t>> explicitShape,
                             nb::handle context) {
  ContextRef c = explicitType ? explicitType->context : resolveContext(context);
  Buffer buffer(array);
  std::vector<int64_t> shape = explicitShape.value_or(buffer.shape());
  ShapedType type;
  Type element;
  if (explicitType && isa<ShapedType>(explicitType->type)) {
    if (explicitShape)
      throw nb::value_error("Shape can only be specified explicitly when the "
                            "type is not a shaped type.");
    type = cast<ShapedType>(explicitType->type);
    element = type.getElementType();
  } else {
    element = explicitType ? explicitType->type
                           : elementTypeOf(buffer, isSignless, c->get());
    type = RankedTensorType::get(shape, element);
  }
  if (!isa<RankedTensorType, VectorType>(type) || !type.hasStaticShape())
    throw nb::value_error("expected a tensor or vector type of static shape");
  int64_t count =
      buffer.itemsize() ? buffer.bytes().size() / buffer.itemsize() : 0;
  if (count != type.getNumElements() && count != 1)
    throw nb::value_error(("the array has " + std::to_string(count) +
                           " elements, the type " + printToString(Type(type)) +
                           " has " + std::to_string(type.getNumElements()))
                              .c_str());
  if (element.isInteger(1)) {
    if (buffer.itemsize() != 1)
      throw nb::value_error("i1 elements need an array of bool");
    SmallVector<bool> flags;
    for (char byte : buffer.bytes())
      flags.push_back(byte != 0);
    return toPython(c, Attribute(DenseElementsAttr::get(type, flags)));
  }
  bool splat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, buffer.bytes(), splat))
    throw nb::value_error(
        ("the array's bytes do not fit the type " + printToString(Type(type)))
            .c_str());
  return toPython(
      c, Attribute(DenseElementsAttr::getFromRawBuffer(type, buffer.bytes())));
}

static nb::object fromAttributes(nb::list attributes,
                                 std::optional<PyType> type) {
  if (attributes.size() == 0)
    throw nb::value_error("Attributes list must be non-empty.");
  SmallVector<Attribute> elements;
  ContextRef context;
  for (nb::handle item : attributes) {
    auto &attr = nb::cast<PyAttribute &>(item);
    context = attr.context;
    elements.push_back(attr.attr);
  }
  auto first = dyn_cast<TypedAttr>(elements[0]);
  ShapedType shaped;
  if (type)
    shaped = dyn_cast<ShapedType>(type->type);
  else if (first)
    shaped = RankedTensorType::get({int64_t(elements.size())}, first.getType());
  if (!shaped || !shaped.hasStaticShape())
    throw nb::value_error("Expected a static ShapedType for the shaped_type "
                          "parameter");
  for (Attribute element : elements)
    if (auto typed = dyn_cast<TypedAttr>(element);
        !typed || typed.getType() != shaped.getElementType())
      throw nb::value_error("All attributes must be of the same type and match "
                            "the type parameter");
  if (int64_t(elements.size()) != shaped.getNumElements() &&
      elements.size() != 1)
    throw nb::value_error("the number of attributes does not fit the type");
  return toPython(context, Attribute(DenseElementsAttr::get(shaped, elements)));
}

static nb::object splat(PyType type, PyAttribute element) {
  auto shaped = dyn_cast<ShapedType>(type.type);
  auto typed = dyn_cast<TypedAttr>(element.attr);
  if (!shaped || !typed || !shaped.hasStaticShape() ||
      !isa<IntegerAttr, FloatAttr>(element.attr))
    throw nb::value_error("Expected a static ShapedType for the shaped_type "
                          "parameter and an integer or float element");
  if (typed.getType() != shaped.getElementType())
    throw nb::value_error(
        "Shaped element type and attribute type must be equal");
  return toPython(type.context,
                  Attribute(DenseElementsAttr::get(shaped, element.attr)));
}

//===----------------------------------------------------------------------===//
// Elements to Python
//===----------------------------------------------------------------------===//

static nb::object toNumber(const ContextRef &context, Attribute element) {
  if (auto integer = dyn_cast<IntegerAttr>(element))
    if (integer.getType().isInteger(1))
      return nb::bool_(integer.getValue().isOne());
  nb::object attr = toPython(context, element);
  return nb::hasattr(attr, "value") ? attr.attr("value") : attr;
}

static nb::object getItem(PyDenseElements &self, int64_t index) {
  DenseElementsAttr attr = self.get();
  if (index < 0 || index >= attr.getNumElements())
    throw nb::index_error("attempt to access out of bounds element");
  return toNumber(self.context,
                  *std::next(attr.value_begin<Attribute>(), index));
}

static const char *formatOf(Type type) {
  if (type.isF16())
    return "e";
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  if (type.isIndex())
    return "q";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 16  ? "H"
           : type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 8 ? "B"
                                                                      : nullptr;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return "?";
  case 8:
    return isUnsigned ? "B" : "b";
  case 16:
    return isUnsigned ? "H" : "h";
  case 32:
    return isUnsigned ? "I" : "i";
  case 64:
    return isUnsigned ? "Q" : "q";
  default:
    return nullptr;
  }
}

namespace {
/// What one exported view owns: a dense copy, which also unfolds splats.
struct Exported {
  std::vector<char> data;
  std::vector<Py_ssize_t> shape, strides;
};
} // namespace

static void fill(Exported &out, DenseElementsAttr attr, size_t itemsize) {
  if (attr.getElementType().isInteger(1)) {
    for (bool flag : attr.getValues<bool>())
      out.data.push_back(flag);
    return;
  }
  ArrayRef<char> raw = attr.getRawData();
  for (int64_t i = 0, e = attr.isSplat() ? attr.getNumElements() : 1; i < e;
       ++i)
    out.data.insert(out.data.end(), raw.begin(), raw.end());
}

static int getBuffer(PyObject *object, Py_buffer *view, int flags) {
  auto &self = *nb::inst_ptr<PyDenseElements>(object);
  DenseElementsAttr attr = self.get();
  const char *format = formatOf(attr.getElementType());
  view->obj = nullptr;
  if (!format || (flags & PyBUF_WRITABLE)) {
    PyErr_SetString(PyExc_BufferError,
                    format ? "attributes are immutable"
                           : "element type has no Python buffer format");
    return -1;
  }
  size_t itemsize = format[0] == '?' ? 1
                    : attr.getElementType().isIndex()
                        ? 8
                        : attr.getElementType().getIntOrFloatBitWidth() / 8;
  auto *out = new Exported();
  fill(*out, attr, itemsize);
  out->shape.assign(attr.getType().getShape().begin(),
                    attr.getType().getShape().end());
  out->strides.resize(out->shape.size());
  Py_ssize_t stride = itemsize;
  for (size_t i = out->shape.size(); i-- > 0;) {
    out->strides[i] = stride;
    stride *= out->shape[i];
  }
  view->obj = object;
  Py_INCREF(object);
  view->buf = out->data.data();
  view->len = out->data.size();
  view->readonly = 1;
  view->itemsize = itemsize;
  view->format = (flags & PyBUF_FORMAT) ? const_cast<char *>(format) : nullptr;
  view->ndim = out->shape.size();
  view->shape = out->shape.data();
  view->strides = out->strides.data();
  view->suboffsets = nullptr;
  view->internal = out;
  return 0;
}

static void releaseBuffer(PyObject *, Py_buffer *view) {
  delete static_cast<Exported *>(view->internal);
}

static PyType_Slot bufferSlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
    {0, nullptr}};

template <typename W, typename A, typename Base>
static nb::class_<W, Base> bindKind(nb::module_ &m, const char *name) {
  nb::class_<W, Base> cls(m, name, nb::type_slots(bufferSlots));
  cls.def(
         "__init__",
         [](W *self, PyAttribute &from) {
           if (!isa<A>(from.attr))
             throw nb::value_error("Cannot cast attribute to dense elements");
           new (self) W(from);
         },
         "cast_from_attr"_a)
      .def_static(
          "isinstance", [](PyAttribute &other) { return isa<A>(other.attr); },
          "other"_a);
  return cls;
}

void tilepipe::python::bindElements(nb::module_ &m) {
  auto cls = bindKind<PyDenseElements, DenseElementsAttr, PyAttribute>(
      m, "DenseElementsAttr");
  cls.def_static(
         "get",
         [](nb::list attributes, std::optional<PyType> type, nb::object) {
           return fromAttributes(attributes, type);
         },
         "attrs"_a, "type"_a = nb::none(), "context"_a = nb::none())
      .def_static("get", &fromBuffer, "array"_a, "signless"_a = true,
                  "type"_a = nb::none(), "shape"_a = nb::none(),
                  "context"_a = nb::none())
      .def_static("get_splat", &splat, "shaped_type"_a, "element_attr"_a)
      .def_prop_ro("is_splat",
                   [](PyDenseElements &self) { return self.get().isSplat(); })
      .def("get_splat_value",
           [](PyDenseElements &self) {
             if (!self.get().isSplat())
               throw nb::value_error(
                   "get_splat_value called on a non-splat attribute");
             return toPython(self.context,
                             self.get().getSplatValue<Attribute>());
           })
      .def("__len__",
           [](PyDenseElements &self) { return self.get().getNumElements(); });
  auto ints = bindKind<PyDenseInts, DenseIntElementsAttr, PyDenseElements>(
      m, "DenseIntElementsAttr");
  ints.def("__getitem__", &getItem);
  auto floats = bindKind<PyDenseFloats, DenseFPElementsAttr, PyDenseElements>(
      m, "DenseFPElementsAttr");
  floats.def("__getitem__", &getItem);
  nb::object base = cls, i = ints, f = floats;
  Globals::get().attrCasters[TypeID::get<DenseIntOrFPElementsAttr>()] =
      nb::cpp_function([base, i, f](PyAttribute attr) {
        if (isa<DenseIntElementsAttr>(attr.attr))
          return i(attr);
        return isa<DenseFPElementsAttr>(attr.attr) ? f(attr) : base(attr);
      });
}
