//===- Pipelines.cpp - The pipeline tile-to-cpu ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Target/CPU/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilepipe;

void cpu::buildTileToCPUPipeline(OpPassManager &pm,
                                 const TileToCPUOptions &options) {
  // First: loops of linalg and affine are inside by their own rules.
  tile::TileGuardAccessesOptions guards;
  guards.assertOnChip = true;
  pm.addPass(tile::createTileGuardAccesses(guards));
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerAffinePass());
  ConvertTileToCPUOptions convert;
  convert.async = options.async;
  convert.sanitize = options.sanitize;
  convert.vectorBits = options.vectorBits;
  pm.addPass(createConvertTileToCPU(convert));
  pm.addPass(createCSEPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  // Sub-views become affine arithmetic.
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertCPUToLLVM());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void cpu::registerCPUPipelines() {
  registerTileCPUPasses();
  static PassPipelineRegistration<TileToCPUOptions> pipeline(
      "tile-to-cpu",
      "Lower tile IR of any phase to the llvm dialect for this machine",
      buildTileToCPUPipeline);
}

void cpu::registerCPUTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
