//===- Lifetime.cpp - When on-chip buffers are in use ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/Lifetime.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

void Lifetime::extend(const Lifetime &other) {
  if (other.isEmpty())
    return;
  if (isEmpty()) {
    *this = other;
    return;
  }
  begin = std::min(begin, other.begin);
  end = std::max(end, other.end);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

static void numberOps(Operation *op, int64_t &next,
                      DenseMap<Operation *, Lifetime> &ranges) {
  int64_t begin = next++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        numberOps(&nested, next, ranges);
  ranges[op] = {begin, next - 1};
}

LifetimeAnalysis::LifetimeAnalysis(Operation *function) : function(function) {
  int64_t next = 0;
  numberOps(function, next, ranges);
}

/// True if each region of `op` runs at most once whenever `op` does.
static bool runsOnce(Operation *op) {
  // The blocks of a grid do not share on-chip memory.
  return isa<scf::IfOp, scf::ExecuteRegionOp, scf::IndexSwitchOp, LaunchOp>(op);
}

Lifetime LifetimeAnalysis::getRangeWithLoops(Operation *op,
                                             Block *scope) const {
  Lifetime range = getRange(op);
  while (op->getParentRegion() != scope->getParent()) {
    Operation *parent = op->getParentOp();
    // Blocks that branch may come back in any order.
    if (!runsOnce(parent) || !op->getParentRegion()->hasOneBlock())
      range.extend(getRange(parent));
    op = parent;
  }
  if (!scope->getParent()->hasOneBlock())
    range.extend(getRange(scope->getParentOp()));
  return range;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

namespace {

/// What is known of one copy at a point after it: the least number of groups
/// that were committed after its own, -1 while its own is still open.
struct Flight {
  int64_t newer = -1;
  /// Where it is certainly complete, once that is known.
  Operation *landed = nullptr;
  /// The token of its own group, if the commit is at hand.
  Value group;
};

} // namespace

static void advance(Operation *op, Flight &flight);

static void advance(Block::iterator from, Block::iterator to, Flight &flight) {
  for (; from != to && !flight.landed; ++from)
    advance(&*from, flight);
}

/// What holds after `op` whichever way control went through it.
static void advanceThroughRegions(Operation *op, Flight &flight) {
  // A region that may not run at all promises nothing.
  bool runs = isa<LaunchOp, scf::ExecuteRegionOp>(op);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    runs = branch.elseBlock() != nullptr;
  if (auto loop = dyn_cast<PipelineOp>(op))
    runs = loop.getConstantTripCount().value_or(0) > 0;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    runs = lower && upper && *lower < *upper;
  }
  if (!runs)
    return;
  // More than one execution only adds commits and waits.
  std::optional<Flight> least;
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock())
      return;
    Flight after = flight;
    advance(region.front().begin(), region.front().end(), after);
    if (after.landed)
      after.landed = op;
    if (!least || (least->landed && !after.landed) ||
        (!after.landed && after.newer < least->newer))
      least = after;
  }
  if (least)
    flight = *least;
}

static void advance(Operation *op, Flight &flight) {
  if (auto commit = dyn_cast<AsyncCommitOp>(op)) {
    if (++flight.newer == 0)
      flight.group = commit.getGroup();
    return;
  }
  if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    bool counts =
        wait.getPending() && flight.newer >= int64_t(*wait.getPending());
    bool names =
        flight.group && llvm::is_contained(wait.getTokens(), flight.group);
    // A count must complete the groups of the tokens as well.
    if (flight.newer >= 0 && (counts || names))
      flight.landed = op;
    return;
  }
  if (op->getNumRegions() != 0)
    advanceThroughRegions(op, flight);
}

Lifetime LifetimeAnalysis::getFlight(AsyncCopyOp copy) const {
  Lifetime range = getRange(copy);
  Flight flight;
  for (Operation *at = copy; at != function; at = at->getParentOp()) {
    Block *block = at->getBlock();
    if (!block->getParent()->hasOneBlock())
      break;
    advance(std::next(Block::iterator(at)), block->end(), flight);
    if (flight.landed) {
      range.extend(getRange(flight.landed));
      return range;
    }
    // Still in flight at the end of a loop body: so is it at its start.
    if (Operation *parent = block->getParentOp(); !runsOnce(parent))
      range.extend(getRange(parent));
  }
  range.extend({range.begin, getRange(function).end});
  return range;
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// True if an operation that has the buffer as operand can keep it under
/// another name, so that later accesses are not seen.
static bool isEscape(OpOperand &use) {
  Operation *op = use.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>() || isa<BranchOpInterface>(op))
    return true;
  if (isa<RegionBranchOpInterface>(op))
    return true;
  return isa<CallOpInterface>(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
}

Lifetime LifetimeAnalysis::getLifetime(AllocOp alloc) const {
  Block *scope = alloc->getBlock();
  Lifetime lifetime;
  SmallVector<Value> names(1, alloc.getResult());
  while (!names.empty()) {
    Value name = names.pop_back_val();
    for (OpOperand &use : name.getUses()) {
      Operation *op = use.getOwner();
      if (isEscape(use))
        return getRange(function);
      for (Value result : op->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          names.push_back(result);
      // A view does not touch the memory.
      if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
        continue;
      lifetime.extend(getRangeWithLoops(op, scope));
      if (auto copy = dyn_cast<AsyncCopyOp>(op))
        lifetime.extend(getFlight(copy));
    }
  }
  return lifetime;
}
