//===- Lifetime.cpp - When on-chip buffers are in use ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/Lifetime.h"

#include "AsyncFlights.h"

#include "mlir/Interfaces/CallInterfaces.h"

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

LifetimeAnalysis::LifetimeAnalysis(Operation *function)
    : function(function), flights(std::make_unique<FlightAnalysis>()) {
  int64_t next = 0;
  numberOps(function, next, ranges);
}

LifetimeAnalysis::~LifetimeAnalysis() = default;

Lifetime LifetimeAnalysis::getRangeWithLoops(Operation *op,
                                             Block *scope) const {
  Lifetime range = getRange(op);
  while (op->getParentRegion() != scope->getParent()) {
    Operation *parent = op->getParentOp();
    // Blocks that branch may come back in any order.
    if (!runsRegionsOnce(parent) || !op->getParentRegion()->hasOneBlock())
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

Lifetime LifetimeAnalysis::getFlight(AsyncCopyOp copy,
                                     FlightAnalysis &flights) const {
  Lifetime range = getRange(copy);
  Flight flight;
  for (Operation *at = copy; at != function; at = at->getParentOp()) {
    if (!at->getParentRegion()->hasOneBlock())
      break;
    flight = flights.advance(at, flight);
    if (flight.landed) {
      range.extend(getRange(flight.landed));
      return range;
    }
    Operation *parent = at->getParentOp();
    // The memory of a block of a grid is gone with the block.
    if (isa<LaunchOp>(parent)) {
      range.extend({range.begin, getRange(parent).end});
      return range;
    }
    // Still in flight at the end of a loop body: so is it at its start.
    if (!runsRegionsOnce(parent))
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
        lifetime.extend(getFlight(copy, *flights));
    }
  }
  return lifetime;
}
