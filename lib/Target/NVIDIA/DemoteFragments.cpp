//===- DemoteFragments.cpp - Fragments that registers cannot hold ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentPlan.h"

#include "tilepipe/Target/NVIDIA/Passes.h"

namespace tilepipe::nvidia {
#define GEN_PASS_DEF_TILEDEMOTEFRAGMENTS
#include "tilepipe/Target/NVIDIA/Passes.h.inc"
} // namespace tilepipe::nvidia

using namespace mlir;
using namespace tilepipe;

/// Moves a buffer, and the views of it, to shared memory.
static void moveToShared(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto space =
      tile::SpaceAttr::get(type.getContext(), tile::MemorySpace::Shared);
  memref.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                 type.getLayout(), space));
  for (Operation *user : memref.getUsers())
    if (isa<ViewLikeOpInterface>(user))
      for (Value result : user->getResults())
        if (auto view = dyn_cast<MemRefType>(result.getType());
            view && tile::getMemorySpace(view) == tile::MemorySpace::Fragment)
          moveToShared(result);
}

namespace {

struct TileDemoteFragments
    : public nvidia::impl::TileDemoteFragmentsBase<TileDemoteFragments> {
  void runOnOperation() override;
};

} // namespace

void TileDemoteFragments::runOnOperation() {
  WalkResult result = getOperation().walk([&](tile::LaunchOp launch) {
    if (failed(nvidia::checkLimits(launch)))
      return WalkResult::interrupt();
    nvidia::FragmentPlan plan = nvidia::FragmentPlan::compute(launch);
    for (const nvidia::FragmentPlan::Demotion &demotion : plan.getDemotions()) {
      tile::AllocOp alloc = demotion.alloc;
      InFlightDiagnostic remark =
          alloc.emitRemark("fragment '")
          << tile::getBufferName(alloc.getResult())
          << "' lives in shared memory: " << demotion.reason;
      remark.attachNote(demotion.culprit->getLoc()) << "here";
      moveToShared(alloc.getResult());
      ++numDemoted;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
