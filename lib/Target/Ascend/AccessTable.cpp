//===- AccessTable.cpp - What the instructions of a function use ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

AccessTable::AccessTable(FuncOp function) : function(function) {
  function.walk([&](PipeOpInterface op) {
    SmallVector<PipeAccess> list;
    op.getPipeAccesses([](Value) { return std::nullopt; }, list);
    for (const PipeAccess &access : list) {
      BufferView view = resolveBuffer(access.buffer);
      accesses[view.root].push_back({op, op.getPipe(), access.write, view});
      byOp[op].push_back({op, op.getPipe(), access.write, view});
    }
  });
}

int64_t AccessTable::getVersions(Value buffer) const {
  auto type = cast<MemRefType>(buffer.getType());
  for (const Access &access : accesses.lookup(buffer))
    if (!access.view.slot)
      return 1;
  return type.getRank() ? type.getDimSize(0) : 1;
}

/// True if two buffers have bytes in common.
static bool shareBytes(Value a, Value b) {
  auto first = a.getDefiningOp<tile::AllocOp>();
  auto second = b.getDefiningOp<tile::AllocOp>();
  if (!first || !second || !first.getOffset() || !second.getOffset() ||
      first.getType().getMemorySpace() != second.getType().getMemorySpace())
    return false;
  auto end = [](tile::AllocOp alloc) {
    return int64_t(*alloc.getOffset()) +
           getByteSize(alloc.getType()).value_or(0);
  };
  return int64_t(*first.getOffset()) < end(second) &&
         int64_t(*second.getOffset()) < end(first);
}

SmallVector<BufferGroup> AccessTable::makeGroups() const {
  FuncOp function = getFunction();
  SmallVector<BufferGroup> groups;
  for (auto &[buffer, list] : accesses) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    if (argument &&
        function.getArgAttr(argument.getArgNumber(), "ascend.workspace"))
      continue;
    // Global memory that is only read needs no order.
    if (argument &&
        llvm::none_of(list, [](const Access &a) { return a.write; }))
      continue;
    BufferGroup group;
    group.buffers.insert(buffer);
    group.versions = argument ? 1 : getVersions(buffer);
    groups.push_back(group);
  }
  // Buffers with common bytes are one.
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = i + 1; j < groups.size();) {
      bool shared = llvm::any_of(groups[i].buffers, [&](Value a) {
        return llvm::any_of(groups[j].buffers,
                            [&](Value b) { return shareBytes(a, b); });
      });
      if (!shared) {
        ++j;
        continue;
      }
      groups[i].buffers.insert_range(groups[j].buffers);
      groups[i].versions = 1;
      groups.erase(groups.begin() + j);
      j = i + 1;
    }
  llvm::erase_if(groups, [&](const BufferGroup &group) {
    llvm::SmallDenseSet<int> pipes;
    for (Value buffer : group.buffers)
      for (const Access &access : accesses.lookup(buffer))
        pipes.insert(int(access.pipe));
    return pipes.size() < 2;
  });
  // Buffers that are used alike share flags.
  for (size_t i = 0; i < groups.size(); ++i) {
    Signature signature = getSignature(groups[i]);
    for (size_t j = i + 1; j < groups.size();) {
      BufferGroup merged = groups[i];
      merged.buffers.insert_range(groups[j].buffers);
      if (groups[i].versions != groups[j].versions ||
          getSignature(groups[j]) != signature ||
          getSignature(merged) != signature) {
        ++j;
        continue;
      }
      groups[i] = merged;
      groups.erase(groups.begin() + j);
    }
  }
  return groups;
}

SmallVector<GroupItem> AccessTable::getItems(Block &block,
                                             const BufferGroup &group) const {
  SmallVector<GroupItem> items;
  for (Operation &op : block) {
    std::optional<GroupItem> item;
    bool mixed = false;
    op.walk([&](Operation *inner) {
      for (const Access &access : byOp.lookup(inner)) {
        if (!group.buffers.contains(access.view.root))
          continue;
        Value slot = group.versions > 1 ? access.view.slot : Value();
        // A version that is chosen inside belongs to what is inside.
        bool inside = group.versions > 1 && inner != &op && access.view.view &&
                      op.isProperAncestor(access.view.view);
        if (!item)
          item = GroupItem{&op, access.pipe, slot};
        mixed |= item->pipe != access.pipe || item->slot != slot || inside;
      }
    });
    if (!item)
      continue;
    if (mixed)
      item->pipe = std::nullopt;
    items.push_back(*item);
  }
  return items;
}

bool AccessTable::hasOneVersionEach(const BufferGroup &group) const {
  for (auto &[op, list] : byOp) {
    Value slot;
    for (const Access &access : list) {
      if (!group.buffers.contains(access.view.root))
        continue;
      if (slot && slot != access.view.slot)
        return false;
      slot = access.view.slot;
    }
  }
  return true;
}

void AccessTable::addSignature(Block &block, const BufferGroup &group,
                               Signature &signature) const {
  for (const GroupItem &item : getItems(block, group)) {
    if (!item.pipe) {
      for (Region &region : item.op->getRegions())
        for (Block &inner : region)
          addSignature(inner, group, signature);
      continue;
    }
    auto entry = std::make_tuple(&block, int(*item.pipe),
                                 item.slot.getAsOpaquePointer());
    if (signature.empty() || signature.back() != entry)
      signature.push_back(entry);
  }
}

AccessTable::Signature
AccessTable::getSignature(const BufferGroup &group) const {
  Signature signature;
  addSignature(getFunction().getBody().front(), group, signature);
  return signature;
}

Operation *ascend::insertFlag(OpBuilder &b, Location loc, bool set,
                              BufferGroup &group, Pipe from, Pipe to,
                              Value slot, int64_t offset) {
  // A version that is known needs no operand.
  if (std::optional<int64_t> version =
          slot ? getConstantIntValue(slot) : std::nullopt) {
    offset = *version;
    slot = nullptr;
  }
  auto source = PipeAttr::get(b.getContext(), from);
  auto target = PipeAttr::get(b.getContext(), to);
  IntegerAttr slots = slot ? b.getI64IntegerAttr(group.versions) : nullptr;
  IntegerAttr id = b.getI64IntegerAttr(0);
  Operation *op =
      set ? SetFlagOp::create(b, loc, source, target, id, slot, slots)
                .getOperation()
          : WaitFlagOp::create(b, loc, source, target, id, slot, slots);
  group.flags.push_back({op, from, to, offset});
  return op;
}
