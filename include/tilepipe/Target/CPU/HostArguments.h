//===- HostArguments.h - Compiled kernels on host buffers -------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_CPU_HOSTARGUMENTS_H
#define TILEPIPE_TARGET_CPU_HOSTARGUMENTS_H

#include "tilepipe/Interpreter/Interpreter.h"
#include "tilepipe/Target/CPU/CpuKernel.h"

namespace tilepipe::cpu {

/// Calls a compiled function with the arguments that the interpreter takes.
/// `type` is that of the function before it was lowered.
llvm::Error invoke(const CpuKernel &kernel, llvm::StringRef entry,
                   mlir::FunctionType type,
                   llvm::ArrayRef<InterpreterArgument> arguments,
                   const CpuRunOptions &options,
                   llvm::SmallVectorImpl<double> *results = nullptr);

} // namespace tilepipe::cpu

#endif // TILEPIPE_TARGET_CPU_HOSTARGUMENTS_H
