//===- InsertBarriers.cpp - Barriers between block-wide statements --------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/NVIDIA/Passes.h"

#include "BarrierAnalysis.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilepipe::nvidia {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "tilepipe/Target/NVIDIA/Passes.h.inc"
} // namespace tilepipe::nvidia

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using namespace tilepipe::tile;

/// The value of what is computed from constants alone, else null.
static Attribute getConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isPure(op))
    return nullptr;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getConstant(operand));
    if (!operands.back())
      return nullptr;
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return nullptr;
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  return dyn_cast<Attribute>(result);
}

/// Statements under conditions that never hold, as in the last steps of a loop
/// that has been peeled, need no barrier.
static void eraseDeadBranches(LaunchOp launch) {
  launch.walk([](scf::IfOp op) {
    auto holds = dyn_cast_or_null<IntegerAttr>(getConstant(op.getCondition()));
    if (holds && holds.getValue().isZero() && !op.getNumResults() &&
        !op.elseBlock())
      op.erase();
  });
}

/// The statement in front of which threads meet: `second`, or the outermost
/// condition around it that does not hold all of `first` as well. Its condition
/// is the same in all threads, but the other side of it, and what comes behind,
/// may need the barrier too.
static Operation *getPlace(const BarrierConflict &conflict) {
  Operation *place = conflict.second;
  while (auto parent = dyn_cast<scf::IfOp>(place->getParentOp())) {
    if (llvm::all_of(conflict.first, [&](Operation *first) {
          return parent->isAncestor(first);
        }))
      break;
    place = parent;
  }
  return place;
}

/// Puts a barrier in front of each statement that has a conflict.
static SmallVector<gpu::BarrierOp> insertBarriers(LaunchOp launch) {
  SmallVector<gpu::BarrierOp> barriers;
  bool isDone = false;
  while (!isDone) {
    BarrierAnalysis analysis(
        [&](const BarrierConflict &conflict) {
          Operation *place = getPlace(conflict);
          OpBuilder builder(place);
          barriers.push_back(
              gpu::BarrierOp::create(builder, conflict.second->getLoc()));
          // Behind a barrier further up the state is another one: start again.
          return place == conflict.second;
        },
        launch.getThreads());
    isDone = analysis.run(launch.getBody());
  }
  return barriers;
}

static bool hasConflict(LaunchOp launch) {
  BarrierAnalysis analysis([](const BarrierConflict &) { return false; },
                           launch.getThreads());
  return !analysis.run(launch.getBody());
}

/// Takes out the barriers that others make needless. In straight code there are
/// none, but in a loop a barrier is placed before the end of the loop, where
/// the next iteration may need one, has been seen.
static unsigned pruneBarriers(LaunchOp launch,
                              ArrayRef<gpu::BarrierOp> barriers) {
  unsigned erased = 0;
  for (gpu::BarrierOp barrier : llvm::reverse(barriers)) {
    Operation *parent = barrier->getParentOp();
    while (isa<scf::IfOp>(parent))
      parent = parent->getParentOp();
    if (parent == launch)
      continue;
    Operation *next = barrier->getNextNode();
    barrier->remove();
    if (hasConflict(launch)) {
      next->getBlock()->getOperations().insert(next->getIterator(), barrier);
      continue;
    }
    barrier->destroy();
    ++erased;
  }
  return erased;
}

namespace {

struct InsertBarriers
    : public nvidia::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    SmallVector<LaunchOp> launches;
    getOperation()->walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches) {
      eraseDeadBranches(launch);
      SmallVector<gpu::BarrierOp> barriers = insertBarriers(launch);
      unsigned erased = pruneBarriers(launch, barriers);
      numBarriers += barriers.size() - erased;
    }
  }
};

} // namespace
