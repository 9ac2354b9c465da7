//===- Jit.cpp - The compiled backend of tile-run -------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#ifdef TILEPIPE_TARGET_CPU
#include "tilepipe/Target/CPU/HostArguments.h"
#endif
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace mlir;
using namespace tilepipe;

#ifdef TILEPIPE_TARGET_CPU

struct JitProgram::Impl {
  std::unique_ptr<cpu::CpuKernel> kernel;
  cpu::CpuCompileTimes times;
  double processor = 0; ///< seconds of the processor that compilation took
  unsigned threads = 1;
};

std::unique_ptr<JitProgram> JitProgram::compile(ModuleOp module,
                                                const JitOptions &options,
                                                std::string &error) {
  cpu::CpuCompileOptions compileOptions;
  compileOptions.asyncRuntime = options.asyncRuntime;
  compileOptions.sanitize = options.sanitize;
  compileOptions.optLevel = options.optLevel;
  std::unique_ptr<JitProgram> program(new JitProgram);
  std::clock_t start = std::clock();
  auto kernel =
      cpu::CpuKernel::compile(module, compileOptions, &program->impl->times);
  program->impl->processor = double(std::clock() - start) / CLOCKS_PER_SEC;
  if (!kernel) {
    error = llvm::toString(kernel.takeError());
    return nullptr;
  }
  program->impl->kernel = std::move(*kernel);
  program->impl->threads = options.threads;
  return program;
}

bool JitProgram::run(func::FuncOp function,
                     ArrayRef<InterpreterArgument> arguments,
                     const InterpreterOptions &options, std::string &error,
                     SmallVectorImpl<double> *results) const {
  cpu::CpuRunOptions runOptions;
  runOptions.threads = impl->threads;
  runOptions.policy = options.policy;
  runOptions.seed = options.seed;
  llvm::Error failure =
      cpu::invoke(*impl->kernel, function.getSymName(),
                  function.getFunctionType(), arguments, runOptions, results);
  if (!failure)
    return true;
  error = llvm::toString(std::move(failure));
  return false;
}

std::string JitProgram::getCompileTimes() const {
  const cpu::CpuCompileTimes &times = impl->times;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "compiled in %.1f ms, processor %.1f ms: lower %.1f, translate %.1f, "
      "optimize %.1f, codegen %.1f",
      times.total() * 1e3, impl->processor * 1e3, times.lower * 1e3,
      times.translate * 1e3, times.optimize * 1e3, times.codegen * 1e3);
  return text;
}

#else

struct JitProgram::Impl {};

std::unique_ptr<JitProgram> JitProgram::compile(ModuleOp, const JitOptions &,
                                                std::string &error) {
  error = "this build has no CPU target";
  return nullptr;
}
bool JitProgram::run(func::FuncOp, ArrayRef<InterpreterArgument>,
                     const InterpreterOptions &, std::string &,
                     SmallVectorImpl<double> *) const {
  return false;
}
std::string JitProgram::getCompileTimes() const { return ""; }

#endif

JitProgram::JitProgram() : impl(std::make_unique<Impl>()) {}
JitProgram::~JitProgram() = default;
