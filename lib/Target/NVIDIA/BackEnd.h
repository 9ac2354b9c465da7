//===- BackEnd.h - LLVM's NVPTX back end ------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_BACKEND_H
#define TILEPIPE_LIB_TARGET_NVIDIA_BACKEND_H

#include "tilepipe/Target/NVIDIA/PTX.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <memory>

namespace tilepipe::nvidia {

/// An error of LLVM and the place it names, if any.
struct BackEndError {
  std::string message;
  std::string file;
  unsigned line = 0, column = 0;
};

/// Everything one compilation owns. Leaked after a fatal error.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  bool shortPointers = false;
  llvm::SmallVector<BackEndError, 0> errors;
  std::string text;
  PTXTimes times;
};

/// Seconds since the last call.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - start).count();
    start = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// Null, with an error, for a chip that LLVM does not know. With short pointers
/// addresses of shared memory have 32 bits, as indices then have: no conversion
/// in between. With 64-bit indices they would only add some.
std::unique_ptr<llvm::TargetMachine> createMachine(mlir::Location loc,
                                                   llvm::StringRef chip,
                                                   bool shortPointers,
                                                   const PTXOptions &options);

/// Collects errors, which end the process in LLVM's default handler.
void collectDiagnostics(Compilation &c);

/// From the module to the text, or errors. LLVM's fatal errors come out of
/// here.
void compile(Compilation &c, const PTXOptions &options);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_BACKEND_H
