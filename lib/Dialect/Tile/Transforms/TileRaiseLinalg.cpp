//===- TileRaiseLinalg.cpp - Operations of linalg as tile operations ------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILERAISELINALG
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// A copy of a whole buffer.
static Operation *makeCopy(RewriterBase &b, Location loc, Value source,
                           Value target) {
  int64_t rank = cast<MemRefType>(target.getType()).getRank();
  SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0));
  return CopyOp::create(b, loc, source, zeros, target, zeros,
                        memref::getMixedSizes(b, loc, target));
}

/// The operation of the tile dialect that means the same, or null.
static Operation *makeNamed(RewriterBase &b, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  if (auto fill = dyn_cast<linalg::FillOp>(*op)) {
    Value target = fill.getOutputs()[0], value = fill.getInputs()[0];
    if (cast<MemRefType>(target.getType()).getElementType() == value.getType())
      return FillOp::create(b, loc, target, value);
  }
  if (auto copy = dyn_cast<linalg::CopyOp>(*op)) {
    Value source = copy.getInputs()[0], target = copy.getOutputs()[0];
    if (getElementTypeOrSelf(source) == getElementTypeOrSelf(target))
      return makeCopy(b, loc, source, target);
  }
  if (auto matmul = dyn_cast<linalg::MatmulOp>(*op)) {
    // Other maps transpose or broadcast; unsigned extension is not ours.
    if (!matmul.hasUserDefinedMaps() &&
        matmul.getCast() == linalg::TypeFn::cast_signed)
      return GemmOp::create(b, loc, matmul.getInputs()[0],
                            matmul.getInputs()[1], matmul.getOutputs()[0],
                            /*transpose_a=*/false, /*transpose_b=*/false,
                            /*clear=*/false);
  }
  return nullptr;
}

namespace {

/// Makes a `tile.map` over the parallel dimensions of an operation, with loops
/// over the others inside.
class MapBuilder {
public:
  MapBuilder(RewriterBase &b, linalg::LinalgOp op) : b(b), op(op) {}
  Operation *build();

private:
  void buildLoops(unsigned dim);
  void buildBody();
  SmallVector<Value, 6> getIndices(OpOperand &operand);

  RewriterBase &b;
  linalg::LinalgOp op;
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> ivs;
};

} // namespace

Operation *MapBuilder::build() {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = op.createFlatListOfOperandDims(b, loc);
  AffineMap shapes = op.getShapesToLoopsMap();
  for (AffineExpr expr : shapes.getResults())
    extents.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
  ivs.resize(extents.size());
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<OpFoldResult> box;
  for (unsigned dim : parallel)
    box.push_back(extents[dim]);
  // A box has a dimension at least.
  if (box.empty())
    box.push_back(b.getIndexAttr(1));
  return MapOp::create(b, loc, box,
                       [&](OpBuilder &, Location, ValueRange points) {
                         for (auto [dim, point] : llvm::zip(parallel, points))
                           ivs[dim] = point;
                         buildLoops(0);
                       });
}

void MapBuilder::buildLoops(unsigned dim) {
  while (dim < ivs.size() && ivs[dim])
    ++dim;
  if (dim == ivs.size())
    return buildBody();
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value extent = getValueOrCreateConstantIndexOp(b, loc, extents[dim]);
  auto loop = scf::ForOp::create(b, loc, zero, extent, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs[dim] = loop.getInductionVar();
  buildLoops(dim + 1);
}

SmallVector<Value, 6> MapBuilder::getIndices(OpOperand &operand) {
  auto indices = affine::expandAffineMap(
      b, op.getLoc(), op.getMatchingIndexingMap(&operand), ivs);
  return llvm::to_vector<6>(*indices);
}

void MapBuilder::buildBody() {
  Location loc = op.getLoc();
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isa<MemRefType>(value.getType()))
      value = memref::LoadOp::create(b, loc, value, getIndices(operand));
    mapping.map(op.getMatchingBlockArgument(&operand), value);
  }
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      mapping.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(nested, mapping);
  }
  for (auto [operand, value] :
       llvm::zip_equal(op.getDpsInitsMutable(),
                       body->getTerminator()->getOperands()))
    memref::StoreOp::create(b, loc, mapping.lookupOrDefault(value),
                            operand.get(), getIndices(operand));
}

/// Whether all maps can be written out, and loops follow from shapes.
static bool isSupported(linalg::LinalgOp op) {
  AffineMap shapes = op.getShapesToLoopsMap();
  return op.hasPureBufferSemantics() && shapes &&
         llvm::all_of(shapes.getResults(),
                      [](AffineExpr expr) { return isa<AffineDimExpr>(expr); });
}

/// The tile operation for `op`, or null where it has to stay.
static Operation *raise(RewriterBase &b, Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    bool isRanked = isa<MemRefType>(copy.getSource().getType()) &&
                    isa<MemRefType>(copy.getTarget().getType());
    return isRanked ? makeCopy(b, op->getLoc(), copy.getSource(),
                               copy.getTarget())
                    : nullptr;
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (!isSupported(linalgOp))
    return nullptr;
  Operation *named = makeNamed(b, linalgOp);
  return named ? named : MapBuilder(b, linalgOp).build();
}

namespace {

struct TileRaiseLinalg : public tile::impl::TileRaiseLinalgBase<TileRaiseLinalg> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      Operation *raised = raise(rewriter, op);
      if (!raised)
        continue;
      // What was planned for the operation holds for the new one.
      if (StageAttr stage = getStage(op))
        setStage(raised, stage);
      rewriter.eraseOp(op);
    }
  }
};

} // namespace
