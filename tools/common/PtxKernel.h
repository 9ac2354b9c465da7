//===- PtxKernel.h - A function as PTX, run by the emulator -----*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_COMMON_PTXKERNEL_H
#define TILEPIPE_TOOLS_COMMON_PTXKERNEL_H

#include "tilepipe/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tilepipe {

namespace ptx {
struct Program;
} // namespace ptx

/// What one run found.
struct PtxOutcome {
  /// The first thing that is wrong, as text; empty where all is right.
  std::string problem;
  /// A broken rule of synchronisation, and not an ordinary error.
  bool isRace = false;
};

/// A function of tile IR, compiled to PTX.
class PtxKernel {
public:
  /// `threads` make the block of a function without a `tile.launch`, which then
  /// runs as one block. Diagnostics say why it fails.
  static llvm::FailureOr<std::unique_ptr<PtxKernel>>
  compile(mlir::func::FuncOp function, int64_t threads);
  ~PtxKernel();

  /// Runs all launches. `undefined` also finds uses of what nothing has written.
  PtxOutcome run(llvm::ArrayRef<InterpreterArgument> arguments,
                 runtime::CompletionPolicy policy, uint64_t seed,
                 bool undefined) const;

  llvm::StringRef getText() const;

private:
  PtxKernel();

  mlir::OwningOpRef<mlir::ModuleOp> source;
  mlir::func::FuncOp function;
  std::unique_ptr<ptx::Program> program;
  llvm::StringMap<uint64_t> sharedBytes;
};

} // namespace tilepipe

#endif // TILEPIPE_TOOLS_COMMON_PTXKERNEL_H
