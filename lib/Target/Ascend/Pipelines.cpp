//===- Pipelines.cpp - The pipeline tile-to-cce ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/Ascend/Passes.h"

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilepipe;

void ascend::buildTileToCCEPipeline(OpPassManager &pm,
                                    const TileToCCEOptions &options) {
  if (!options.chip.empty()) {
    tile::TileSetTargetOptions target;
    target.chip = options.chip;
    pm.addPass(tile::createTileSetTarget(target));
  }
  pm.addPass(createTileAssignSpaces());
  pm.addPass(tile::createPipelinePlanning());
  InjectSoftwarePipelineOptions injection;
  buildInjectSoftwarePipeline(pm, injection);
  // Elements that maps access are staged by copies, which end where memory does.
  tile::TileGuardAccessesOptions guards;
  guards.scalarOnly = true;
  pm.addPass(tile::createTileGuardAccesses(guards));
  // Constants tell where regions end, and so which branches are needed.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertTileToAscend());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Shared bytes would make the pipes wait for each other.
  tile::TileAllocateMemoryOptions allocation;
  allocation.avoidReuse = true;
  pm.addPass(tile::createTileAllocateMemory(allocation));
  pm.addPass(createAscendInsertFlags());
  pm.addPass(createAscendVerifyFlags());
}

void ascend::registerAscendPipelines() {
  registerTileAscendPasses();
  static PassPipelineRegistration<TileToCCEOptions> pipeline(
      "tile-to-cce",
      "Lower tile IR of any phase to instructions of Ascend AI cores",
      buildTileToCCEPipeline);
}

void ascend::registerAscendDialects(DialectRegistry &registry) {
  registry.insert<AscendDialect>();
}
