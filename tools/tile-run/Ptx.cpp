//===- Ptx.cpp - tile-run in the PTX emulator -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#ifdef TILEPIPE_TARGET_NVIDIA
#include "../common/PtxKernel.h"
#endif
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace mlir;
using namespace tilepipe;

#ifdef TILEPIPE_TARGET_NVIDIA

namespace {

class PtxProgram : public CompiledProgram {
public:
  PtxProgram(std::unique_ptr<PtxKernel> kernel, double seconds)
      : kernel(std::move(kernel)), seconds(seconds) {}

  bool run(func::FuncOp, ArrayRef<InterpreterArgument> arguments,
           const InterpreterOptions &options, std::string &error,
           SmallVectorImpl<double> *) const override {
    PtxOutcome outcome = kernel->run(arguments, options.policy, options.seed,
                                     options.trackUninitialized);
    error = outcome.problem;
    return outcome.problem.empty();
  }

  std::string getCompileTimes() const override {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("compiled in %.1f ms of the processor", seconds * 1e3);
    return text;
  }

private:
  std::unique_ptr<PtxKernel> kernel;
  double seconds;
};

} // namespace

std::unique_ptr<CompiledProgram>
tilepipe::compilePtx(func::FuncOp function, int64_t threads,
                     std::string &error) {
  std::clock_t start = std::clock();
  FailureOr<std::unique_ptr<PtxKernel>> kernel =
      PtxKernel::compile(function, threads);
  if (failed(kernel)) {
    error = "'" + function.getSymName().str() + "' does not compile to PTX";
    return nullptr;
  }
  return std::make_unique<PtxProgram>(
      std::move(*kernel), double(std::clock() - start) / CLOCKS_PER_SEC);
}

#else

std::unique_ptr<CompiledProgram>
tilepipe::compilePtx(func::FuncOp, int64_t, std::string &error) {
  error = "this build has no NVIDIA target";
  return nullptr;
}

#endif
