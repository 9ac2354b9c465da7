//===- Pipelines.cpp - The pipeline tile-to-ptx ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/NVIDIA/Passes.h"

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Pipelines/Pipelines.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilepipe;

void nvidia::buildTileToPTXPipeline(OpPassManager &pm,
                                    const TileToPTXOptions &options) {
  if (!options.chip.empty()) {
    tile::TileSetTargetOptions target;
    target.chip = options.chip;
    pm.addPass(tile::createTileSetTarget(target));
  }
  pm.addPass(tile::createTileRaiseLinalg());
  tile::PipelinePlanningOptions planning;
  planning.policy = options.policy;
  pm.addPass(tile::createPipelinePlanning(planning));
  InjectSoftwarePipelineOptions injection;
  injection.form = options.form;
  buildInjectSoftwarePipeline(pm, injection);
  pm.addPass(tile::createTileGuardAccesses());
  pm.addPass(createTileDemoteFragments());
  pm.addPass(createHoistAsyncWaits());
  pm.addPass(tile::createTileAllocateMemory());
  // Behind the allocation, which lets buffers share memory.
  pm.addPass(createInsertBarriers());
  pm.addPass(createConvertTileToNVGPU());
  // Less to convert; the rest LLVM folds anyway.
  pm.addPass(createCSEPass());
  LowerGPUToNVVMOptions lowering;
  lowering.indexBitwidth = options.indexBitwidth;
  pm.addPass(createLowerGPUToNVVM(lowering));
  // The lines of the user's source, without tables for a debugger.
  LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
  scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
}

void nvidia::registerNVIDIAPipelines() {
  registerTileNVIDIAPasses();
  static PassPipelineRegistration<TileToPTXOptions> pipeline(
      "tile-to-ptx",
      "Lower tile IR of any phase to kernels in the llvm dialect for NVIDIA",
      buildTileToPTXPipeline);
}

void nvidia::registerNVIDIATranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
