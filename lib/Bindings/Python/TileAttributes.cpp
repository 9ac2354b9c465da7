//===- TileAttributes.cpp - Bindings of the tile dialect's attributes -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Model/TargetModels.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::python;

namespace {
template <typename A> struct Wrapped : PyAttribute {
  explicit Wrapped(PyAttribute base) : PyAttribute(std::move(base)) {}
  A get() const { return cast<A>(attr); }
};
struct PyToken : PyType {
  explicit PyToken(PyType base) : PyType(std::move(base)) {}
};
} // namespace

template <typename A>
static nb::class_<Wrapped<A>, PyAttribute> bindAttr(nb::module_ &m,
                                                    const char *name) {
  nb::class_<Wrapped<A>, PyAttribute> cls(m, name);
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
  Globals::get().attrCasters[TypeID::get<A>()] = cls;
  return cls;
}

/// The attribute that its own verifier accepts; throws `MLIRError` otherwise.
template <typename A, typename... Args>
static nb::object getChecked(nb::handle context, Args... args) {
  ContextRef c = resolveContext(context);
  DiagnosticCapture capture(c);
  Location unknown = UnknownLoc::get(c->get());
  A attr = A::getChecked([&] { return mlir::emitError(unknown); }, c->get(),
                         args...);
  if (!attr)
    capture.raise("Invalid attribute");
  return toPython(c, Attribute(attr));
}

static tile::MemorySpace parseSpace(const std::string &name) {
  std::optional<tile::MemorySpace> space = tile::symbolizeMemorySpace(name);
  if (!space)
    throw nb::value_error(("unknown memory space '" + name + "'").c_str());
  return *space;
}

template <typename E> static std::string toString(E value) {
  return stringifyEnum(value).str();
}

template <typename A>
static nb::list wrapAll(const ContextRef &context, ArrayRef<A> attrs) {
  nb::list list;
  for (A attr : attrs)
    list.append(toPython(context, Attribute(attr)));
  return list;
}

//===----------------------------------------------------------------------===//
// What a kernel carries
//===----------------------------------------------------------------------===//

