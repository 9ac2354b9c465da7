//===- AccessModels.cpp - What foreign operations access ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

RegionAccess elementAccess(Value buffer, RegionAccess::Kind kind,
                           ValueRange indices) {
  SmallVector<OpFoldResult> sizes(
      indices.size(), Builder(buffer.getContext()).getIndexAttr(1));
  return {buffer, kind, getAsOpFoldResult(indices), sizes};
}

struct LoadModel : AccessOpInterface::ExternalModel<LoadModel, memref::LoadOp> {
  void getAccesses(Operation *op,
                   SmallVectorImpl<RegionAccess> &accesses) const {
    auto load = cast<memref::LoadOp>(op);
    accesses.push_back(elementAccess(
        load.getMemRef(), RegionAccess::Kind::Read, load.getIndices()));
  }
};

struct StoreModel
    : AccessOpInterface::ExternalModel<StoreModel, memref::StoreOp> {
  void getAccesses(Operation *op,
                   SmallVectorImpl<RegionAccess> &accesses) const {
    auto store = cast<memref::StoreOp>(op);
    accesses.push_back(elementAccess(
        store.getMemRef(), RegionAccess::Kind::Write, store.getIndices()));
  }
};

} // namespace

void tile::registerAccessExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::LoadOp::attachInterface<LoadModel>(*context);
    memref::StoreOp::attachInterface<StoreModel>(*context);
  });
}
