//===- CompileToPTX.cpp - From tile IR to PTX -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/NVIDIA/PTX.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Target/NVIDIA/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <mutex>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Whether nothing is left to lower.
static bool isLowered(ModuleOp module) {
  return !module
              .walk([&](Operation *op) {
                if (op == module || isa<gpu::GPUModuleOp>(op) ||
                    isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
                        op->getDialect()))
                  return WalkResult::advance();
                return WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Passes load the dialects they need, which two threads may not do in one
/// context: done here before they run.
static void loadDialects(PassManager &pm) {
  static std::mutex oneAtATime;
  std::lock_guard<std::mutex> lock(oneAtATime);
  MLIRContext *context = pm.getContext();
  DialectRegistry registry;
  pm.getDependentDialects(registry);
  registerNVIDIATranslations(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

FailureOr<PTXModule> nvidia::compileToPTX(ModuleOp original,
                                          const PTXOptions &options) {
  if (isLowered(original))
    return translateToPTX(original, options);
  auto start = std::chrono::steady_clock::now();
  TileToPTXOptions pipeline;
  // A module for this chip keeps the model it has, and none is parsed.
  auto target = original->getAttrOfType<tile::TargetAttr>("tile.target");
  if (!target || target.getName() != options.chip)
    pipeline.chip = options.chip;
  // What it is compiled for, and so what has to fit.
  if (!target && options.chip.empty())
    pipeline.chip = "sm_80";
  pipeline.indexBitwidth = options.indexBitwidth;
  PassManager pm(original.getContext(), ModuleOp::getOperationName());
  buildTileToPTXPipeline(pm, pipeline);
  loadDialects(pm);
  // Once, at the end, is a fifth of the time of lowering less than after each
  // pass; `tile-opt --tile-to-ptx` finds out which pass it was.
  pm.enableVerifier(false);
  OwningOpRef<ModuleOp> module = original.clone();
  if (failed(pm.run(*module)) || failed(verify(*module)))
    return failure();
  std::chrono::duration<double> lowering =
      std::chrono::steady_clock::now() - start;
  FailureOr<PTXModule> result = translateToPTX(*module, options);
  if (succeeded(result))
    result->times.lower = lowering.count();
  return result;
}
