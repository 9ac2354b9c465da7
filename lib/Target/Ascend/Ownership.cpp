//===- Ownership.cpp - Buffers that pass from pipe to pipe ------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

//===----------------------------------------------------------------------===//
// Accesses and groups
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Groups with versions
//===----------------------------------------------------------------------===//

/// Inserts a flag whose id is given later.
static Operation *insertFlag(OpBuilder &b, Location loc, bool set,
                             BufferGroup &group, Pipe from, Pipe to, Value slot,
                             int64_t offset = 0) {
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

/// Uses of one version that follow each other in a block, in all blocks.
static bool collectEpochs(const AccessTable &table, Block &block,
                          const BufferGroup &group,
                          SmallVectorImpl<Epoch> &epochs) {
  size_t start = epochs.size();
  for (const GroupItem &item : table.getItems(block, group)) {
    if (item.pipe) {
      if (epochs.size() > start && epochs.back().last->getBlock() == &block &&
          epochs.back().pipe == *item.pipe && epochs.back().slot == item.slot)
        epochs.back().last = item.op;
      else
        epochs.push_back({item.op, item.op, *item.pipe, item.slot});
      continue;
    }
    if (item.op->getNumRegions() == 0)
      return false;
    for (Region &region : item.op->getRegions())
      for (Block &inner : region)
        if (!collectEpochs(table, inner, group, epochs))
          return false;
  }
  return true;
}

namespace {

/// Which pipes have a version before and after a use of it, on any path.
struct Neighbours {
  llvm::SmallSetVector<Pipe, 4> before, after;
  /// It is the first use of the version, or the last one, on some path.
  bool first = false, last = false;

  /// The one pipe other than `own` among `pipes`, if there is one; failure if
  /// there are several, or `own` as well.
  static FailureOr<std::optional<Pipe>>
  getOther(const llvm::SmallSetVector<Pipe, 4> &pipes, Pipe own) {
    if (pipes.empty() || (pipes.size() == 1 && pipes[0] == own))
      return std::optional<Pipe>();
    if (pipes.size() > 1)
      return failure();
    return std::optional<Pipe>(pipes[0]);
  }
};

/// What flags each use of a version takes.
struct VersionPlan {
  SmallVector<Epoch> epochs;
  SmallVector<std::optional<Pipe>> waits, sets;
  /// The flag that all versions have at the start and at the end: from, to.
  std::optional<std::pair<Pipe, Pipe>> rest;

  LogicalResult decide(ArrayRef<Neighbours> neighbours);
};

} // namespace

/// Follows every version along the control paths.
static SmallVector<Neighbours> traceVersions(ArrayRef<Epoch> epochs,
                                             PipeModel &model) {
  SmallVector<Neighbours> neighbours(epochs.size());
  DenseMap<Operation *, size_t> indices;
  ModelTrace trace;
  for (auto [i, epoch] : llvm::enumerate(epochs)) {
    indices[epoch.first] = i;
    trace.watched.insert(epoch.first);
  }
  DenseMap<int64_t, size_t> latest;
  auto visit = [&](Operation *op, IndexEvaluator evaluate) {
    size_t now = indices.lookup(op);
    std::optional<int64_t> version = evaluate(epochs[now].slot);
    if (!version)
      return;
    auto [it, isFirst] = latest.insert({*version, now});
    if (isFirst) {
      neighbours[now].first = true;
      return;
    }
    neighbours[now].before.insert(epochs[it->second].pipe);
    neighbours[it->second].after.insert(epochs[now].pipe);
    it->second = now;
  };
  auto endOfPath = [&] {
    for (auto [version, epoch] : latest)
      neighbours[epoch].last = true;
    latest.clear();
  };
  trace.visit = visit;
  trace.endOfPath = endOfPath;
  model.run(trace);
  return neighbours;
}

LogicalResult VersionPlan::decide(ArrayRef<Neighbours> neighbours) {
  for (auto [epoch, around] : llvm::zip(epochs, neighbours)) {
    auto before = Neighbours::getOther(around.before, epoch.pipe);
    auto after = Neighbours::getOther(around.after, epoch.pipe);
    if (failed(before) || failed(after))
      return failure();
    waits.push_back(*before);
    sets.push_back(*after);
    // A use that is the first one on one path, and waits on another, waits
    // always: for a flag that is there from the start. Likewise at the end.
    std::pair<Pipe, Pipe> flag;
    if (around.first && *before)
      flag = {**before, epoch.pipe};
    else if (around.last && *after)
      flag = {epoch.pipe, **after};
    else
      continue;
    if (rest && *rest != flag)
      return failure();
    rest = flag;
  }
  if (!rest)
    return success();
  for (auto [i, around] : llvm::enumerate(neighbours)) {
    if (around.first) {
      if (epochs[i].pipe != rest->second ||
          around.before.contains(rest->second))
        return failure();
      waits[i] = rest->first;
    }
    if (around.last) {
      if (epochs[i].pipe != rest->first || around.after.contains(rest->first))
        return failure();
      sets[i] = rest->second;
    }
  }
  return success();
}

bool ascend::insertVersionFlags(const AccessTable &table, PipeModel &model,
                                BufferGroup &group) {
  Block &body = table.getFunction().getBody().front();
  VersionPlan plan;
  if (!table.hasOneVersionEach(group) ||
      !collectEpochs(table, body, group, plan.epochs) ||
      failed(plan.decide(traceVersions(plan.epochs, model))))
    return false;
  OpBuilder b(&body, body.begin());
  Location loc = plan.epochs.front().first->getLoc();
  auto forEachVersion = [&](bool set) {
    for (int64_t i = 0; plan.rest && i < group.versions; ++i)
      insertFlag(b, loc, set, group, plan.rest->first, plan.rest->second,
                 nullptr, i);
  };
  forEachVersion(true);
  for (auto [epoch, wait, set] :
       llvm::zip(plan.epochs, plan.waits, plan.sets)) {
    b.setInsertionPoint(epoch.first);
    if (wait)
      insertFlag(b, epoch.first->getLoc(), false, group, *wait, epoch.pipe,
                 epoch.slot);
    b.setInsertionPointAfter(epoch.last);
    if (set)
      insertFlag(b, epoch.last->getLoc(), true, group, epoch.pipe, *set,
                 epoch.slot);
  }
  b.setInsertionPoint(body.getTerminator());
  forEachVersion(false);
  return true;
}

//===----------------------------------------------------------------------===//
// Groups without versions
//===----------------------------------------------------------------------===//

namespace {

/// Who owns a group at a point of the program.
struct Owner {
  enum Kind {
    /// Nobody has used it.
    Free,
    /// `pipe` does; it may pass it on after `after`, or from the start of the
    /// block on if that is null.
    Owned,
    /// `pipe` has set its flag for `next`.
    Passed
  };
  Kind kind = Free;
  Pipe pipe = Pipe::S, next = Pipe::S;
  Operation *after = nullptr;

  static Owner free() { return {}; }
  static Owner owned(Pipe pipe, Operation *after) {
    return {Owned, pipe, pipe, after};
  }
  static Owner passed(Pipe pipe, Pipe next) {
    return {Passed, pipe, next, nullptr};
  }
  bool isLike(const Owner &other) const {
    return kind == other.kind &&
           (kind == Free || (pipe == other.pipe && next == other.next));
  }
  /// Who can use it without another flag than the one that is set.
  Pipe getUser() const { return kind == Passed ? next : pipe; }
};

/// Follows a group through the blocks of a function and inserts flags.
class OwnerWalk {
public:
  OwnerWalk(const AccessTable &table, BufferGroup &group)
      : table(table), group(group), b(table.getFunction().getContext()) {}

  LogicalResult run();

private:
  /// The pipe that uses the group first in an item, and its owner after it,
  /// whoever had it before.
  std::optional<Pipe> getFirst(Block &block);
  std::optional<Pipe> getFirst(const GroupItem &item);
  std::optional<Owner> getLast(Block &block);
  std::optional<Owner> getLast(const GroupItem &item);
  Owner getHeader(scf::ForOp loop);

  void flag(bool set, Pipe from, Pipe to, Location loc);
  /// Makes `pipe` the owner right before `before`.
  Owner acquire(Owner owner, Pipe pipe, Operation *before);
  Owner convert(Owner owner, Owner goal, Operation *before);

  LogicalResult walk(Block &block, Owner &owner);
  LogicalResult walkFor(scf::ForOp loop, Owner &owner);
  LogicalResult walkIf(scf::IfOp branch, Owner &owner);

  const AccessTable &table;
  BufferGroup &group;
  OpBuilder b;
};

} // namespace

std::optional<Pipe> OwnerWalk::getFirst(const GroupItem &item) {
  if (item.pipe)
    return item.pipe;
  for (Region &region : item.op->getRegions())
    for (Block &block : region)
      if (std::optional<Pipe> pipe = getFirst(block))
        return pipe;
  return std::nullopt;
}

std::optional<Pipe> OwnerWalk::getFirst(Block &block) {
  for (const GroupItem &item : table.getItems(block, group))
    if (std::optional<Pipe> pipe = getFirst(item))
      return pipe;
  return std::nullopt;
}

std::optional<Owner> OwnerWalk::getLast(const GroupItem &item) {
  if (item.pipe)
    return Owner::owned(*item.pipe, item.op);
  if (auto loop = dyn_cast<scf::ForOp>(item.op))
    return getHeader(loop);
  auto branch = dyn_cast<scf::IfOp>(item.op);
  if (!branch)
    return std::nullopt;
  // Both branches end with the same owner.
  std::optional<Owner> last = getLast(*branch.thenBlock());
  if (!last && branch.elseBlock())
    last = getLast(*branch.elseBlock());
  if (!last)
    return std::nullopt;
  return Owner::owned(last->getUser(), branch);
}

std::optional<Owner> OwnerWalk::getLast(Block &block) {
  SmallVector<GroupItem> items = table.getItems(block, group);
  if (items.empty())
    return std::nullopt;
  return getLast(items.back());
}

/// The owner at the start of every iteration, and after the loop: the last user
/// has passed the group on to the first one.
Owner OwnerWalk::getHeader(scf::ForOp loop) {
  Pipe first = *getFirst(*loop.getBody());
  std::optional<Owner> last = getLast(*loop.getBody());
  if (!last)
    return Owner::owned(first, loop);
  if (last->getUser() == first)
    return last->kind == Owner::Passed ? *last : Owner::owned(first, loop);
  return Owner::passed(last->getUser(), first);
}

void OwnerWalk::flag(bool set, Pipe from, Pipe to, Location loc) {
  insertFlag(b, loc, set, group, from, to, nullptr);
}

Owner OwnerWalk::acquire(Owner owner, Pipe pipe, Operation *before) {
  Location loc = before->getLoc();
  if (owner.kind == Owner::Passed) {
    b.setInsertionPoint(before);
    flag(false, owner.pipe, owner.next, loc);
    owner = Owner::owned(owner.next, before->getPrevNode());
  }
  if (owner.kind == Owner::Owned && owner.pipe != pipe) {
    if (owner.after)
      b.setInsertionPointAfter(owner.after);
    else
      b.setInsertionPointToStart(before->getBlock());
    flag(true, owner.pipe, pipe, owner.after ? owner.after->getLoc() : loc);
    b.setInsertionPoint(before);
    flag(false, owner.pipe, pipe, loc);
  }
  if (owner.kind == Owner::Owned && owner.pipe == pipe)
    return owner;
  return Owner::owned(pipe, before->getPrevNode());
}

Owner OwnerWalk::convert(Owner owner, Owner goal, Operation *before) {
  if (owner.isLike(goal) || goal.kind == Owner::Free)
    return owner;
  if (goal.kind == Owner::Owned)
    return acquire(owner, goal.pipe, before);
  bool free = owner.kind == Owner::Free;
  owner = acquire(owner, goal.pipe, before);
  if (owner.after && !free)
    b.setInsertionPointAfter(owner.after);
  else
    b.setInsertionPoint(before);
  flag(true, goal.pipe, goal.next, before->getLoc());
  return goal;
}

LogicalResult OwnerWalk::walkFor(scf::ForOp loop, Owner &owner) {
  Owner header = getHeader(loop);
  owner = convert(owner, header, loop);
  Owner inside = header;
  inside.after = nullptr;
  if (failed(walk(*loop.getBody(), inside)))
    return failure();
  convert(inside, header, loop.getBody()->getTerminator());
  owner = header;
  owner.after = loop;
  return success();
}

LogicalResult OwnerWalk::walkIf(scf::IfOp branch, Owner &owner) {
  Owner goal = *getLast(GroupItem{branch, std::nullopt, nullptr});
  // A branch that gives the group back as it took it leaves the other one
  // empty.
  bool elseUses = branch.elseBlock() && getFirst(*branch.elseBlock());
  if (owner.kind == Owner::Passed && owner.pipe == goal.pipe && !elseUses)
    goal = owner;
  if (!branch.elseBlock()) {
    b.createBlock(&branch.getElseRegion());
    scf::YieldOp::create(b, branch.getLoc());
  }
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    Owner inside = owner;
    inside.after = nullptr;
    if (failed(walk(*block, inside)))
      return failure();
    // Nobody has used it here: it is as if the goal had.
    if (inside.kind != Owner::Free)
      convert(inside, goal, block->getTerminator());
  }
  // No flags, no block.
  if (branch.getElseRegion().hasOneBlock() &&
      branch.elseBlock()->without_terminator().empty() &&
      branch.getNumResults() == 0)
    branch.getElseRegion().front().erase();
  owner = goal;
  owner.after = branch;
  return success();
}

LogicalResult OwnerWalk::walk(Block &block, Owner &owner) {
  for (const GroupItem &item : table.getItems(block, group)) {
    if (item.pipe) {
      owner = acquire(owner, *item.pipe, item.op);
      owner.after = item.op;
      continue;
    }
    if (item.op->getNumRegions() == 0)
      return item.op->emitError("cannot say which version of '")
             << tile::getBufferName(group.buffers.front()) << "' is accessed";
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(item.op)
            .Case([&](scf::ForOp loop) { return walkFor(loop, owner); })
            .Case([&](scf::IfOp branch) { return walkIf(branch, owner); })
            .Default([](Operation *op) {
              return op->emitError("cannot place flags in '")
                     << op->getName()
                     << "': only 'scf.for' and 'scf.if' are supported";
            });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult OwnerWalk::run() {
  Block &body = table.getFunction().getBody().front();
  Owner owner;
  if (failed(walk(body, owner)))
    return failure();
  if (owner.kind == Owner::Passed)
    acquire(owner, owner.next, body.getTerminator());
  return success();
}

LogicalResult ascend::insertOwnerFlags(const AccessTable &table,
                                       BufferGroup &group) {
  return OwnerWalk(table, group).run();
}
