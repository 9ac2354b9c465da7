//===- TileRaiseSCFFor.cpp - Loops and copies of other dialects -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Dialect/Tile/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILERAISESCFFOR
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Asynchronous copies of nvgpu
//===----------------------------------------------------------------------===//

namespace {

/// The asynchronous operations of nvgpu in one loop, if each copy is waited for
/// where it is started. Such a copy may as well be complete from the start: its
/// group forbids to look before the wait, and allows everything after it.
struct NVGPUCopies {
  SmallVector<nvgpu::DeviceAsyncCopyOp> copies;
  SmallVector<nvgpu::DeviceAsyncCreateGroupOp> groups;
  SmallVector<nvgpu::DeviceAsyncWaitOp> waits;

  /// Null if the copies can become `tile.copy`; otherwise the operation that
  /// cannot, and why.
  Operation *collect(Operation *loop, std::string &reason);
  void raise(RewriterBase &rewriter);
};

} // namespace

/// A wait in the same block, in program order after the group by dominance,
/// belongs to the same iteration of every loop around.
static std::string whyNotWaitedFor(nvgpu::DeviceAsyncCreateGroupOp group) {
  for (Value copy : group.getInputTokens())
    if (copy.getParentBlock() != group->getBlock() ||
        !copy.getDefiningOp<nvgpu::DeviceAsyncCopyOp>())
      return "it holds a copy from outside";
  bool waited = false;
  for (Operation *user : group.getAsyncToken().getUsers()) {
    auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(user);
    if (!wait || wait->getBlock() != group->getBlock())
      return "its token leaves the iteration";
    if (wait.getNumGroups().value_or(0) != 0)
      return "a wait leaves " + std::to_string(*wait.getNumGroups()) +
             " groups pending";
    waited = true;
  }
  return waited ? "" : "no wait names it";
}

static std::string whyNotCopy(nvgpu::DeviceAsyncCopyOp copy) {
  for (Operation *user : copy.getAsyncToken().getUsers())
    if (!isa<nvgpu::DeviceAsyncCreateGroupOp>(user) ||
        user->getBlock() != copy->getBlock())
      return "its token leaves the iteration";
  if (copy.getAsyncToken().use_empty())
    return "no group names it";
  int64_t count = copy.getDstElements().getSExtValue();
  if (Value limit = copy.getSrcElements();
      limit && getConstantIntValue(limit) != count)
    return "it fills elements after a limit";
  for (Value side : {copy.getSrc(), copy.getDst()}) {
    auto type = cast<MemRefType>(side.getType());
    if (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
      return "the extent of a row is not known";
    if (type.getShape().back() < count)
      return "it runs over the end of a row";
    // What is outside of a source is zero, but a target must be inside.
    if (side == copy.getSrc())
      continue;
    for (auto [dim, index] : llvm::enumerate(copy.getDstIndices())) {
      int64_t extent = type.getDimSize(dim);
      int64_t last = int64_t(dim) + 1 == type.getRank() ? count : 1;
      std::optional<int64_t> at = getConstantIntValue(index);
      if (at && (*at < 0 ||
                 (!ShapedType::isDynamic(extent) && *at > extent - last)))
        return "it writes outside of its target";
    }
  }
  return "";
}

Operation *NVGPUCopies::collect(Operation *loop, std::string &reason) {
  Operation *culprit = nullptr;
  auto check = [&](Operation *op, std::string why) {
    if (culprit || why.empty())
      return;
    culprit = op;
    reason = std::move(why);
  };
  loop->walk([&](Operation *op) {
    if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op)) {
      copies.push_back(copy);
      check(op, whyNotCopy(copy));
    } else if (auto group = dyn_cast<nvgpu::DeviceAsyncCreateGroupOp>(op)) {
      groups.push_back(group);
      check(op, whyNotWaitedFor(group));
    } else if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op)) {
      waits.push_back(wait);
      auto group = wait.getAsyncDependencies()
                       .getDefiningOp<nvgpu::DeviceAsyncCreateGroupOp>();
      check(op, group && group->getBlock() == op->getBlock()
                    ? ""
                    : "it waits for a group from outside");
    }
  });
  return culprit;
}

void NVGPUCopies::raise(RewriterBase &rewriter) {
  for (auto wait : waits)
    rewriter.eraseOp(wait);
  for (auto group : groups)
    rewriter.eraseOp(group);
  for (auto copy : copies) {
    rewriter.setInsertionPoint(copy);
    int64_t rank =
        std::min(cast<MemRefType>(copy.getSrc().getType()).getRank(),
                 cast<MemRefType>(copy.getDst().getType()).getRank());
    SmallVector<OpFoldResult> sizes(rank, rewriter.getIndexAttr(1));
    sizes.back() = rewriter.getIndexAttr(copy.getDstElements().getSExtValue());
    CopyOp::create(rewriter, copy.getLoc(), copy.getSrc(),
                   getAsOpFoldResult(copy.getSrcIndices()), copy.getDst(),
                   getAsOpFoldResult(copy.getDstIndices()), sizes);
    rewriter.eraseOp(copy);
  }
}

//===----------------------------------------------------------------------===//
// Whole copies of memref
//===----------------------------------------------------------------------===//

