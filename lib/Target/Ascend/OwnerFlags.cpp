//===- OwnerFlags.cpp - Flags of buffers that are followed whole ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

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
