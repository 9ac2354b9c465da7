//===- Oracle.h - Judges random programs ------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_TILE_FUZZ_ORACLE_H
#define TILEPIPE_TOOLS_TILE_FUZZ_ORACLE_H

#include "Program.h"

#include "tilepipe/Interpreter/Check.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include <functional>

namespace tilepipe::fuzz {

struct Outcome {
  enum class Status { Passed, Refused, Failed };
  Status status = Status::Passed;
  /// Class of a failure, kept while it is shrunk.
  std::string kind;
  std::string message;
  /// The source program with its manual schedule.
  std::string text;
  /// For the summary.
  bool isPipelined = false;
  uint64_t copies = 0, waits = 0;
};

/// The outcome, failed.
Outcome fail(Outcome outcome, const std::string &kind,
             const std::string &message);

/// What runs the pipelined program; the serial one is always interpreted.
enum class Backend {
  Interpreter,
  Jit, ///< also runs the serial program compiled
  Ptx  ///< as one block of threads, in the PTX emulator
};

/// Serial against pipelined execution of programs, in one context.
class Oracle {
public:
  explicit Oracle(Backend backend = Backend::Interpreter);
  ~Oracle();

  Outcome check(const Program &program, uint64_t seed);

  /// What loosening (`extra` at least 1) or removing (-1) each wait does.
  struct WaitReport {
    std::string wait;
    bool isExecuted = false, bySanitizer = false, byValues = false;
  };
  /// Empty where the program is not pipelined with waits, or does not pass.
  std::vector<WaitReport> mutateWaits(const Program &program, uint64_t seed,
                                      int64_t extra);

  /// What other plans do: one version fewer, a statement of another stage, two
  /// statements issued the other way round. The check of plans must refuse each
  /// that is wrong.
  struct PlanReport {
    /// Refused by a pass; accepted and right; accepted but wrong.
    unsigned refused = 0, right = 0, wrong = 0;
  };
  /// Nothing where the program does not pass as it is.
  PlanReport mutatePlans(const Program &program, uint64_t seed);

  /// What the passes do with a text that may be nonsense, besides a crash or a
  /// hang of the process.
  struct Digest {
    bool isProgram = false;
    /// The first thing that is wrong: a pass that fails without an error at a
    /// place, or makes invalid IR; a program that runs without an error as it
    /// is, and otherwise once it is pipelined or compiled.
    std::string problem;
  };
  Digest digest(llvm::StringRef text);

private:
  struct Prepared {
    mlir::OwningOpRef<mlir::ModuleOp> serial, injected;
    llvm::SmallVector<int64_t> trips;
  };
  /// Parses, plans and injects. False where the outcome is settled.
  bool prepare(const Program &program, uint64_t seed, Prepared &prepared,
               Outcome &outcome);
  bool setManualSchedules(mlir::ModuleOp module, const Program &program);
  Outcome checkJit(Prepared &prepared, uint64_t seed, Outcome outcome);
  Outcome checkPtx(Prepared &prepared, uint64_t seed, Outcome outcome);
  bool readsUninitialized(Prepared &prepared, int64_t trips);
  bool runSerial(Prepared &prepared, int64_t trips, KernelInput &input,
                 Outcome &outcome);
  mlir::PassManager &getPasses(const std::string &pipeline);
  struct Baseline;
  std::vector<Baseline> runAsItIs(mlir::ModuleOp module);
  std::string runPipeline(llvm::StringRef pipeline, mlir::ModuleOp module,
                          llvm::ArrayRef<Baseline> baselines);
  std::string compileAndRun(mlir::ModuleOp module,
                            llvm::ArrayRef<Baseline> baselines);
  std::string getProblemOfFailure(llvm::StringRef what);

  Backend backend;
  /// Changes the planned program before it is injected.
  std::function<void(mlir::ModuleOp)> mutation;
  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<std::pair<std::string, std::unique_ptr<mlir::PassManager>>> passes;
  /// Arguments of every program, by whether globals are the same.
  std::unique_ptr<KernelInput> input;
  std::string diagnostics;
  /// Of errors since `diagnostics` was cleared.
  unsigned numErrors = 0;
  bool hasUnlocated = false;
};

} // namespace tilepipe::fuzz

#endif // TILEPIPE_TOOLS_TILE_FUZZ_ORACLE_H
