//===- Compiled.h - The compiled backends of tile-run -----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_TILE_RUN_COMPILED_H
#define TILEPIPE_TOOLS_TILE_RUN_COMPILED_H

#include "tilepipe/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>

namespace tilepipe {

/// A compiled program.
class CompiledProgram {
public:
  virtual ~CompiledProgram() = default;

  /// Runs a function; `options` gives the policy and its seed. False and `error`
  /// if it fails.
  virtual bool run(mlir::func::FuncOp function,
                   llvm::ArrayRef<InterpreterArgument> arguments,
                   const InterpreterOptions &options, std::string &error,
                   llvm::SmallVectorImpl<double> *results) const = 0;

  /// How long compilation took, as a line of text.
  virtual std::string getCompileTimes() const = 0;
};

struct JitOptions {
  /// Asynchronous copies are calls of the runtime, and checked.
  bool asyncRuntime = false, sanitize = false;
  unsigned optLevel = 3;
  unsigned threads = 1;
};

/// For this machine. Null and `error` if that fails or the build has no CPU
/// target.
std::unique_ptr<CompiledProgram> compileJit(mlir::ModuleOp module,
                                            const JitOptions &options,
                                            std::string &error);

/// For NVIDIA sm_80, to be run in the emulator: a function without `tile.launch`
/// as one block of `threads`. Null and `error` if that fails or the build has no
/// NVIDIA target.
std::unique_ptr<CompiledProgram> compilePtx(mlir::func::FuncOp function,
                                            int64_t threads,
                                            std::string &error);

} // namespace tilepipe

#endif // TILEPIPE_TOOLS_TILE_RUN_COMPILED_H
