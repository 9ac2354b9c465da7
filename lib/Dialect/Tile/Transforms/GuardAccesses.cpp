//===- GuardAccesses.cpp - Element accesses outside of buffers ------------===//
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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILEGUARDACCESSES
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

/// What is left to be checked of one dimension.
struct OpenDimension {
  int64_t dim;
  bool low, high;
};

struct GuardAccesses : tile::impl::TileGuardAccessesBase<GuardAccesses> {
  using TileGuardAccessesBase::TileGuardAccessesBase;

  void runOnOperation() override;

private:
  void guard(Operation *op, const ElementAccess &access,
             ArrayRef<OpenDimension> open);
  void assertInside(Operation *op, const ElementAccess &access,
                    ArrayRef<OpenDimension> open);
  void clip(FillOp fill);
};

} // namespace

static SmallVector<OpenDimension> getOpen(Operation *op,
                                          const ElementAccess &access) {
  SmallVector<OpenDimension> open;
  IndexBounds bounds(op);
  if (bounds.isNeverReached())
    return open;
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    bool low = !bounds.isNotNegative(index);
    bool high = !bounds.isBelowExtent(index, access.memref, dim);
    if (low || high)
      open.push_back({int64_t(dim), low, high});
  }
  return open;
}

/// One value for sizes that are equal: their guards are one.
static Value getExtent(ImplicitLocOpBuilder &b, Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  auto [same, number] = getNamedSize(memref, dim);
  return memref::DimOp::create(b, same, number);
}

static Value isInside(ImplicitLocOpBuilder &b, const ElementAccess &access,
                      OpenDimension open) {
  using Predicate = arith::CmpIPredicate;
  Value index = access.indices[open.dim];
  if (!open.high)
    return arith::CmpIOp::create(b, Predicate::sge, index,
                                 arith::ConstantIndexOp::create(b, 0));
  Value extent = getExtent(b, access.memref, open.dim);
  // A negative index is a large one without a sign.
  return arith::CmpIOp::create(b, open.low ? Predicate::ult : Predicate::slt,
                               index, extent);
}

void GuardAccesses::guard(Operation *op, const ElementAccess &access,
                          ArrayRef<OpenDimension> open) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  TypedAttr zero;
  if (op->getNumResults() != 0) {
    zero = b.getZeroAttr(op->getResult(0).getType());
    if (!zero)
      return; // of a type that no target has
  }
  Value inside;
  for (OpenDimension dimension : open) {
    Value here = isInside(b, access, dimension);
    inside = inside ? arith::AndIOp::create(b, inside, here).getResult() : here;
  }
  Value instead =
      zero ? arith::ConstantOp::create(b, zero).getResult() : Value();
  auto branch = scf::IfOp::create(b, op->getResultTypes(), inside,
                                  /*withElseRegion=*/bool(zero));
  op->replaceAllUsesWith(branch.getResults());
  // The statement of a planned loop is the whole branch.
  setStage(branch, getStage(op));
  setStage(op, nullptr);
  Block *then = branch.thenBlock();
  if (!zero) {
    op->moveBefore(then->getTerminator());
  } else {
    b.setInsertionPointToEnd(then);
    op->moveBefore(then, then->end());
    scf::YieldOp::create(b, op->getResults());
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, instead);
  }
  ++numGuarded;
}

void GuardAccesses::assertInside(Operation *op, const ElementAccess &access,
                                 ArrayRef<OpenDimension> open) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  for (OpenDimension dimension : open) {
    std::string message;
    llvm::raw_string_ostream text(message);
    text << "index of dimension " << dimension.dim << " is out of range, '"
         << getBufferName(access.memref) << "' has ";
    if (access.getType().isDynamicDim(dimension.dim))
      text << "fewer";
    else
      text << access.getType().getDimSize(dimension.dim);
    text << " elements there";
    auto assertion =
        cf::AssertOp::create(b, isInside(b, access, dimension), message);
    Operation *origin = getRootBuffer(access.memref).getDefiningOp();
    assertion->setAttr("tile.bounds",
                       LocationAttr(origin ? origin->getLoc() : op->getLoc()));
  }
  ++numAsserted;
}

/// A region becomes the part of it that exists.
void GuardAccesses::clip(FillOp fill) {
  ImplicitLocOpBuilder b(fill.getLoc(), fill);
  IndexBounds bounds(fill);
  SmallVector<OpFoldResult> offsets = fill.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = fill.getMixedSizes();
  bool isClipped = false;
  for (auto [dim, offset, size] : llvm::enumerate(offsets, sizes)) {
    if (bounds.isNotNegative(offset) && bounds.isNotNegative(size) &&
        bounds.endsInside(offset, size, fill.getTarget(), dim))
      continue;
    isClipped = true;
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value extent = getExtent(b, fill.getTarget(), dim);
    Value start = getValueOrCreateConstantIndexOp(b, b.getLoc(), offset);
    Value count = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
    // Ends that are inside: no sum of these wraps around.
    Value first = arith::MaxSIOp::create(
        b, arith::MinSIOp::create(b, start, extent), zero);
    Value skipped = arith::SubIOp::create(b, first, start);
    Value left = arith::SubIOp::create(b, count, skipped);
    Value rest = arith::SubIOp::create(b, extent, first);
    left =
        arith::MaxSIOp::create(b, arith::MinSIOp::create(b, left, rest), zero);
    offset = getAsOpFoldResult(first);
    size = getAsOpFoldResult(left);
  }
  if (!isClipped) {
    ++numProven;
    return;
  }
  auto clipped =
      FillOp::create(b, fill.getTarget(), fill.getValue(), offsets, sizes);
  clipped->setDiscardableAttrs(fill->getDiscardableAttrDictionary());
  fill.erase();
  ++numGuarded;
}

void GuardAccesses::runOnOperation() {
  SmallVector<FillOp> fills;
  if (!scalarOnly)
    getOperation()->walk([&](FillOp fill) { fills.push_back(fill); });
  llvm::for_each(fills, [&](FillOp fill) { clip(fill); });
  SmallVector<Operation *> accesses;
  getOperation()->walk([&](Operation *op) {
    if (getElementAccess(op) && !(scalarOnly && op->getParentOfType<MapOp>()))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    ElementAccess access = *getElementAccess(op);
    bool isGlobal = getMemorySpace(access.getType()) == MemorySpace::Global;
    if (!isGlobal && !assertOnChip)
      continue;
    SmallVector<OpenDimension> open = getOpen(op, access);
    if (open.empty())
      ++numProven;
    else if (isGlobal)
      guard(op, access, open);
    else
      assertInside(op, access, open);
  }
}
