//===- Pipelines.cpp - The pipeline tile-to-cce ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/Ascend/Passes.h"

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilepipe;

void ascend::registerAscendPipelines() { registerTileAscendPasses(); }

void ascend::registerAscendDialects(DialectRegistry &registry) {
  registry.insert<AscendDialect>();
}

void ascend::registerToCCETranslation() {}
