//===- Jit.cpp - The compiled backend of tile-run -------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#ifdef TILEPIPE_TARGET_CPU
#include "tilepipe/Target/CPU/HostArguments.h"
#endif
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace mlir;
using namespace tilepipe;

#ifdef TILEPIPE_TARGET_CPU

namespace {

class JitProgram : public CompiledProgram {
public:
  static std::unique_ptr<CompiledProgram>
  compile(ModuleOp module, const JitOptions &options, std::string &error);

  bool run(func::FuncOp function, ArrayRef<InterpreterArgument> arguments,
           const InterpreterOptions &options, std::string &error,
           SmallVectorImpl<double> *results) const override;
  std::string getCompileTimes() const override;

private:
  std::unique_ptr<cpu::CpuKernel> kernel;
  cpu::CpuCompileTimes times;
  double processor = 0; ///< seconds of the processor that compilation took
  unsigned threads = 1;
};

} // namespace

std::unique_ptr<CompiledProgram>
JitProgram::compile(ModuleOp module, const JitOptions &options,
                    std::string &error) {
  cpu::CpuCompileOptions compileOptions;
  compileOptions.asyncRuntime = options.asyncRuntime;
  compileOptions.sanitize = options.sanitize;
  compileOptions.optLevel = options.optLevel;
  auto program = std::make_unique<JitProgram>();
  std::clock_t start = std::clock();
  auto kernel =
      cpu::CpuKernel::compile(module, compileOptions, &program->times);
  program->processor = double(std::clock() - start) / CLOCKS_PER_SEC;
  if (!kernel) {
    error = llvm::toString(kernel.takeError());
    return nullptr;
  }
  program->kernel = std::move(*kernel);
  program->threads = options.threads;
  return program;
}

bool JitProgram::run(func::FuncOp function,
                     ArrayRef<InterpreterArgument> arguments,
                     const InterpreterOptions &options, std::string &error,
                     SmallVectorImpl<double> *results) const {
  cpu::CpuRunOptions runOptions;
  runOptions.threads = threads;
  runOptions.policy = options.policy;
  runOptions.seed = options.seed;
  llvm::Error failure =
      cpu::invoke(*kernel, function.getSymName(), function.getFunctionType(),
                  arguments, runOptions, results);
  if (!failure)
    return true;
  error = llvm::toString(std::move(failure));
  return false;
}

std::string JitProgram::getCompileTimes() const {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "compiled in %.1f ms, processor %.1f ms: lower %.1f, translate %.1f, "
      "optimize %.1f, codegen %.1f",
      times.total() * 1e3, processor * 1e3, times.lower * 1e3,
      times.translate * 1e3, times.optimize * 1e3, times.codegen * 1e3);
  return text;
}

std::unique_ptr<CompiledProgram>
tilepipe::compileJit(ModuleOp module, const JitOptions &options,
                     std::string &error) {
  return JitProgram::compile(module, options, error);
}

#else

std::unique_ptr<CompiledProgram>
tilepipe::compileJit(ModuleOp, const JitOptions &, std::string &error) {
  error = "this build has no CPU target";
  return nullptr;
}

#endif