static void raiseCopy(RewriterBase &rewriter, memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!source || !target || source.getRank() != target.getRank())
    return;
  rewriter.setInsertionPoint(copy);
  Location loc = copy.getLoc();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < target.getRank(); ++dim) {
    // The shapes are equal: a static extent on either side is that of both.
    if (!target.isDynamicDim(dim))
      sizes.push_back(rewriter.getIndexAttr(target.getDimSize(dim)));
    else if (!source.isDynamicDim(dim))
      sizes.push_back(rewriter.getIndexAttr(source.getDimSize(dim)));
    else
      sizes.push_back(
          memref::DimOp::create(rewriter, loc, copy.getTarget(), dim)
              .getResult());
  }
  SmallVector<OpFoldResult> zeros(target.getRank(), rewriter.getIndexAttr(0));
  auto raised = CopyOp::create(rewriter, loc, copy.getSource(), zeros,
                               copy.getTarget(), zeros, sizes);
  raised->setDiscardableAttrs(copy->getDiscardableAttrDictionary());
  rewriter.eraseOp(copy);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static constexpr StringRef kNumStages = "tile.num_stages";
static constexpr StringRef kStages = "tile.stages";
static constexpr StringRef kOrders = "tile.orders";

static bool asksForPipeline(scf::ForOp loop) {
  return loop->hasAttr(kNumStages) || loop->hasAttr(kStages) ||
         loop->hasAttr(kOrders);
}

static bool asksForPipeline(PipelineOp loop) {
  return loop.getNumStages() || loop.getStage() || loop.getOrder();
}

/// Null if the loop is one that `tile.pipeline` can express.
static StringRef whyNotPipeline(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return "it compares without sign";
  if (std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      step && *step <= 0)
    return "its step is not positive";
  return {};
}

/// Makes the loop a `tile.pipeline` over the index type.
static LogicalResult raiseLoop(RewriterBase &rewriter, scf::ForOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Type index = rewriter.getIndexType();
  Type type = loop.getInductionVar().getType();
  auto toIndex = [&](Value bound) -> Value {
    if (type == index)
      return bound;
    return rewriter.createOrFold<arith::IndexCastOp>(loc, index, bound);
  };
  IntegerAttr numStages;
  if (auto count = loop->getAttrOfType<IntegerAttr>(kNumStages))
    numStages = rewriter.getI64IntegerAttr(count.getInt());
  auto pipeline =
      PipelineOp::create(rewriter, loc, toIndex(loop.getLowerBound()),
                         toIndex(loop.getUpperBound()), toIndex(loop.getStep()),
                         loop.getInitArgs(), numStages);
  if (auto stages = loop->getAttrOfType<DenseI64ArrayAttr>(kStages))
    pipeline.setStageAttr(stages);
  if (auto orders = loop->getAttrOfType<DenseI64ArrayAttr>(kOrders))
    pipeline.setOrderAttr(orders);
  for (NamedAttribute attribute : loop->getDiscardableAttrs())
    if (!llvm::is_contained({kNumStages, kStages, kOrders},
                            attribute.getName()))
      pipeline->setDiscardableAttr(attribute.getName(), attribute.getValue());

  Block *body = pipeline.getBodyBlock();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<YieldOp>(yield, yield.getResults());
  if (!body->empty())
    rewriter.eraseOp(&body->back());
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments(body->getArguments());
  if (type != index)
    arguments[0] =
        arith::IndexCastOp::create(rewriter, loc, type, arguments[0]);
  rewriter.inlineBlockBefore(loop.getBody(), body, body->end(), arguments);
  rewriter.replaceOp(loop, pipeline.getResults());
  // Conditions on a manual schedule are those of `tile.pipeline`.
  OperationName name = pipeline->getName();
  return success(succeeded(name.verifyInvariants(pipeline)) &&
                 succeeded(name.verifyRegionInvariants(pipeline)));
}

LogicalResult tile::raiseSCFLoops(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (asksForPipeline(loop))
      loops.push_back(loop);
  });
  bool malformed = false;
  for (scf::ForOp loop : loops) {
    StringRef reason = whyNotPipeline(loop);
    if (!reason.empty()) {
      loop.emitRemark("loop is not pipelined: ") << reason;
      continue;
    }
    NVGPUCopies copies;
    std::string asyncReason;
    if (Operation *culprit = copies.collect(loop, asyncReason)) {
      InFlightDiagnostic remark =
          loop.emitRemark("loop is not pipelined: it has asynchronous copies "
                          "that are not complete within an iteration");
      remark.attachNote(culprit->getLoc())
          << "'" << culprit->getName() << "' here: " << asyncReason;
      continue;
    }
    copies.raise(rewriter);
    malformed |= failed(raiseLoop(rewriter, loop));
  }
  SmallVector<memref::CopyOp> copies;
  root->walk([&](PipelineOp loop) {
    if (asksForPipeline(loop))
      loop->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  });
  // A copy in nested loops is found once for each.
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (memref::CopyOp copy : copies)
    if (seen.insert(copy).second)
      raiseCopy(rewriter, copy);
  return failure(malformed);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct TileRaiseSCFFor
    : public tile::impl::TileRaiseSCFForBase<TileRaiseSCFFor> {
  void runOnOperation() override {
    if (failed(raiseSCFLoops(getOperation())))
      return signalPassFailure();
  }
};

} // namespace
