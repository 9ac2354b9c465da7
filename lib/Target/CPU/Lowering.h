//===- Lowering.h - Lowering of each tile operation -------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_CPU_LOWERING_H
#define TILEPIPE_LIB_TARGET_CPU_LOWERING_H

#include "Emitter.h"

namespace tilepipe::cpu {

/// What the lowerings of one module share.
struct Lowering {
  Lowering(mlir::ModuleOp module, const mlir::LowerToLLVMOptions &llvmOptions)
      : module(module), types(module.getContext(), llvmOptions),
        functions(module) {
    addMemorySpaceConversions(types);
  }

  mlir::ModuleOp module;
  mlir::LLVMTypeConverter types;
  FunctionLibrary functions;
  bool asyncRuntime = false;
  bool sanitize = false;
  int64_t vectorBits = 512;
  unsigned numBlockedGemms = 0, numPlainGemms = 0;

  /// A builder in front of `op`.
  Emitter before(mlir::Operation *op, mlir::OpBuilder &storage) {
    storage.setInsertionPoint(op);
    return Emitter(op->getLoc(), storage, types);
  }
  mlir::Type pointerType() {
    return mlir::LLVM::LLVMPointerType::get(module.getContext());
  }
  /// Calls a function of the runtime.
  mlir::ValueRange call(Emitter &e, llvm::StringRef name,
                        llvm::ArrayRef<mlir::Value> operands,
                        llvm::ArrayRef<mlir::Type> results = {});
};

/// Each replaces one operation (and erases it).
void lower(Lowering &l, tile::CopyOp op);
void lower(Lowering &l, mlir::memref::CopyOp op);
void lower(Lowering &l, tile::FillOp op);
void lower(Lowering &l, tile::GemmOp op);
void lower(Lowering &l, tile::ReduceOp op);
void lower(Lowering &l, tile::AtomicOp op);
void lower(Lowering &l, tile::SlotOp op);
void lower(Lowering &l, tile::MapOp op);
void lower(Lowering &l, tile::IterationOp op);
void lower(Lowering &l, tile::PipelineOp op);
void lower(Lowering &l, tile::LaunchOp op);
void lower(Lowering &l, tile::AsyncCopyOp op);
void lower(Lowering &l, tile::AsyncCommitOp op);
void lower(Lowering &l, tile::AsyncNoneOp op);
void lower(Lowering &l, tile::AsyncWaitOp op);

/// Gives the allocations of a function or launch (`scope`), not of launches
/// inside it, their places.
void lowerAllocs(Lowering &l, mlir::Operation *scope);

/// Inserts checks of what `op` accesses against memory in flight.
void insertChecks(Lowering &l, mlir::Operation *op);

} // namespace tilepipe::cpu

#endif // TILEPIPE_LIB_TARGET_CPU_LOWERING_H
