//===- Passes.h - Passes of the NVIDIA target -------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_NVIDIA_PASSES_H
#define TILEPIPE_TARGET_NVIDIA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tilepipe::nvidia {

#define GEN_PASS_DECL
#include "tilepipe/Target/NVIDIA/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilepipe/Target/NVIDIA/Passes.h.inc"

/// Options of the pipeline `tile-to-ptx`.
struct TileToPTXOptions : public mlir::PassPipelineOptions<TileToPTXOptions> {
  Option<std::string> chip{
      *this, "chip", llvm::cl::init(""),
      llvm::cl::desc("the GPU; empty: the module's target, else sm_80")};
  Option<unsigned> indexBitwidth{*this, "index-bitwidth", llvm::cl::init(0),
                                 llvm::cl::desc("width of index arithmetic: 32 "
                                                "or 64; 0: 32 where it fits")};
};

/// Everything from tile IR of any phase to gpu.modules in the llvm dialect.
void buildTileToPTXPipeline(mlir::OpPassManager &pm,
                            const TileToPTXOptions &options);

/// Registers the passes above and the pipeline `tile-to-ptx`.
void registerNVIDIAPipelines();

/// What turning the result into LLVM IR needs of a context.
void registerNVIDIATranslations(mlir::DialectRegistry &registry);

/// Registers `--tile-to-ptx` with `tile-translate`.
void registerToPTXTranslation();

} // namespace tilepipe::nvidia

#endif // TILEPIPE_TARGET_NVIDIA_PASSES_H
