//===- Regions.cpp - Bindings of regions and blocks -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Sequence.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilepipe::python;

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
struct RegionSequence : Sliceable {
  OperationRef operation;
  int64_t size() { return sizeOr(operation->get()->getNumRegions()); }
  nb::object at(int64_t index) {
    return nb::cast(PyRegion{operation, unsigned(map(index))});
  }
};

struct BlockList : Sliceable {
  PyRegion region;
  int64_t size() { return sizeOr(region.get().getBlocks().size()); }
  nb::object at(int64_t index) {
    return nb::cast(
        PyBlock(region.owner, &*std::next(region.get().begin(), map(index))));
  }
};

struct ArgumentList : Sliceable {
  PyBlock block;
  int64_t size() { return sizeOr(block.get()->getNumArguments()); }
  nb::object at(int64_t index) {
    Block *raw = block.get();
    int64_t number = map(index);
    if (number >= int64_t(raw->getNumArguments()))
      throw nb::index_error("block argument out of range");
    return toPython(block.owner->context, Value(raw->getArgument(number)));
  }
};

struct OperationList {
  PyBlock block;
};

/// The next operation is fetched first, so that the last one may be erased.
struct OperationIterator {
  ContextRef context;
  OperationRef next;
};
} // namespace

static nb::object advance(OperationIterator &self) {
  if (!self.next)
    throw nb::stop_iteration();
  OperationRef current = self.next;
  Operation *following = current->get()->getNextNode();
  self.next = following ? getHandle(self.context, following) : nullptr;
  return createOpView(current);
}

static OperationIterator iterate(PyBlock &block) {
  Block *raw = block.get();
  const ContextRef &context = block.owner->context;
  return {context, raw->empty() ? nullptr : getHandle(context, &raw->front())};
}

static nb::object getOperation(PyBlock &block, int64_t index) {
  Block *raw = block.get();
  int64_t size = raw->getOperations().size();
  if (index < 0)
    index += size;
  if (index < 0 || index >= size)
    throw nb::index_error("attempt to access out of bounds operation");
  return toPython(block.owner->context, &*std::next(raw->begin(), index));
}

