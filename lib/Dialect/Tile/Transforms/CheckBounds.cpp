//===- CheckBounds.cpp - Accesses that are sure to leave their tile -------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementAccess.h"

#include "tilepipe/Analysis/IndexBounds.h"
#include "tilepipe/Analysis/Regions.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Dialect/Tile/Transforms/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILECHECKBOUNDS
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// True if the operation may be passed over where the code around it runs.
static bool isConditional(Operation *op) {
  for (Operation *parent = op->getParentOp();
       parent && !parent->hasTrait<OpTrait::IsIsolatedFromAbove>();
       parent = parent->getParentOp())
    if (isa<scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(parent))
      return true;
  return !op->getParentRegion()->hasOneBlock();
}

static LogicalResult check(Operation *op, const ElementAccess &access) {
  IndexBounds bounds(op);
  if (bounds.isNeverReached())
    return success();
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    int64_t extent = access.getType().getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      continue;
    IndexBounds::Range range = bounds.getRange(index);
    bool isNeverInside = range.max < 0 || range.min >= extent;
    bool isOnceOutside = range.isExact && !isConditional(op) &&
                         (range.min < 0 || range.max >= extent);
    // A range that is not bounded has nothing to show.
    if (!isNeverInside && !isOnceOutside)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError("index of dimension ")
                                    << dim << " is ";
    if (range.min == range.max)
      diagnostic << range.min;
    else if (range.max == INT64_MAX)
      diagnostic << "at least " << range.min;
    else if (range.min == INT64_MIN)
      diagnostic << "at most " << range.max;
    else
      diagnostic << range.min << " to " << range.max;
    diagnostic << ", but '" << getBufferName(access.memref) << "' has "
               << extent << " elements there";
    if (Operation *origin = getRootBuffer(access.memref).getDefiningOp())
      diagnostic.attachNote(origin->getLoc()) << "the buffer";
    return diagnostic;
  }
  return success();
}

LogicalResult tile::checkBounds(Operation *root) {
  bool isRight = true;
  root->walk([&](Operation *op) {
    std::optional<ElementAccess> access = getElementAccess(op);
    if (access && getMemorySpace(access->getType()) != MemorySpace::Global)
      isRight &= succeeded(check(op, *access));
  });
  return success(isRight);
}

namespace {

struct CheckBounds : tile::impl::TileCheckBoundsBase<CheckBounds> {
  using TileCheckBoundsBase::TileCheckBoundsBase;

  void runOnOperation() override {
    if (failed(checkBounds(getOperation())))
      signalPassFailure();
  }
};

} // namespace
