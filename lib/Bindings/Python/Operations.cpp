//===- Operations.cpp - Bindings of operations and modules ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Creation.h"
#include "Handles.h"
#include "Printing.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilepipe::python;

using Base = PyOperationBase;

static Operation *get(Base &self) { return self.ref()->get(); }

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

static void erase(Base &self) {
  OperationRef handle = self.ref();
  Operation *op = handle->get();
  if (isUsedOutside(op))
    throw std::runtime_error("cannot erase operation '" +
                             op->getName().getStringRef().str() +
                             "': its results are still used");
  PyMLIRContext &context = *handle->context;
  invalidate(context, op, /*self=*/true);
  op->erase();
}

static nb::object detachFromParent(Base &self) {
  OperationRef handle = self.ref();
  Operation *op = handle->get();
  if (!op->getBlock())
    throw nb::value_error("Detached operation has no parent.");
  op->remove();
  refreshRoots(handle->context, op);
  return createOpView(handle);
}

static void move(Base &self, Base &other, bool after) {
  OperationRef handle = self.ref();
  Operation *op = handle->get(), *anchor = get(other);
  if (!anchor->getBlock())
    throw nb::value_error("cannot move an operation next to a detached one");
  if (op->isAncestor(anchor))
    throw nb::value_error(op == anchor
                              ? "cannot move an operation next to itself"
                              : "cannot move an operation into itself");
  // The handle may be the owner of its tree until now.
  OperationRef anchorHandle = other.ref();
  if (op->getBlock())
    op->remove();
  if (after)
    anchor->getBlock()->getOperations().insertAfter(Block::iterator(anchor),
                                                    op);
  else
    anchor->getBlock()->getOperations().insert(Block::iterator(anchor), op);
  refreshRoots(handle->context, op);
}

static nb::object cloneOp(Base &self, nb::object ip) {
  OperationRef handle = self.ref();
  OperationRef copy = adopt(handle->context, handle->get()->clone());
  if (!nb::isinstance<nb::bool_>(ip))
    if (PyInsertionPoint *point = resolveInsertionPoint(ip))
      point->insert(copy);
  return createOpView(copy);
}

static bool verifyOp(Base &self) {
  OperationRef handle = self.ref();
  DiagnosticCapture capture(handle->context);
  if (failed(verifyTree(handle->get())))
    capture.raise("Verification failed");
  capture.deliver();
  return true;
}

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

namespace {
enum class WalkAction { Advance, Interrupt, Skip };

/// Walks over handles, so that the callback may erase and insert as it likes.
struct Walker {
  nb::object callback;
  WalkOrder order;

  WalkResult visit(const OperationRef &handle) {
    nb::object result = callback(createOpView(handle));
    if (result.is_none())
      return WalkResult::advance();
    switch (nb::cast<WalkAction>(result)) {
    case WalkAction::Advance:
      return WalkResult::advance();
    case WalkAction::Interrupt:
      return WalkResult::interrupt();
    case WalkAction::Skip:
      return WalkResult::skip();
    }
    return WalkResult::advance();
  }