static void bindLists(nb::module_ &m) {
  nb::class_<RegionSequence> regions(m, "RegionSequence");
  bindSequence(regions, "attempt to access out of bounds region");
  nb::class_<BlockList> blocks(m, "BlockList");
  bindSequence(blocks, "attempt to access out of bounds block");
  nb::class_<ArgumentList> arguments(m, "BlockArgumentList");
  bindSequence(arguments, "attempt to access out of bounds block argument");
  arguments.def_prop_ro("types", [](ArgumentList &self) {
    nb::list types;
    for (int64_t i = 0, e = self.size(); i < e; ++i)
      types.append(self.at(i).attr("type"));
    return types;
  });
  nb::class_<OperationIterator>(m, "OperationIterator")
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", &advance);
  nb::class_<OperationList>(m, "OperationList")
      .def("__len__",
           [](OperationList &self) {
             return self.block.get()->getOperations().size();
           })
      .def("__getitem__",
           [](OperationList &self, int64_t index) {
             return getOperation(self.block, index);
           })
      .def("__getitem__",
           [](OperationList &self, nb::slice slice) {
             auto [start, stop, step, count] =
                 slice.compute(self.block.get()->getOperations().size());
             nb::list picked;
             for (size_t i = 0; i < count; ++i)
               picked.append(
                   getOperation(self.block, start + int64_t(i) * step));
             return picked;
           })
      .def("__iter__", [](OperationList &self) { return iterate(self.block); });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static PyBlock insertBlock(PyRegion &region, Region::iterator where,
                           nb::handle types, nb::handle locs) {
  std::vector<PyType> argTypes;
  for (nb::handle type : types)
    argTypes.push_back(nb::cast<PyType>(type));
  SmallVector<Location> argLocs;
  if (!locs.is_none())
    for (nb::handle loc : locs)
      argLocs.push_back(nb::cast<PyLocation &>(loc).loc);
  else if (!argTypes.empty())
    argLocs.assign(argTypes.size(), resolveLocation(nb::none()).loc);
  if (argLocs.size() != argTypes.size())
    throw nb::value_error(("Expected " + std::to_string(argTypes.size()) +
                           " locations, got: " + std::to_string(argLocs.size()))
                              .c_str());
  auto *block = new Block();
  for (auto [type, loc] : llvm::zip(argTypes, argLocs))
    block->addArgument(type.type, loc);
  region.get().getBlocks().insert(where, block);
  return PyBlock(region.owner, block);
}

static PyRegion getRegion(PyBlock &self) {
  return {self.owner, self.get()->getParent()->getRegionNumber()};
}

static PyBlock createBeside(PyBlock &self, nb::args types, nb::handle locs,
                            bool after) {
  PyRegion region = getRegion(self);
  Region::iterator where(self.get());
  return insertBlock(region, after ? std::next(where) : where, types, locs);
}

static void appendTo(PyBlock &self, PyRegion &region) {
  Block *block = self.get();
  Region &target = region.get();
  for (Operation *up = target.getParentOp(); up; up = up->getParentOp())
    if (up->getBlock() == block)
      throw nb::value_error("cannot move a block into itself");
  block->getParent()->getBlocks().remove(block);
  target.push_back(block);
  ++self.owner->regionEpoch;
  ++region.owner->regionEpoch;
  self = PyBlock(region.owner, block);
  for (Operation &op : *block)
    refreshRoots(self.owner->context, &op);
}

static void eraseBlock(PyBlock &self) {
  Block *block = self.get();
  if (isUsedOutside(block))
    throw std::runtime_error("cannot erase the block: it is still used");
  PyMLIRContext &context = *self.owner->context;
  for (Operation &op : *block)
    invalidate(context, &op, /*self=*/true);
  ++self.owner->regionEpoch;
  block->dropAllReferences();
  block->erase();
}

static void eraseArgument(PyBlock &self, unsigned index) {
  Block *block = self.get();
  if (index >= block->getNumArguments())
    throw nb::index_error("block argument out of range");
  if (!block->getArgument(index).use_empty())
    throw std::runtime_error("cannot erase block argument " +
                             std::to_string(index) + ": it is still used");
  ++self.owner->regionEpoch;
  block->eraseArgument(index);
}

static std::vector<PyBlock> neighbours(PyBlock &self, bool successors) {
  std::vector<PyBlock> result;
  Block *block = self.get();
  auto add = [&](Block *other) {
    result.push_back(getBlock(self.owner->context, other));
  };
  if (successors)
    llvm::for_each(block->getSuccessors(), add);
  else
    llvm::for_each(block->getPredecessors(), add);
  return result;
}

static void bindBlock(nb::module_ &m) {
  nb::class_<PyBlock>(m, "Block")
      .def_prop_ro("owner",
                   [](PyBlock &self) {
                     self.get();
                     return createOpView(self.owner);
                   })
      .def_prop_ro("region", &getRegion)
      .def_prop_ro("arguments",
                   [](PyBlock &self) {
                     self.get();
                     return ArgumentList{{}, self};
                   })
      .def(
          "add_argument",
          [](PyBlock &self, PyType type, PyLocation loc) {
            return toPython(self.owner->context,
                            Value(self.get()->addArgument(type.type, loc.loc)));
          },
          "type"_a, "loc"_a)
      .def(
          "insert_argument",
          [](PyBlock &self, unsigned index, PyType type, PyLocation loc) {
            if (index > self.get()->getNumArguments())
              throw nb::index_error("block argument out of range");
            return toPython(
                self.owner->context,
                Value(self.get()->insertArgument(index, type.type, loc.loc)));
          },
          "index"_a, "type"_a, "loc"_a)
      .def("erase_argument", &eraseArgument, "index"_a)
      .def_prop_ro("operations",
                   [](PyBlock &self) {
                     self.get();
                     return OperationList{self};
                   })
      .def_static(
          "create_at_start",
          [](PyRegion parent, nb::object types, nb::object locs) {
            return insertBlock(parent, parent.get().begin(), types, locs);
          },
          "parent"_a, "arg_types"_a = nb::make_tuple(),
          "arg_locs"_a = nb::none())
      .def("append_to", &appendTo, "region"_a)
      .def("erase", &eraseBlock)
      .def(
          "create_before",
          [](PyBlock &self, nb::args types, nb::object locs) {
            return createBeside(self, types, locs, false);
          },
          "arg_types"_a, nb::kw_only(), "arg_locs"_a = nb::none())
      .def(
          "create_after",
          [](PyBlock &self, nb::args types, nb::object locs) {
            return createBeside(self, types, locs, true);
          },
          "arg_types"_a, nb::kw_only(), "arg_locs"_a = nb::none())
      .def(
          "append",
          [](PyBlock &self, PyOperationBase &operation) {
            OperationRef handle = operation.ref();
            Operation *op = handle->get();
            Block *block = self.get();
            for (Operation *up = block->getParentOp(); up;
                 up = up->getParentOp())
              if (up == op)
                throw nb::value_error("cannot append an operation to itself");
            if (op->getBlock())
              op->remove();
            block->push_back(op);
            refreshRoots(handle->context, op);
          },
          "operation"_a)
      .def_prop_ro("successors",
                   [](PyBlock &self) { return neighbours(self, true); })
      .def_prop_ro("predecessors",
                   [](PyBlock &self) { return neighbours(self, false); })
      .def("__iter__", &iterate)
      .def("__eq__", [](PyBlock &a, PyBlock &b) { return a.block == b.block; })
      .def(
          "__eq__", [](PyBlock &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__",
           [](PyBlock &self) { return std::hash<void *>()(self.block); })
      .def("__str__", [](PyBlock &self) {
        Block *block = self.get();
        Operation *owner = self.owner->get();
        AsmState state(owner, safeFlags(owner));
        std::string text;
        llvm::raw_string_ostream os(text);
        block->print(os, state);
        return text;
      });
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static void bindRegion(nb::module_ &m) {
  nb::class_<PyRegion>(m, "Region")
      .def_prop_ro("blocks", [](PyRegion &self) { return BlockList{{}, self}; })
      .def_prop_ro("owner",
                   [](PyRegion &self) {
                     self.get();
                     return createOpView(self.owner);
                   })
      .def("__iter__",
           [](PyRegion &self) {
             nb::list blocks;
             for (Block &block : self.get())
               blocks.append(nb::cast(PyBlock(self.owner, &block)));
             return nb::iter(blocks);
           })
      .def("__eq__",
           [](PyRegion &a, PyRegion &b) { return &a.get() == &b.get(); })
      .def(
          "__eq__", [](PyRegion &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__", [](PyRegion &self) {
        return std::hash<void *>()(self.owner.get()) + self.index;
      });
  nb::handle list = m.attr("BlockList");
  nb::cpp_function_def(
      [](BlockList &self, nb::args types, nb::object locs) {
        return insertBlock(self.region, self.region.get().end(), types, locs);
      },
      nb::scope(list), nb::name("append"), nb::is_method(), "args"_a,
      nb::kw_only(), "arg_locs"_a = nb::none());
  nb::handle base = m.attr("_OperationBase");
  base.attr("regions") =
      nb::module_::import_("builtins")
          .attr("property")(nb::cpp_function([](PyOperationBase &self) {
            self.ref()->get();
            return RegionSequence{{}, self.ref()};
          }));
}

//===----------------------------------------------------------------------===//
// Insertion points
//===----------------------------------------------------------------------===//

static PyInsertionPoint beforeOperation(Operation *op,
                                        const OperationRef &handle) {
  if (!op->getBlock())
    throw nb::value_error(
        "cannot insert next to an operation that is in no block");
  return {handle, getBlock(handle->context, op->getBlock())};
}

static PyInsertionPoint afterOperation(PyOperationBase &base) {
  OperationRef handle = base.ref();
  Operation *op = handle->get();
  if (Operation *next = op->getBlock() ? op->getNextNode() : nullptr)
    return beforeOperation(next, getHandle(handle->context, next));
  PyInsertionPoint point = beforeOperation(op, handle);
  point.before = nullptr;
  return point;
}

static void bindInsertionPoint(nb::module_ &m) {
  using IP = PyInsertionPoint;
  nb::class_<IP>(m, "InsertionPoint")
      .def(
          "__init__",
          [](IP *self, PyBlock &block) {
            block.get();
            new (self) IP{nullptr, block};
          },
          "block"_a)
      .def(
          "__init__",
          [](IP *self, PyOperationBase &op) {
            new (self) IP(beforeOperation(op.ref()->get(), op.ref()));
          },
          "beforeOperation"_a)
      .def_static(
          "at_block_begin",
          [](PyBlock &block) {
            Block *raw = block.get();
            if (raw->empty())
              return IP{nullptr, block};
            return IP{getHandle(block.owner->context, &raw->front()), block};
          },
          "block"_a)
      .def_static(
          "at_block_terminator",
          [](PyBlock &block) {
            Block *raw = block.get();
            if (raw->empty() ||
                !raw->back().mightHaveTrait<OpTrait::IsTerminator>())
              throw nb::value_error("Block has no terminator");
            return IP{getHandle(block.owner->context, &raw->back()), block};
          },
          "block"_a)
      .def_static("after", &afterOperation, "op"_a)
      .def(
          "insert",
          [](IP &self, PyOperationBase &op) { self.insert(op.ref()); },
          "operation"_a)
      .def_prop_ro("block",
                   [](IP &self) {
                     self.block.get();
                     return self.block;
                   })
      .def_prop_ro("ref_operation",
                   [](IP &self) -> nb::object {
                     return self.before ? createOpView(self.before)
                                        : nb::none();
                   })
      .def_prop_ro_static(
          "current",
          [](nb::handle) {
            Frame *frame = currentFrame();
            if (!frame || !frame->insertionPoint.is_valid())
              throw nb::value_error("No current InsertionPoint");
            return frame->insertionPoint;
          },
          nb::sig("def current(/) -> InsertionPoint"))
      .def("__enter__",
           [](nb::object self) {
             ContextRef context = nb::cast<IP &>(self).block.owner->context;
             pushFrame(self, context, nullptr, self);
             return self;
           })
      .def(
          "__exit__",
          [](nb::handle self, nb::handle, nb::handle, nb::handle) {
            popFrame(self);
          },
          "type"_a.none(), "value"_a.none(), "traceback"_a.none());
}

void tilepipe::python::bindRegions(nb::module_ &m) {
  bindLists(m);
  bindBlock(m);
  bindRegion(m);
  bindInsertionPoint(m);
}
