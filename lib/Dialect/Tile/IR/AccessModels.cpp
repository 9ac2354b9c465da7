//===- AccessModels.cpp - What foreign operations access ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

using Kind = RegionAccess::Kind;
using Accesses = SmallVectorImpl<RegionAccess>;

//===----------------------------------------------------------------------===//
// memref
//===----------------------------------------------------------------------===//

/// A region of extent 1 in the leading and `shape` in the trailing dimensions.
static RegionAccess trailingAccess(Value buffer, Kind kind, ValueRange indices,
                                   ArrayRef<int64_t> shape = {}) {
  Builder b(buffer.getContext());
  SmallVector<OpFoldResult> sizes(indices.size(), b.getIndexAttr(1));
  for (auto [size, extent] :
       llvm::zip(llvm::reverse(sizes), llvm::reverse(shape)))
    size = b.getIndexAttr(extent);
  return {buffer, kind, getAsOpFoldResult(indices), sizes};
}

static RegionAccess wholeAccess(Value buffer, Kind kind, bool definite = true) {
  return {buffer, kind, {}, {}, definite};
}

static void getForeignAccesses(memref::LoadOp op, Accesses &accesses) {
  accesses.push_back(
      trailingAccess(op.getMemRef(), Kind::Read, op.getIndices()));
}

static void getForeignAccesses(memref::StoreOp op, Accesses &accesses) {
  accesses.push_back(
      trailingAccess(op.getMemRef(), Kind::Write, op.getIndices()));
}

static void getForeignAccesses(memref::CopyOp op, Accesses &accesses) {
  accesses.push_back(wholeAccess(op.getSource(), Kind::Read));
  accesses.push_back(wholeAccess(op.getTarget(), Kind::Write));
}

static void getForeignAccesses(memref::AtomicRMWOp op, Accesses &accesses) {
  accesses.push_back(
      trailingAccess(op.getMemref(), Kind::Update, op.getIndices()));
}

static void getForeignAccesses(memref::GenericAtomicRMWOp op,
                               Accesses &accesses) {
  accesses.push_back(
      trailingAccess(op.getMemref(), Kind::Update, op.getIndices()));
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

/// An index that is an operand or a constant is named; others are not followed.
static RegionAccess affineAccess(Value buffer, Kind kind, AffineMap map,
                                 ValueRange operands) {
  Builder b(buffer.getContext());
  SmallVector<OpFoldResult> offsets;
  for (AffineExpr expr : map.getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      offsets.push_back(b.getIndexAttr(constant.getValue()));
    else if (auto dim = dyn_cast<AffineDimExpr>(expr))
      offsets.push_back(operands[dim.getPosition()]);
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      offsets.push_back(operands[map.getNumDims() + symbol.getPosition()]);
    else
      return wholeAccess(buffer, kind, /*definite=*/false);
  }
  SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1));
  return {buffer, kind, offsets, sizes};
}

static void getForeignAccesses(affine::AffineLoadOp op, Accesses &accesses) {
  accesses.push_back(affineAccess(op.getMemRef(), Kind::Read, op.getAffineMap(),
                                  op.getMapOperands()));
}

static void getForeignAccesses(affine::AffineStoreOp op, Accesses &accesses) {
  accesses.push_back(affineAccess(op.getMemRef(), Kind::Write,
                                  op.getAffineMap(), op.getMapOperands()));
}

//===----------------------------------------------------------------------===//
// vector
//===----------------------------------------------------------------------===//

/// `shape` in the trailing dimensions, or everything if a dimension is
/// scalable. A vector of the element type is one element.
static RegionAccess vectorAccess(Value buffer, Kind kind, ValueRange indices,
                                 VectorType vector) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (vector.isScalable())
    return wholeAccess(buffer, kind, /*definite=*/false);
  ArrayRef<int64_t> shape = vector.getShape();
  if (auto inner = dyn_cast<VectorType>(element))
    shape = shape.drop_back(std::min<size_t>(inner.getRank(), shape.size()));
  return trailingAccess(buffer, kind, indices, shape);
}

static void getForeignAccesses(vector::LoadOp op, Accesses &accesses) {
  accesses.push_back(vectorAccess(op.getBase(), Kind::Read, op.getIndices(),
                                  op.getVectorType()));
}

