//===- Canonicalization.cpp - Patterns and folders of the dialect ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// The `stage` and `order` lists of a manual schedule count the statements of
/// the loop: none of them may disappear before the planner has read the lists.
static bool isCounted(Operation *op) {
  auto loop = dyn_cast_or_null<PipelineOp>(op->getParentOp());
  return loop && loop.getStage();
}

/// Moves constants of `values` into attributes, except where the attribute
/// would not verify: below `minimum`, or equal to the number that means
/// "dynamic".
static bool foldConstants(SmallVectorImpl<OpFoldResult> &values,
                          int64_t minimum = ShapedType::kDynamic + 1) {
  bool changed = false;
  for (OpFoldResult &value : values) {
    if (isa<Attribute>(value))
      continue;
    std::optional<int64_t> constant = getConstantIntValue(value);
    if (!constant || *constant < minimum)
      continue;
    value = IntegerAttr::get(IndexType::get(value.getContext()), *constant);
    changed = true;
  }
  return changed;
}

namespace {

/// A guard that is constant disappears, with the copy where it is false.
struct FoldConstantGuard : OpRewritePattern<CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CopyOp op,
                                PatternRewriter &rewriter) const override {
    APInt guard;
    if (!op.getGuard() || !matchPattern(op.getGuard(), m_ConstantInt(&guard)))
      return failure();
    if (!guard.isZero())
      rewriter.modifyOpInPlace(op, [&] { op.getGuardMutable().clear(); });
    else if (!isCounted(op))
      rewriter.eraseOp(op);
    else
      return failure();
    return success();
  }
};

/// A statement over no elements disappears.
template <typename OpT> struct EraseEmptyRegion : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::is_contained(op.getStaticSizes(), 0) || isCounted(op))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename OpT> struct EraseEmptyBox : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::is_contained(op.getStaticExtents(), 0) || isCounted(op))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Offsets and sizes that are constants move into the attributes.
struct FoldCopyRegion : OpRewritePattern<CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CopyOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> source = op.getMixedSourceOffsets();
    SmallVector<OpFoldResult> target = op.getMixedTargetOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    bool changed = foldConstants(source);
    changed |= foldConstants(target, /*minimum=*/0);
    changed |= foldConstants(sizes, /*minimum=*/0);
    if (!changed)
      return failure();
    // A static target offset beyond the end would not verify.
    for (auto [offset, extent] :
         llvm::zip_equal(target, op.getTargetType().getShape()))
      if (!ShapedType::isDynamic(extent) &&
          getConstantIntValue(offset).value_or(0) > extent)
        return failure();
    auto copy = CopyOp::create(rewriter, op.getLoc(), op.getSource(), source,
                               op.getTarget(), target, sizes,
                               op.getDims().value_or(ArrayRef<int64_t>()),
                               op.getFill(), op.getGuard());
    copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, copy);
    return success();
  }
};

struct FoldFillRegion : OpRewritePattern<FillOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FillOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    bool changed = foldConstants(offsets, /*minimum=*/0);
    changed |= foldConstants(sizes, /*minimum=*/0);
    if (!changed)
      return failure();
    auto type = cast<MemRefType>(op.getTarget().getType());
    for (auto [offset, size, extent] :
         llvm::zip_equal(offsets, sizes, type.getShape())) {
      int64_t start = getConstantIntValue(offset).value_or(0);
      int64_t length = getConstantIntValue(size).value_or(0);
      if (!ShapedType::isDynamic(extent) && length > extent - start)
        return failure();
    }
    auto fill = FillOp::create(rewriter, op.getLoc(), op.getTarget(),
                               op.getValue(), offsets, sizes);
    fill->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, fill);
    return success();
  }
};

/// Extents that are constants move into the attribute.
template <typename OpT> struct FoldBoxExtents : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> extents = op.getMixedExtents();
    if (!foldConstants(extents, /*minimum=*/0))
      return failure();
    SmallVector<int64_t> statics;
    SmallVector<Value> values;
    dispatchIndexOpFoldResults(extents, values, statics);
    rewriter.modifyOpInPlace(op, [&] {
      op.setStaticExtents(statics);
      op.getExtentsMutable().assign(values);
    });
    return success();
  }
};

/// Tokens that are complete from the start, or named twice, need no wait.
struct DropCompleteTokens : OpRewritePattern<AsyncWaitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AsyncWaitOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallSetVector<Value, 4> tokens;
    for (Value token : op.getTokens())
      if (!token.getDefiningOp<AsyncNoneOp>())
        tokens.insert(token);
    if (tokens.size() == op.getTokens().size())
      return failure();
    if (tokens.empty() && !op.getPending() && !isCounted(op))
      rewriter.eraseOp(op);
    else if (tokens.empty() && !op.getPending())
      return failure();
    else
      rewriter.modifyOpInPlace(
          op, [&] { op.getTokensMutable().assign(tokens.getArrayRef()); });
    return success();
  }
};

/// A loop that never runs is its initial values.
struct EraseEmptyLoop : OpRewritePattern<PipelineOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PipelineOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getConstantTripCount() != 0 || isCounted(op))
      return failure();
    rewriter.replaceOp(op, SmallVector<Value>(op.getInits()));
    return success();
  }
};

} // namespace

void CopyOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldConstantGuard, EraseEmptyRegion<CopyOp>, FoldCopyRegion>(
      context);
}

void FillOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<EraseEmptyRegion<FillOp>, FoldFillRegion>(context);
}

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<EraseEmptyBox<MapOp>, FoldBoxExtents<MapOp>>(context);
}

void LaunchOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<EraseEmptyBox<LaunchOp>, FoldBoxExtents<LaunchOp>>(context);
}

void AsyncWaitOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropCompleteTokens>(context);
}

void PipelineOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<EraseEmptyLoop>(context);
}

/// The number of an iteration is the induction variable itself where that
/// counts from 0 by 1.
OpFoldResult IterationOp::fold(FoldAdaptor) {
  // A pass may ask in the middle of a rewrite, when the operand is anything.
  auto loop =
      dyn_cast_or_null<PipelineOp>(getIv().getParentBlock()->getParentOp());
  if (loop && isConstantIntValue(loop.getLower(), 0) &&
      loop.getStaticStep() == 1)
    return getIv();
  return {};
}
