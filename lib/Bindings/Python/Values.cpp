//===- Values.cpp - Bindings of values and their uses ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Sequence.h"

#include "mlir/IR/AsmState.h"
#include <nanobind/typing.h>

using namespace mlir;
using namespace tilepipe::python;

namespace {
struct PyOpOperand {
  OperationRef owner;
  unsigned number;
};

struct OperandList : Sliceable {
  OperationRef operation;
  int64_t size() { return sizeOr(operation->get()->getNumOperands()); }
  nb::object at(int64_t index) {
    Operation *op = operation->get();
    if (map(index) >= op->getNumOperands())
      throw nb::index_error("operand out of range");
    return toPython(operation->context, op->getOperand(map(index)));
  }
};

struct ResultList : Sliceable {
  OperationRef operation;
  int64_t size() { return sizeOr(operation->get()->getNumResults()); }
  nb::object at(int64_t index) {
    return toPython(operation->context,
                    Value(operation->get()->getResult(map(index))));
  }
};

struct SuccessorList : Sliceable {
  OperationRef operation;
  int64_t size() { return sizeOr(operation->get()->getNumSuccessors()); }
  nb::object at(int64_t index) {
    return nb::cast(getBlock(operation->context,
                             operation->get()->getSuccessor(map(index))));
  }
};
} // namespace

static void checkContext(PyValue &self, const ContextRef &other) {
  if (self.context() != other)
    throw nb::value_error("the two belong to different contexts");
}

//===----------------------------------------------------------------------===//
// Lists of an operation
//===----------------------------------------------------------------------===//

static void setOperand(OperandList &self, int64_t index, nb::object value) {
  int64_t size = self.size();
  if (index < 0)
    index += size;
  if (index < 0 || index >= size)
    throw nb::index_error("operand out of range");
  nb::object keepAlive;
  PyValue &operand = toValue(value, keepAlive);
  checkContext(operand, self.operation->context);
  self.operation->get()->setOperand(self.map(index), operand.get());
}

template <typename SeqT> static nb::list getTypes(SeqT &self) {
  nb::list types;
  for (int64_t i = 0, e = self.size(); i < e; ++i)
    types.append(self.at(i).attr("type"));
  return types;
}

/// A read-only property of all three kinds of operation handles.
template <typename Fn>
static void addBaseProperty(nb::module_ &m, const char *name, Fn getter) {
  nb::setattr(m.attr("_OperationBase"), name,
              nb::module_::import_("builtins")
                  .attr("property")(nb::cpp_function(getter)));
}