static void bindKernelAttributes(nb::module_ &m) {
  using Space = Wrapped<tile::SpaceAttr>;
  bindAttr<tile::SpaceAttr>(m, "SpaceAttr")
      .def_static(
          "get",
          [](const std::string &name, nb::object context) {
            ContextRef c = resolveContext(context);
            return toPython(
                c, Attribute(tile::SpaceAttr::get(c->get(), parseSpace(name))));
          },
          "value"_a, "context"_a = nb::none())
      .def_prop_ro("value",
                   [](Space &a) { return toString(a.get().getValue()); });
  using Stage = Wrapped<tile::StageAttr>;
  bindAttr<tile::StageAttr>(m, "StageAttr")
      .def_static(
          "get",
          [](int64_t stage, int64_t order, nb::object context) {
            return getChecked<tile::StageAttr>(context, stage, order);
          },
          "stage"_a, "order"_a, "context"_a = nb::none())
      .def_prop_ro("stage", [](Stage &a) { return a.get().getStage(); })
      .def_prop_ro("order", [](Stage &a) { return a.get().getOrder(); });
  using Schedule = Wrapped<tile::PipelineScheduleAttr>;
  bindAttr<tile::PipelineScheduleAttr>(m, "PipelineScheduleAttr")
      .def_static(
          "get",
          [](int64_t depth, int64_t ii, nb::object context) {
            return getChecked<tile::PipelineScheduleAttr>(context, depth, ii);
          },
          "depth"_a, "ii"_a = 0, "context"_a = nb::none())
      .def_prop_ro("depth", [](Schedule &a) { return a.get().getDepth(); })
      .def_prop_ro("ii", [](Schedule &a) { return a.get().getIi(); });
  nb::class_<PyToken, PyType> token(m, "TokenType");
  token
      .def(
          "__init__",
          [](PyToken *self, PyType &from) {
            if (!isa<tile::TokenType>(from.type))
              throw nb::value_error("Cannot cast type to TokenType");
            new (self) PyToken(from);
          },
          "cast_from_type"_a)
      .def_static(
          "get",
          [](nb::object context) {
            ContextRef c = resolveContext(context);
            return toPython(c, Type(tile::TokenType::get(c->get())));
          },
          "context"_a = nb::none())
      .def_static(
          "isinstance",
          [](PyType &other) { return isa<tile::TokenType>(other.type); },
          "other"_a);
  Globals::get().typeCasters[TypeID::get<tile::TokenType>()] = token;
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

static void bindMachineParts(nb::module_ &m) {
  using Memory = Wrapped<tile::MemoryAttr>;
  bindAttr<tile::MemoryAttr>(m, "MemoryAttr")
      .def_prop_ro("space",
                   [](Memory &a) { return toString(a.get().getSpace()); })
      .def_prop_ro("capacity", [](Memory &a) { return a.get().getCapacity(); })
      .def_prop_ro("align", [](Memory &a) { return a.get().getAlign(); });
  using Transfer = Wrapped<tile::TransferAttr>;
  bindAttr<tile::TransferAttr>(m, "TransferAttr")
      .def_prop_ro("source",
                   [](Transfer &a) { return toString(a.get().getFrom()); })
      .def_prop_ro("target",
                   [](Transfer &a) { return toString(a.get().getTo()); })
      .def_prop_ro("unit", [](Transfer &a) { return a.get().getUnit().str(); })
      .def_prop_ro("is_async", [](Transfer &a) { return a.get().getAsync(); })
      .def_prop_ro("issue", [](Transfer &a) { return a.get().getIssue(); })
      .def_prop_ro("latency", [](Transfer &a) { return a.get().getLatency(); })
      .def_prop_ro("bytes_per_cycle",
                   [](Transfer &a) { return a.get().getBytesPerCycle(); });
  using Unit = Wrapped<tile::ComputeUnitAttr>;
  bindAttr<tile::ComputeUnitAttr>(m, "ComputeUnitAttr")
      .def_prop_ro("kind", [](Unit &a) { return toString(a.get().getKind()); })
      .def_prop_ro("ops_per_cycle",
                   [](Unit &a) { return a.get().getOpsPerCycle(); })
      .def_prop_ro("latency", [](Unit &a) { return a.get().getLatency(); });
}

static nb::dict getModels(nb::handle context) {
  ContextRef c = resolveContext(context);
  nb::dict models;
  for (auto &[name, target] : getTargetModels(c->get()))
    models[name.c_str()] = toPython(c, Attribute(target));
  return models;
}

static void bindTarget(nb::module_ &m) {
  using Target = Wrapped<tile::TargetAttr>;
  bindAttr<tile::TargetAttr>(m, "TargetAttr")
      .def_prop_ro("name", [](Target &a) { return a.get().getName().str(); })
      .def_prop_ro(
          "memories",
          [](Target &a) { return wrapAll(a.context, a.get().getMemories()); })
      .def_prop_ro(
          "transfers",
          [](Target &a) { return wrapAll(a.context, a.get().getTransfers()); })
      .def_prop_ro(
          "units",
          [](Target &a) { return wrapAll(a.context, a.get().getUnits()); })
      .def(
          "memory",
          [](Target &a, const std::string &space) {
            return toPython(a.context,
                            Attribute(a.get().getMemory(parseSpace(space))));
          },
          "space"_a)
      .def(
          "transfer",
          [](Target &a, const std::string &source, const std::string &target) {
            return toPython(a.context,
                            Attribute(a.get().getTransfer(parseSpace(source),
                                                          parseSpace(target))));
          },
          "source"_a, "target"_a);
  m.def(
      "get_target",
      [](nb::object object) {
        OperationRef operation = toOperation(object);
        return toPython(operation->context,
                        Attribute(tile::getTarget(operation->get())));
      },
      "operation"_a,
      "The machine that an operation is compiled for, or the neutral one");
  m.def(
      "target_models", [](nb::object context) { return getModels(context); },
      "context"_a = nb::none(), "The known machines by name");
}

void tilepipe::python::bindTileAttributes(nb::module_ &m) {
  bindKernelAttributes(m);
  bindMachineParts(m);
  bindTarget(m);
}