  WalkResult walk(const OperationRef &handle) {
    if (!handle->op)
      return WalkResult::advance();
    if (order == WalkOrder::PreOrder) {
      WalkResult result = visit(handle);
      if (result.wasInterrupted())
        return result;
      if (result.wasSkipped() || !handle->op)
        return WalkResult::advance();
    }
    std::vector<OperationRef> children;
    for (Region &region : handle->get()->getRegions())
      for (Operation &child : region.getOps())
        children.push_back(getHandle(handle->context, &child));
    for (const OperationRef &child : children)
      if (walk(child).wasInterrupted())
        return WalkResult::interrupt();
    if (order == WalkOrder::PostOrder && handle->op)
      return visit(handle);
    return WalkResult::advance();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
struct OpAttributeMap {
  OperationRef operation;
};
} // namespace

static void setAttribute(OpAttributeMap &self, const std::string &name,
                         PyAttribute attr) {
  Operation *op = self.operation->get();
  if (op->isRegistered() && name == "operandSegmentSizes")
    checkSegments(op->getName().getStringRef(), name, attr.attr,
                  op->getNumOperands());
  if (op->isRegistered() && name == "resultSegmentSizes")
    checkSegments(op->getName().getStringRef(), name, attr.attr,
                  op->getNumResults());
  Attribute old = op->getAttr(name);
  op->setAttr(name, attr.attr);
  // Properties silently drop what they cannot hold.
  if (op->getAttr(name) == attr.attr)
    return;
  if (old)
    op->setAttr(name, old);
  throw nb::value_error(("operation '" + op->getName().getStringRef().str() +
                         "' cannot hold " + printToString(attr.attr) +
                         " as its attribute '" + name + "'")
                            .c_str());
}

static std::vector<NamedAttribute> listAttributes(OpAttributeMap &self) {
  DictionaryAttr dict = self.operation->get()->getAttrDictionary();
  return {dict.begin(), dict.end()};
}

static void bindAttributeMap(nb::module_ &m) {
  using M = OpAttributeMap;
  nb::class_<M>(m, "OpAttributeMap")
      .def("__contains__",
           [](M &self, const std::string &name) {
             return bool(self.operation->get()->getAttr(name));
           })
      .def("__len__", [](M &self) { return listAttributes(self).size(); })
      .def("__getitem__",
           [](M &self, const std::string &name) {
             Attribute attr = self.operation->get()->getAttr(name);
             if (!attr)
               throw nb::key_error(
                   ("attempt to access a non-existent attribute: " + name)
                       .c_str());
             return toPython(self.operation->context, attr);
           })
      .def("__getitem__",
           [](M &self, int64_t index) {
             auto all = listAttributes(self);
             if (index < 0)
               index += all.size();
             if (index < 0 || index >= int64_t(all.size()))
               throw nb::index_error(
                   "attempt to access out-of-bounds attribute");
             return PyNamedAttribute{self.operation->context, all[index]};
           })
      .def(
          "get",
          [](M &self, const std::string &name, nb::object fallback) {
            Attribute attr = self.operation->get()->getAttr(name);
            return attr ? toPython(self.operation->context, attr) : fallback;
          },
          "key"_a, "default"_a = nb::none())
      .def("__setitem__", &setAttribute)
      .def("__delitem__",
           [](M &self, const std::string &name) {
             Operation *op = self.operation->get();
             if (!op->getAttr(name))
               throw nb::key_error(name.c_str());
             op->removeAttr(name);
           })
      .def("__iter__",
           [](M &self) {
             nb::list names;
             for (NamedAttribute attr : listAttributes(self))
               names.append(attr.getName().str());
             return nb::iter(names);
           })
      .def("keys",
           [](M &self) {
             nb::list names;
             for (NamedAttribute attr : listAttributes(self))
               names.append(attr.getName().str());
             return names;
           })
      .def("values",
           [](M &self) {
             nb::list values;
             for (NamedAttribute attr : listAttributes(self))
               values.append(
                   toPython(self.operation->context, attr.getValue()));
             return values;
           })
      .def("items", [](M &self) {
        nb::list items;
        for (NamedAttribute attr : listAttributes(self))
          items.append(nb::make_tuple(
              attr.getName().str(),
              toPython(self.operation->context, attr.getValue())));
        return items;
      });
}

//===----------------------------------------------------------------------===//
// _OperationBase
//===----------------------------------------------------------------------===//

static void bindBaseStructure(nb::class_<Base> &cls) {
  cls.def("erase", &erase)
      .def("detach_from_parent", &detachFromParent)
      .def(
          "move_before",
          [](Base &self, Base &other) { move(self, other, false); }, "other"_a)
      .def(
          "move_after",
          [](Base &self, Base &other) { move(self, other, true); }, "other"_a)
      .def(
          "is_before_in_block",
          [](Base &self, Base &other) {
            Operation *a = get(self), *b = get(other);
            if (!a->getBlock() || a->getBlock() != b->getBlock())
              throw nb::value_error("the operations are not in one block");
            return a->isBeforeInBlock(b);
          },
          "other"_a)
      .def("clone", &cloneOp, "ip"_a = nb::none())
      .def("verify", &verifyOp)
      .def(
          "walk",
          [](Base &self, nb::object callback, WalkOrder order) {
            get(self);
            Walker{callback, order}.walk(self.ref());
          },
          "callback"_a, "walk_order"_a = WalkOrder::PostOrder)
      .def_prop_ro("attached",
                   [](Base &self) { return get(self)->getBlock() != nullptr; })
      .def_prop_ro("parent",
                   [](Base &self) {
                     return toPython(self.ref()->context,
                                     get(self)->getParentOp());
                   })
      .def_prop_ro("block", [](Base &self) -> nb::object {
        Block *block = get(self)->getBlock();
        if (!block)
          return nb::none();
        return nb::cast(getBlock(self.ref()->context, block));
      });
}

static void bindBaseData(nb::class_<Base> &cls) {
  cls.def_prop_ro(
         "name",
         [](Base &self) { return get(self)->getName().getStringRef().str(); })
      .def_prop_ro("operation", [](Base &self) { return nb::cast(self.ref()); })
      .def_prop_ro("opview",
                   [](Base &self) { return createOpView(self.ref()); })
      .def_prop_ro("context", [](Base &self) { return self.ref()->context; })
      .def_prop_rw(
          "location",
          [](Base &self) {
            return PyLocation{self.ref()->context, get(self)->getLoc()};
          },
          [](Base &self, PyLocation loc) { get(self)->setLoc(loc.loc); })
      .def_prop_ro("attributes",
                   [](Base &self) { return OpAttributeMap{self.ref()}; })
      .def_prop_ro("result",
                   [](Base &self) {
                     OperationRef handle = self.ref();
                     Operation *op = handle->get();
                     if (op->getNumResults() != 1)
                       throw nb::value_error(
                           ("Cannot call .result on operation " +
                            op->getName().getStringRef().str() + " which has " +
                            std::to_string(op->getNumResults()) +
                            " results (it is only valid for operations with a "
                            "single result)")
                               .c_str());
                     return toPython(handle->context, op->getResult(0));
                   })
      .def("has_trait_terminator",
           [](Base &self) {
             return get(self)->hasTrait<OpTrait::IsTerminator>();
           })
      .def_prop_ro("is_valid",
                   [](Base &self) { return self.ref()->op != nullptr; })
      .def("__eq__",
           [](Base &a, Base &b) { return a.ref().get() == b.ref().get(); })
      .def(
          "__eq__", [](Base &, nb::object) { return false; }, nb::arg().none())
      .def("__hash__",
           [](Base &self) { return std::hash<void *>()(self.ref().get()); });
}

//===----------------------------------------------------------------------===//
// Operation, OpView, Module
//===----------------------------------------------------------------------===//

template <typename OpT>
static Operation *parseSource(nb::handle source, const ContextRef &context,
                              const std::string &name,
                              DiagnosticCapture &capture) {
  ParserConfig config(context->get());
  OwningOpRef<OpT> op;
  if (nb::isinstance<nb::bytes>(source)) {
    nb::bytes bytes = nb::cast<nb::bytes>(source);
    // The bytecode reader wants aligned memory that ends in a null.
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
        StringRef(bytes.c_str(), bytes.size()), name);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    op = parseSourceFile<OpT>(sources, config);
  } else {
    op = parseSourceString<OpT>(nb::cast<std::string>(source), config, name);
  }
  if (!op)
    capture.raise(std::is_same_v<OpT, ModuleOp>
                      ? "Unable to parse module assembly"
                      : "Unable to parse operation assembly");
  return op.release();
}

static OperationRef parseOperation(nb::handle source, const std::string &name,
                                   nb::handle context) {
  ContextRef c = resolveContext(context);
  DiagnosticCapture capture(c);
  return adopt(c, parseSource<Operation *>(source, c, name, capture));
}

static OperationRef createOperation(const std::string &name, nb::object results,
                                    nb::object operands, nb::object attributes,
                                    nb::object successors, int regions,
                                    nb::object loc, nb::object ip, bool infer) {
  Recipe recipe;
  recipe.name = name;
  if (regions < 0)
    throw nb::value_error("number of regions must be >= 0");
  recipe.regions = regions;
  recipe.attributeDict = attributes;
  recipe.successors = successors;
  recipe.inferTypes = infer;
  if (!operands.is_none())
    for (nb::handle operand : operands)
      recipe.operands.push_back(nb::borrow(operand));
  if (!results.is_none())
    for (nb::handle type : results)
      recipe.types.push_back(nb::cast<PyType &>(type).type);
  return create(recipe, loc, ip);
}

static void bindOperation(nb::module_ &m) {
  nb::class_<PyOperation, Base>(m, "Operation")
      .def_static(
          "create",
          [](const std::string &name, nb::object results, nb::object operands,
             nb::object attributes, nb::object successors, int regions,
             nb::object loc, nb::object ip, bool infer) {
            return createOperation(name, results, operands, attributes,
                                   successors, regions, loc, ip, infer);
          },
          "name"_a, "results"_a = nb::none(), "operands"_a = nb::none(),
          "attributes"_a = nb::none(), "successors"_a = nb::none(),
          "regions"_a = 0, "loc"_a = nb::none(), "ip"_a = nb::none(),
          "infer_type"_a = false)
      .def_static(
          "parse",
          [](nb::object source, const std::string &name, nb::object context) {
            return createOpView(parseOperation(source, name, context));
          },
          "source"_a, nb::kw_only(), "source_name"_a = "",
          "context"_a = nb::none());
}

static void initOpView(PyOpView *self, const std::string &name,
                       nb::object regionSpec, nb::object operandSegments,
                       nb::object resultSegments, nb::object attributes,
                       nb::object results, nb::object operands,
                       nb::object successors, nb::object regions,
                       nb::object loc, nb::object ip) {
  new (self) PyOpView(createFromOds({name, regionSpec, operandSegments,
                                     resultSegments, attributes, results,
                                     operands, successors, regions, loc, ip}));
}

static nb::object buildGeneric(nb::handle cls, nb::object results,
                               nb::object operands, nb::object attributes,
                               nb::object successors, nb::object regions,
                               nb::object loc, nb::object ip) {
  nb::object operandSegments = cls.attr("_ODS_OPERAND_SEGMENTS");
  nb::object resultSegments = cls.attr("_ODS_RESULT_SEGMENTS");
  nb::object regionSpec = cls.attr("_ODS_REGIONS");
  OperationRef operation =
      createFromOds({nb::cast<std::string>(cls.attr("OPERATION_NAME")),
                     regionSpec, operandSegments, resultSegments, attributes,
                     results, operands, successors, regions, loc, ip});
  return createOpView(operation);
}

static void bindOpView(nb::module_ &m) {
  nb::class_<PyOpView, Base> cls(m, "OpView", nb::dynamic_attr());
  cls.def(
         "__init__",
         [](PyOpView *self, PyOperation &operation) {
           new (self) PyOpView(operation.ref());
         },
         "operation"_a)
      .def("__init__", &initOpView, "name"_a, "opRegionSpec"_a,
           "operandSegmentSpecObj"_a.none() = nb::none(),
           "resultSegmentSpecObj"_a.none() = nb::none(),
           "attributes"_a = nb::none(), "results"_a = nb::none(),
           "operands"_a = nb::none(), "successors"_a = nb::none(),
           "regions"_a = nb::none(), "loc"_a = nb::none(), "ip"_a = nb::none())
      .def_static("_build_generic", &buildGeneric, "cls"_a,
                  "results"_a = nb::none(), "operands"_a = nb::none(),
                  "attributes"_a = nb::none(), "successors"_a = nb::none(),
                  "regions"_a = nb::none(), "loc"_a = nb::none(),
                  "ip"_a = nb::none())
      .def_static(
          "_parse",
          [](nb::object cls, nb::object source, const std::string &name,
             nb::object context) {
            nb::object view =
                createOpView(parseOperation(source, name, context));
            if (!nb::cast<bool>(nb::module_::import_("builtins")
                                    .attr("isinstance")(view, cls)))
              throw nb::value_error(
                  ("Expected a '" +
                   nb::cast<std::string>(cls.attr("OPERATION_NAME")) +
                   "' op, got: '" + nb::cast<std::string>(view.attr("name")) +
                   "'")
                      .c_str());
            return view;
          },
          "cls"_a, "source"_a, nb::kw_only(), "source_name"_a = "",
          "context"_a = nb::none());
  cls.attr("_ODS_OPERAND_SEGMENTS") = nb::none();
  cls.attr("_ODS_RESULT_SEGMENTS") = nb::none();
  cls.attr("_ODS_REGIONS") = nb::make_tuple(0, true);
}

static nb::object parseModule(nb::handle source, nb::handle context,
                              const std::string &name) {
  ContextRef c = resolveContext(context);
  DiagnosticCapture capture(c);
  return nb::cast(
      PyModule(adopt(c, parseSource<ModuleOp>(source, c, name, capture))));
}

static nb::object parseModuleFile(const std::string &path, nb::handle context) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    throw nb::value_error(
        ("cannot read '" + path + "': " + buffer.getError().message()).c_str());
  StringRef text = (*buffer)->getBuffer();
  return parseModule(nb::bytes(text.data(), text.size()), context, path);
}

