//===- Pipelines.cpp - The pipeline tile-to-ptx ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/NVIDIA/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilepipe;

void nvidia::registerNVIDIAPipelines() { registerTileNVIDIAPasses(); }

void nvidia::registerNVIDIATranslations(DialectRegistry &registry) {
  registry.insert<gpu::GPUDialect>();
}

void nvidia::registerToPTXTranslation() {}
