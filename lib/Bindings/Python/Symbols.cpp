//===- Symbols.cpp - Bindings of symbol tables ----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tilepipe::python;

namespace {
/// Keeps no index of its own: what it says is true after any change.
struct PySymbolTable {
  OperationRef table;

  Operation *get() { return table->get(); }
  Operation *lookup(const std::string &name) {
    Operation *found = SymbolTable::lookupSymbolIn(get(), StringRef(name));
    if (!found)
      throw nb::key_error(
          ("Symbol '" + name + "' not in the symbol table.").c_str());
    return found;
  }
};
} // namespace

static void checkSymbol(Operation *op) {
  if (!op->hasAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    throw nb::value_error("Expected operation to have a symbol name.");
}

static void eraseSymbol(PySymbolTable &self, Operation *op) {
  if (op->getParentOp() != self.get())
    throw nb::value_error("the operation is not in the symbol table");
  if (isUsedOutside(op))
    throw std::runtime_error("cannot erase the symbol: its results are used");
  invalidate(*self.table->context, op, /*self=*/true);
  op->erase();
}

static nb::object insertSymbol(PySymbolTable &self, PyOperationBase &symbol) {
  OperationRef handle = symbol.ref();
  Operation *op = handle->get(), *table = self.get();
  checkSymbol(op);
  if (op->getParentOp() && op->getParentOp() != table)
    throw nb::value_error("the symbol is in another operation");
  if (op->isAncestor(table))
    throw nb::value_error("cannot insert an operation into itself");
  if (table->getRegion(0).empty())
    throw nb::value_error("the symbol table has no body");
  SymbolTable symbols(table);
  StringAttr name = symbols.insert(op);
  refreshRoots(handle->context, op);
  return toPython(handle->context, Attribute(name));
}

static nb::object getVisibility(PyOperationBase &symbol) {
  OperationRef handle = symbol.ref();
  checkSymbol(handle->get());
  auto visibility = handle->get()->getAttrOfType<StringAttr>(
      SymbolTable::getVisibilityAttrName());
  if (!visibility)
    visibility = StringAttr::get(handle->context->get(), "public");
  return toPython(handle->context, Attribute(visibility));
}

static void setVisibility(PyOperationBase &symbol,
                          const std::string &visibility) {
  Operation *op = symbol.ref()->get();
  checkSymbol(op);
  if (visibility != "public" && visibility != "private" &&
      visibility != "nested")
    throw nb::value_error(
        "Expected visibility to be 'public', 'private' or 'nested'");
  if (visibility == "public")
    op->removeAttr(SymbolTable::getVisibilityAttrName());
  else
    op->setAttr(SymbolTable::getVisibilityAttrName(),
                StringAttr::get(op->getContext(), visibility));
}

static void replaceUses(const std::string &oldName, const std::string &newName,
                        PyOperationBase &from) {
  Operation *op = from.ref()->get();
  MLIRContext *context = op->getContext();
  if (failed(SymbolTable::replaceAllSymbolUses(
          StringAttr::get(context, oldName), StringAttr::get(context, newName),
          op)))
    throw std::runtime_error("Symbol rename failed");
}

static void walkTables(PyOperationBase &from, bool allVisible,
                       nb::object callback) {
  OperationRef handle = from.ref();
  std::vector<std::pair<OperationRef, bool>> tables;
  SymbolTable::walkSymbolTables(
      handle->get(), allVisible, [&](Operation *table, bool visible) {
        tables.emplace_back(getHandle(handle->context, table), visible);
      });
  for (auto &[table, visible] : tables)
    if (table->op)
      callback(createOpView(table), visible);
}

void tilepipe::python::bindSymbols(nb::module_ &m) {
  nb::class_<PySymbolTable>(m, "SymbolTable")
      .def(
          "__init__",
          [](PySymbolTable *self, PyOperationBase &op) {
            if (!op.ref()->get()->hasTrait<OpTrait::SymbolTable>())
              throw nb::type_error("Operation is not a Symbol Table.");
            new (self) PySymbolTable{op.ref()};
          },
          "symbol_table"_a)
      .def("__getitem__",
           [](PySymbolTable &self, const std::string &name) {
             return toPython(self.table->context, self.lookup(name));
           })
      .def("__contains__",
           [](PySymbolTable &self, const std::string &name) {
             return bool(
                 SymbolTable::lookupSymbolIn(self.get(), StringRef(name)));
           })
      .def("__delitem__",
           [](PySymbolTable &self, const std::string &name) {
             eraseSymbol(self, self.lookup(name));
           })
      .def("insert", &insertSymbol, "operation"_a)
      .def(
          "erase",
          [](PySymbolTable &self, PyOperationBase &op) {
            eraseSymbol(self, op.ref()->get());
          },
          "operation"_a)
      .def_static(
          "set_symbol_name",
          [](PyOperationBase &symbol, const std::string &name) {
            Operation *op = symbol.ref()->get();
            checkSymbol(op);
            SymbolTable::setSymbolName(op, StringRef(name));
          },
          "symbol"_a, "name"_a)
      .def_static(
          "get_symbol_name",
          [](PyOperationBase &symbol) {
            OperationRef handle = symbol.ref();
            checkSymbol(handle->get());
            return toPython(
                handle->context,
                handle->get()->getAttr(SymbolTable::getSymbolAttrName()));
          },
          "symbol"_a)
      .def_static("get_visibility", &getVisibility, "symbol"_a)
      .def_static("set_visibility", &setVisibility, "symbol"_a, "visibility"_a)
      .def_static("replace_all_symbol_uses", &replaceUses, "old_symbol"_a,
                  "new_symbol"_a, "from_op"_a)
      .def_static("walk_symbol_tables", &walkTables, "from_op"_a,
                  "all_sym_uses_visible"_a, "callback"_a);
}
