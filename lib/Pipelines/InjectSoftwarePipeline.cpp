//===- InjectSoftwarePipeline.cpp - From planned to injected --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilepipe;

void tilepipe::buildInjectSoftwarePipeline(
    OpPassManager &pm, const InjectSoftwarePipelineOptions &options) {
  pm.addPass(tile::createMultiBufferVersioning());
  tile::ExpandSoftwarePipelineOptions expansion;
  expansion.form = options.form;
  expansion.maxPeeledOps = options.maxPeeledOps;
  pm.addPass(tile::createExpandSoftwarePipeline(expansion));
  pm.addPass(tile::createAsyncWaitRelaxation());
}

void tilepipe::registerPipelines() {
  PassPipelineRegistration<InjectSoftwarePipelineOptions>(
      "inject-software-pipeline",
      "Carry out what --pipeline-planning decided: versions of buffers, "
      "overlapped iterations, and the fewest waits that are right",
      buildInjectSoftwarePipeline);
}