static void getForeignAccesses(vector::StoreOp op, Accesses &accesses) {
  accesses.push_back(vectorAccess(op.getBase(), Kind::Write, op.getIndices(),
                                  op.getVectorType()));
}

/// What a transfer moves: its permutation map says which dimensions of the
/// buffer the vector runs over. Where it is masked, or runs over the end of the
/// buffer, not every element is.
static void addTransfer(VectorTransferOpInterface op, Kind kind,
                        Accesses &accesses) {
  Value buffer = op.getBase();
  // Transfers of tensors access no memory.
  if (!isa<MemRefType>(buffer.getType()))
    return;
  VectorType vector = op.getVectorType();
  AffineMap map = op.getPermutationMap();
  if (vector.isScalable() ||
      !map.isProjectedPermutation(/*allowZeroInResults=*/true)) {
    accesses.push_back(wholeAccess(buffer, kind, /*definite=*/false));
    return;
  }
  RegionAccess access = trailingAccess(buffer, kind, op.getIndices());
  access.definite = !op.getMask() && !op.hasOutOfBoundsDim();
  for (auto [expr, extent] : llvm::zip(map.getResults(), vector.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      access.sizes[dim.getPosition()] =
          Builder(op.getContext()).getIndexAttr(extent);
  accesses.push_back(std::move(access));
}

static void getForeignAccesses(vector::TransferReadOp op, Accesses &accesses) {
  addTransfer(cast<VectorTransferOpInterface>(op.getOperation()), Kind::Read,
              accesses);
}

static void getForeignAccesses(vector::TransferWriteOp op, Accesses &accesses) {
  addTransfer(cast<VectorTransferOpInterface>(op.getOperation()), Kind::Write,
              accesses);
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// True if each element of the output is written: each dimension of it is a
/// loop of its own, and the other loops certainly run.
static bool writesWhole(linalg::LinalgOp op, AffineMap map) {
  if (!map.isProjectedPermutation())
    return false;
  for (auto [dim, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(dim) &&
        (ShapedType::isDynamic(extent) || extent == 0))
      return false;
  return true;
}

static void getForeignAccesses(linalg::LinalgOp op, Accesses &accesses) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()) &&
        op.payloadUsesValueFromOperand(input))
      accesses.push_back(wholeAccess(input->get(), Kind::Read));
  for (OpOperand &output : op.getDpsInitsMutable())
    if (isa<MemRefType>(output.get().getType()))
      accesses.push_back(wholeAccess(
          output.get(),
          op.payloadUsesValueFromOperand(&output) ? Kind::Update : Kind::Write,
          writesWhole(op, op.getMatchingIndexingMap(&output))));
}

//===----------------------------------------------------------------------===//
// nvgpu
//===----------------------------------------------------------------------===//

/// Only what it touches; that it is not complete is for its group to say.
static void getForeignAccesses(nvgpu::DeviceAsyncCopyOp op,
                               Accesses &accesses) {
  int64_t count = op.getDstElements().getSExtValue();
  accesses.push_back(
      trailingAccess(op.getSrc(), Kind::Read, op.getSrcIndices(), {count}));
  accesses.push_back(
      trailingAccess(op.getDst(), Kind::Write, op.getDstIndices(), {count}));
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {

/// Attaches `getForeignAccesses(op, accesses)` to an operation.
template <typename OpT>
struct Model : AccessOpInterface::ExternalModel<Model<OpT>, OpT> {
  void getAccesses(Operation *op, Accesses &accesses) const {
    getForeignAccesses(cast<OpT>(op), accesses);
  }
};

} // namespace

template <typename... OpTs> static void attach(MLIRContext *context) {
  (OpTs::template attachInterface<Model<OpTs>>(*context), ...);
}

void tile::registerAccessExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    attach<memref::LoadOp, memref::StoreOp, memref::CopyOp, memref::AtomicRMWOp,
           memref::GenericAtomicRMWOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, affine::AffineDialect *) {
    attach<affine::AffineLoadOp, affine::AffineStoreOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    attach<vector::LoadOp, vector::StoreOp, vector::TransferReadOp,
           vector::TransferWriteOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
  registry.addExtension(+[](MLIRContext *context, nvgpu::NVGPUDialect *) {
    attach<nvgpu::DeviceAsyncCopyOp>(context);
  });
}
