//===- Passes.h - Passes of the NVIDIA target -------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_NVIDIA_PASSES_H
#define TILEPIPE_TARGET_NVIDIA_PASSES_H

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

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
  Option<tile::PlanningPolicy> policy{
      *this, "policy",
      llvm::cl::desc("how loops that are not planned yet are planned"),
      llvm::cl::init(tile::PlanningPolicy::TileLang),
      llvm::cl::values(
          clEnumValN(tile::PlanningPolicy::TileLang, "tilelang",
                     "copies as early as num_stages allows"),
          clEnumValN(tile::PlanningPolicy::Modulo, "modulo",
                     "least initiation interval under the machine model"))};
  Option<tile::ExpansionForm> form{
      *this, "form",
      llvm::cl::desc("how loops that are not expanded yet are expanded"),
      llvm::cl::init(tile::ExpansionForm::Prologue),
      llvm::cl::values(clEnumValN(tile::ExpansionForm::Peeled, "peeled",
                                  "prologue, loop and epilogue"),
                       clEnumValN(tile::ExpansionForm::Prologue, "prologue",
                                  "prologue, and a loop with guards on what "
                                  "its last steps leave out"),
                       clEnumValN(tile::ExpansionForm::Predicated, "predicated",
                                  "one loop of guarded statements"))};
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