static void bindModule(nb::module_ &m) {
  nb::class_<PyModule, Base>(m, "Module")
      .def_static(
          "parse",
          [](nb::object source, nb::object context, const std::string &name) {
            return parseModule(source, context, name);
          },
          "asm"_a, "context"_a = nb::none(), "source_name"_a = "")
      .def_static(
          "parseFile",
          [](nb::object path, nb::object context) {
            return parseModuleFile(nb::cast<std::string>(nb::str(path)),
                                   context);
          },
          "path"_a, "context"_a = nb::none())
      .def_static(
          "create",
          [](nb::object loc) {
            PyLocation location = resolveLocation(loc);
            return PyModule(
                adopt(location.context, ModuleOp::create(location.loc)));
          },
          "loc"_a = nb::none())
      .def_static(
          "from_operation",
          [](Base &operation) {
            if (!isa<ModuleOp>(get(operation)))
              throw nb::value_error("the operation is not a builtin.module");
            return PyModule(operation.ref());
          },
          "operation"_a)
      .def_prop_ro("body", [](PyModule &self) {
        OperationRef handle = self.ref();
        Region &region = handle->get()->getRegion(0);
        if (region.empty())
          throw std::runtime_error("the module has no body");
        return PyBlock(handle, &region.front());
      });
}

void tilepipe::python::bindOperations(nb::module_ &m) {
  nb::enum_<WalkOrder>(m, "WalkOrder")
      .value("PRE_ORDER", WalkOrder::PreOrder)
      .value("POST_ORDER", WalkOrder::PostOrder);
  nb::enum_<WalkAction>(m, "WalkResult")
      .value("ADVANCE", WalkAction::Advance)
      .value("INTERRUPT", WalkAction::Interrupt)
      .value("SKIP", WalkAction::Skip);
  bindAttributeMap(m);
  nb::class_<Base> base(m, "_OperationBase");
  bindBaseStructure(base);
  bindBaseData(base);
  bindPrinting(base);
  bindOperation(m);
  bindOpView(m);
  bindModule(m);
}
