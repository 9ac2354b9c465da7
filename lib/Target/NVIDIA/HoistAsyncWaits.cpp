//===- HoistAsyncWaits.cpp - Waits in front of the copies of a step -------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/NVIDIA/Passes.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilepipe::nvidia {
#define GEN_PASS_DEF_HOISTASYNCWAITS
#include "tilepipe/Target/NVIDIA/Passes.h.inc"
} // namespace tilepipe::nvidia

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// True for an operation that only starts copies, maybe under a condition or in
/// a loop.
static bool onlyStartsCopies(Operation *op) {
  if (isa<AsyncCopyOp>(op))
    return true;
  if (!isa<scf::IfOp, scf::ForOp>(op))
    return false;
  bool found = false;
  WalkResult result = op->walk([&](Operation *nested) {
    if (nested == op)
      return WalkResult::advance();
    found |= isa<AsyncCopyOp>(nested);
    return isa<AsyncCopyOp, scf::IfOp, scf::ForOp>(nested) ||
                   isMemoryEffectFree(nested)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return found && !result.wasInterrupted();
}

/// Moves a wait to the front of the copies of its step. Returns false where there
/// are none, or where it waits for them. In straight code, where the steps of a
/// prologue follow each other, only the last group is taken to be of its step:
/// the copies of the others are to run ahead.
static bool hoist(AsyncWaitOp wait) {
  if (!wait.getPending())
    return false;
  int64_t pending = *wait.getPending();
  bool inLoop = isa<scf::ForOp>(wait->getParentOp());
  unsigned passed = 0;
  // The place found so far, and the count that means the same there.
  Operation *place = nullptr;
  int64_t placePending = pending;
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (llvm::is_contained(wait->getOperands(),
                           op->getNumResults() ? op->getResult(0) : Value()))
      break;
    if (isa<AsyncCommitOp>(op)) {
      // The group that this closes is one that the wait is for.
      if (--pending < 0 || (!inLoop && ++passed > 1))
        break;
    } else if (onlyStartsCopies(op)) {
      place = op;
      placePending = pending;
    } else if (!isMemoryEffectFree(op)) {
      break;
    }
  }
  if (!place || placePending == int64_t(*wait.getPending()))
    return false;
  wait->moveBefore(place);
  wait.setPending(placePending);
  return true;
}

/// Erases a wait that a neighbour, with only pure operations in between, implies.
static void mergeWithPrevious(AsyncWaitOp wait) {
  Operation *op = wait->getPrevNode();
  while (op && !isa<AsyncWaitOp>(op) && isMemoryEffectFree(op))
    op = op->getPrevNode();
  auto previous = dyn_cast_or_null<AsyncWaitOp>(op);
  if (!previous || !wait.getPending() || !previous.getPending())
    return;
  previous.setPending(std::min(*previous.getPending(), *wait.getPending()));
  wait.erase();
}

namespace {

struct HoistAsyncWaits
    : public nvidia::impl::HoistAsyncWaitsBase<HoistAsyncWaits> {
  void runOnOperation() override {
    SmallVector<AsyncWaitOp> waits;
    getOperation()->walk([&](AsyncWaitOp wait) { waits.push_back(wait); });
    for (AsyncWaitOp wait : waits) {
      if (!hoist(wait))
        continue;
      ++numHoisted;
      mergeWithPrevious(wait);
    }
  }
};

} // namespace
