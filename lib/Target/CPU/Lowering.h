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
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

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

  /// 64-bit words on the stack of the function that `op` is in, for arguments
  /// of a call of the runtime; the next call may use them again.
  mlir::Value getScratch(mlir::Operation *op, int64_t numWords);
  /// The address of a text that says where `op` is and what it is, or `what`.
  mlir::Value getOrigin(Emitter &e, mlir::Operation *op,
                        llvm::StringRef what = {});

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

private:
  llvm::DenseMap<mlir::Region *, mlir::LLVM::AllocaOp> scratch;
  llvm::StringMap<mlir::LLVM::GlobalOp> origins;
};

/// `file:line:column`, as far as it is one.
void printLocation(mlir::Location loc, llvm::raw_ostream &os);

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
void lower(Lowering &l, mlir::cf::AssertOp op);

/// Makes an asynchronous copy a call of the runtime's engine.
void lowerToRuntime(Lowering &l, tile::AsyncCopyOp op);

/// Gives the allocations of a function or launch (`scope`), not of launches
/// inside it, their places.
void lowerAllocs(Lowering &l, mlir::Operation *scope);

/// Inserts checks of what `op` accesses against memory in flight.
void insertChecks(Lowering &l, mlir::Operation *op);

} // namespace tilepipe::cpu

#endif // TILEPIPE_LIB_TARGET_CPU_LOWERING_H
