//===- Pipelines.h - Named chains of passes ---------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_PIPELINES_PIPELINES_H
#define TILEPIPE_PIPELINES_PIPELINES_H

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Pass/PassOptions.h"

namespace tilepipe {

/// Options of `--inject-software-pipeline`; they mean what they mean for
/// `--expand-software-pipeline`.
struct InjectSoftwarePipelineOptions
    : mlir::PassPipelineOptions<InjectSoftwarePipelineOptions> {
  Option<tile::ExpansionForm> form{
      *this, "form", llvm::cl::desc("How steps are arranged"),
      llvm::cl::init(tile::ExpansionForm::Peeled),
      llvm::cl::values(clEnumValN(tile::ExpansionForm::Peeled, "peeled",
                                  "Prologue, loop and epilogue"),
                       clEnumValN(tile::ExpansionForm::Prologue, "prologue",
                                  "Prologue, and a loop with guards on what "
                                  "its last steps leave out"),
                       clEnumValN(tile::ExpansionForm::Predicated, "predicated",
                                  "One loop of guarded statements"))};
  Option<int64_t> maxPeeledOps{
      *this, "max-peeled-ops",
      llvm::cl::desc("Use the predicated form where peeling would create more "
                     "operations"),
      llvm::cl::init(4096)};
};

/// From planned to injected: versions, expansion, and the least waits.
void buildInjectSoftwarePipeline(mlir::OpPassManager &pm,
                                 const InjectSoftwarePipelineOptions &options);

/// Registers every named pipeline.
void registerPipelines();

} // namespace tilepipe

#endif // TILEPIPE_PIPELINES_PIPELINES_H
