//===- Passes.h - Passes of the Ascend target -------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_ASCEND_PASSES_H
#define TILEPIPE_TARGET_ASCEND_PASSES_H

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tilepipe::ascend {

#define GEN_PASS_DECL
#include "tilepipe/Target/Ascend/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilepipe/Target/Ascend/Passes.h.inc"

/// Options of the pipeline `tile-to-cce`.
struct TileToCCEOptions : public mlir::PassPipelineOptions<TileToCCEOptions> {
  Option<std::string> chip{
      *this, "chip", llvm::cl::init(""),
      llvm::cl::desc("the AI core; empty: the module's target")};
};

/// Everything from tile IR of any phase to functions of the ascend dialect.
void buildTileToCCEPipeline(mlir::OpPassManager &pm,
                            const TileToCCEOptions &options);

/// Prints the `ascend.func`s of a module, whose buffers have addresses, as CCE.
mlir::LogicalResult translateToCCE(mlir::ModuleOp module,
                                   llvm::raw_ostream &os);

/// Registers the passes above and the pipeline `tile-to-cce`.
void registerAscendPipelines();

/// Inserts the dialects of the target.
void registerAscendDialects(mlir::DialectRegistry &registry);

/// Registers `--tile-to-cce` with `tile-translate`.
void registerToCCETranslation();

} // namespace tilepipe::ascend

#endif // TILEPIPE_TARGET_ASCEND_PASSES_H