static void bindOperationLists(nb::module_ &m) {
  nb::class_<OperandList> operands(m, "OpOperandList");
  bindSequence(operands, "attempt to access out of bounds operand");
  operands.def("__setitem__", &setOperand)
      .def_prop_ro("types", &getTypes<OperandList>);
  nb::class_<ResultList> results(m, "OpResultList");
  bindSequence(results, "attempt to access out of bounds result");
  results.def_prop_ro("types", &getTypes<ResultList>)
      .def_prop_ro("owner", [](ResultList &self) {
        return createOpView(self.operation);
      });
  nb::class_<SuccessorList> successors(m, "OpSuccessors");
  bindSequence(successors, "attempt to access out of bounds successor");
  successors.def("__setitem__", [](SuccessorList &self, int64_t index,
                                   PyBlock block) {
    if (index < 0 || index >= self.size())
      throw nb::index_error("attempt to assign to an out of bounds successor");
    self.operation->get()->setSuccessor(block.get(), self.map(index));
  });
  addBaseProperty(m, "operands", [](PyOperationBase &self) {
    self.ref()->get();
    return OperandList{{}, self.ref()};
  });
  addBaseProperty(m, "results", [](PyOperationBase &self) {
    self.ref()->get();
    return ResultList{{}, self.ref()};
  });
  addBaseProperty(m, "successors", [](PyOperationBase &self) {
    self.ref()->get();
    return SuccessorList{{}, self.ref()};
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static std::vector<PyOpOperand> getUses(PyValue &self) {
  std::vector<PyOpOperand> uses;
  for (OpOperand &use : self.get().getUses())
    uses.push_back(
        {getHandle(self.context(), use.getOwner()), use.getOperandNumber()});
  return uses;
}

static void replaceUses(PyValue &self, nb::object with) {
  nb::object keepAlive;
  PyValue &other = toValue(with, keepAlive);
  checkContext(other, self.context());
  if (self.get() != other.get())
    self.get().replaceAllUsesWith(other.get());
}

static void replaceUsesExcept(PyValue &self, nb::object with,
                              nb::object exceptions) {
  nb::object keepAlive;
  PyValue &other = toValue(with, keepAlive);
  checkContext(other, self.context());
  SmallPtrSet<Operation *, 4> kept;
  if (nb::isinstance<PyOperationBase>(exceptions))
    kept.insert(toOperation(exceptions)->get());
  else
    for (nb::handle exception : exceptions)
      kept.insert(toOperation(exception)->get());
  if (self.get() != other.get())
    self.get().replaceAllUsesExcept(other.get(), kept);
}

static std::string getName(PyValue &self, bool localScope, bool locAsPrefix) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (localScope)
    flags.useLocalScope();
  if (locAsPrefix)
    flags.printNameLocAsPrefix();
  Value value = self.get();
  value.printAsOperand(os, safeFlags(self.owner->get(), flags));
  return text;
}

static nb::object getOwner(PyValue &self) {
  Value value = self.get();
  if (Operation *op = value.getDefiningOp())
    return toPython(self.context(), op);
  return nb::cast(PyBlock(self.owner, cast<BlockArgument>(value).getOwner()));
}

static void bindValue(nb::module_ &m) {
  m.attr("_T") = nb::type_var("_T");
  nb::class_<PyValue>(m, "Value", nb::is_generic(),
                      nb::sig("class Value(Generic[_T])"))
      .def(
          "__init__",
          [](PyValue *self, PyValue &from) { new (self) PyValue(from); },
          "value"_a)
      .def_prop_ro("context", [](PyValue &self) { return self.context(); })
      .def_prop_ro("type",
                   [](PyValue &self) {
                     return toPython(self.context(), self.get().getType());
                   })
      .def(
          "set_type",
          [](PyValue &self, PyType type) { self.get().setType(type.type); },
          "type"_a)
      .def_prop_ro("owner", &getOwner)
      .def_prop_ro("location",
                   [](PyValue &self) {
                     return PyLocation{self.context(), self.get().getLoc()};
                   })
      .def_prop_ro(
          "uses",
          [](PyValue &self) { return nb::iter(nb::cast(getUses(self))); })
      .def("get_name", &getName, "use_local_scope"_a = false,
           "use_name_loc_as_prefix"_a = true)
      .def("replace_all_uses_with", &replaceUses, "with_"_a)
      .def("replace_all_uses_except", &replaceUsesExcept, "with_"_a,
           "exceptions"_a)
      .def("maybe_downcast",
           [](PyValue &self) { return toPython(self.context(), self.get()); })
      .def_static(
          "isinstance",
          [](nb::handle other) { return nb::isinstance<PyValue>(other); },
          "other_value"_a)

      .def("__eq__", [](PyValue &a, PyValue &b) { return a.value == b.value; })
      .def(
          "__eq__", [](PyValue &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__",
           [](PyValue &self) { return size_t(hash_value(self.value)); })
      .def("__str__", [](PyValue &self) {
        std::string text;
        llvm::raw_string_ostream os(text);
        self.get().print(os, safeFlags(self.owner->get()));
        return "Value(" + text + ")";
      });
}

static void bindKinds(nb::module_ &m) {
  nb::class_<PyOpResult, PyValue>(m, "OpResult", nb::is_generic(),
                                  nb::sig("class OpResult(Value[_T])"))
      .def(
          "__init__",
          [](PyOpResult *self, PyValue &from) {
            if (!from.isResult)
              throw nb::value_error("Cannot cast value to OpResult");
            new (self) PyOpResult(from);
          },
          "value"_a)
      .def_static(
          "isinstance", [](PyValue &other) { return other.isResult; },
          "other_value"_a)
      .def_prop_ro("result_number", [](PyOpResult &self) {
        return cast<OpResult>(self.get()).getResultNumber();
      });
  nb::class_<PyBlockArgument, PyValue>(
      m, "BlockArgument", nb::is_generic(),
      nb::sig("class BlockArgument(Value[_T])"))
      .def(
          "__init__",
          [](PyBlockArgument *self, PyValue &from) {
            if (from.isResult)
              throw nb::value_error("Cannot cast value to BlockArgument");
            new (self) PyBlockArgument(from);
          },
          "value"_a)
      .def_static(
          "isinstance", [](PyValue &other) { return !other.isResult; },
          "other_value"_a)
      .def_prop_ro("arg_number",
                   [](PyBlockArgument &self) {
                     return cast<BlockArgument>(self.get()).getArgNumber();
                   })
      .def(
          "set_location",
          [](PyBlockArgument &self, PyLocation loc) {
            cast<BlockArgument>(self.get()).setLoc(loc.loc);
          },
          "loc"_a);
  nb::class_<PyOpOperand>(m, "OpOperand")
      .def_prop_ro("owner",
                   [](PyOpOperand &self) { return createOpView(self.owner); })
      .def_prop_ro("operand_number",
                   [](PyOpOperand &self) { return self.number; })
      .def_prop_ro("value", [](PyOpOperand &self) {
        Operation *op = self.owner->get();
        if (self.number >= op->getNumOperands())
          throw nb::index_error("operand out of range");
        return toPython(self.owner->context, op->getOperand(self.number));
      });
}

void tilepipe::python::bindValues(nb::module_ &m) {
  bindValue(m);
  bindKinds(m);
  bindOperationLists(m);
}
