//===- SetTarget.cpp - Choose the machine of a module ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "tilepipe/Model/TargetModels.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILESETTARGET
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

struct SetTarget : tile::impl::TileSetTargetBase<SetTarget> {
  using TileSetTargetBase::TileSetTargetBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (models.empty()) {
      known = getTargetModels(context);
      return success();
    }
    FailureOr<TargetModels> read = readTargetModels(context, models);
    if (failed(read))
      return failure();
    known = *read;
    return success();
  }

  void runOnOperation() override {
    TargetAttr target = findTargetModel(known, chip);
    if (target) {
      getOperation()->setAttr("tile.target", target);
      return;
    }
    InFlightDiagnostic diagnostic =
        emitError(getOperation().getLoc())
        << (chip.empty() ? "no chip given" : "unknown chip '" + chip + "'")
        << "; known chips are ";
    llvm::interleaveComma(known, diagnostic, [&](const auto &model) {
      diagnostic << "'" << model.first << "'";
    });
    diagnostic.report();
    signalPassFailure();
  }

  TargetModels known;
};

} // namespace
