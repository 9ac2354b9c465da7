//===- Registration.cpp - Everything of tilepipe, for a tool ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Pipelines/Registration.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Pipelines/Pipelines.h"
#ifdef TILEPIPE_TARGET_CPU
#include "tilepipe/Target/CPU/Passes.h"
#endif
#ifdef TILEPIPE_TARGET_NVIDIA
#include "tilepipe/Target/NVIDIA/Passes.h"
#endif
#ifdef TILEPIPE_TARGET_ASCEND
#include "tilepipe/Target/Ascend/Passes.h"
#endif

#include "mlir/IR/DialectRegistry.h"

void tilepipe::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<tile::TileDialect>();
  tile::registerAccessExternalModels(registry);
#ifdef TILEPIPE_TARGET_CPU
  cpu::registerCPUTranslations(registry);
#endif
#ifdef TILEPIPE_TARGET_NVIDIA
  nvidia::registerNVIDIATranslations(registry);
#endif
#ifdef TILEPIPE_TARGET_ASCEND
  ascend::registerAscendDialects(registry);
#endif
}

void tilepipe::registerPasses() {
  // A tool that is linked to the library may also load it as a plug-in.
  static bool once = [] {
    tile::registerTilePasses();
    registerPipelines();
#ifdef TILEPIPE_TARGET_CPU
    cpu::registerCPUPipelines();
#endif
#ifdef TILEPIPE_TARGET_NVIDIA
    nvidia::registerNVIDIAPipelines();
#endif
#ifdef TILEPIPE_TARGET_ASCEND
    ascend::registerAscendPipelines();
#endif
    return true;
  }();
  (void)once;
}

void tilepipe::registerTranslations() {
#ifdef TILEPIPE_TARGET_NVIDIA
  nvidia::registerToPTXTranslation();
#endif
#ifdef TILEPIPE_TARGET_ASCEND
  ascend::registerToCCETranslation();
#endif
}
