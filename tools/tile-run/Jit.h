//===- Jit.h - The compiled backend of tile-run -----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_TILE_RUN_JIT_H
#define TILEPIPE_TOOLS_TILE_RUN_JIT_H

#include "tilepipe/Interpreter/Check.h"

namespace tilepipe {

/// How a program is compiled.
struct JitOptions {
  /// Asynchronous copies go through the runtime, with checks.
  bool asyncRuntime = false;
  bool sanitize = false;
  unsigned optLevel = 3;
  unsigned threads = 1;
};

/// A program compiled for this machine.
class JitProgram {
public:
  /// Null, and `error`, where it cannot be compiled or this build has no CPU
  /// target.
  static std::unique_ptr<JitProgram>
  compile(mlir::ModuleOp module, const JitOptions &options, std::string &error);
  ~JitProgram();

  /// Runs a function; false, and `error`, for broken rules of copies.
  bool run(mlir::func::FuncOp function,
           llvm::ArrayRef<InterpreterArgument> arguments,
           const InterpreterOptions &options, std::string &error,
           llvm::SmallVectorImpl<double> *results = nullptr) const;

  /// Milliseconds of each phase of the compilation, for a person.
  std::string getCompileTimes() const;

private:
  struct Impl;
  JitProgram();
  std::unique_ptr<Impl> impl;
};

} // namespace tilepipe

#endif // TILEPIPE_TOOLS_TILE_RUN_JIT_H
