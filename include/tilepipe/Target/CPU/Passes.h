//===- Passes.h - Passes of the CPU target ----------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_CPU_PASSES_H
#define TILEPIPE_TARGET_CPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tilepipe::cpu {

#define GEN_PASS_DECL
#include "tilepipe/Target/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilepipe/Target/CPU/Passes.h.inc"

/// Options of the pipeline `tile-to-cpu`; see `convert-tile-to-cpu`.
struct TileToCPUOptions : public mlir::PassPipelineOptions<TileToCPUOptions> {
  Option<std::string> async{*this, "async", llvm::cl::init("inline"),
                            llvm::cl::desc("'inline' or 'runtime'")};
  Option<bool> sanitize{
      *this, "sanitize", llvm::cl::init(false),
      llvm::cl::desc("check accesses against memory in flight")};
  Option<int64_t> vectorBits{*this, "vector-bits", llvm::cl::init(512),
                             llvm::cl::desc("width of a vector register")};
};

/// Everything from tile IR of any phase to the llvm dialect.
void buildTileToCPUPipeline(mlir::OpPassManager &pm,
                            const TileToCPUOptions &options);

/// Registers the passes above and the pipeline `tile-to-cpu`.
void registerCPUPipelines();

/// What turning the result into LLVM IR needs of a context.
void registerCPUTranslations(mlir::DialectRegistry &registry);

} // namespace tilepipe::cpu

#endif // TILEPIPE_TARGET_CPU_PASSES_H
