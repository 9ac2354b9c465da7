//===- JitOracle.cpp - Judges compiled random programs --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#ifdef TILEPIPE_TARGET_CPU
#include "tilepipe/Target/CPU/HostArguments.h"
#endif

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::fuzz;

#ifdef TILEPIPE_TARGET_CPU

/// One module with both forms, as `serial` and `pipelined`.
static OwningOpRef<ModuleOp> pack(ModuleOp serial, ModuleOp injected) {
  OwningOpRef<ModuleOp> packed = ModuleOp::create(serial.getLoc());
  (*packed)->setAttrs(injected->getAttrDictionary());
  OpBuilder b = OpBuilder::atBlockEnd(packed->getBody());
  for (auto [module, name] :
       {std::pair(serial, "serial"), {injected, "pipelined"}})
    for (auto function : module.getOps<func::FuncOp>())
      cast<func::FuncOp>(b.clone(*function)).setSymName(name);
  return packed;
}

Outcome Oracle::checkJit(Prepared &prepared, uint64_t seed, Outcome outcome) {
  OwningOpRef<ModuleOp> packed = pack(*prepared.serial, *prepared.injected);
  cpu::CpuCompileOptions options;
  options.asyncRuntime = options.sanitize = true;
  // Most of the time would go into optimisation.
  options.optLevel = seed % 8 ? 0 : 3;
  options.vectorBits = seed % 3 ? 0 : 256;
  auto kernel = cpu::CpuKernel::compile(*packed, options);
  if (!kernel)
    return fail(outcome, "not compiled",
                diagnostics + llvm::toString(kernel.takeError()));
  FunctionType type =
      (*prepared.serial->getOps<func::FuncOp>().begin()).getFunctionType();
  prepared.injected->walk([&](tile::AsyncCopyOp) { ++outcome.copies; });
  prepared.injected->walk([&](tile::AsyncWaitOp) { ++outcome.waits; });
  outcome.isPipelined = outcome.copies > 0;

  for (int64_t trips : prepared.trips) {
    KernelInput expected(*input);
    if (!runSerial(prepared, trips, expected, outcome))
      return outcome;
    // What compiled code finds in memory that nothing has written is no result.
    if (readsUninitialized(prepared, trips))
      continue;
    auto runs = getPolicyRuns(2, seed);
    // The last one is the serial program.
    runs.push_back(runs.front());
    for (auto [i, run] : llvm::enumerate(runs)) {
      bool isSerial = i + 1 == runs.size();
      KernelInput got(*input);
      got.arguments.back().number = double(trips);
      cpu::CpuRunOptions runOptions;
      runOptions.policy = run.policy;
      runOptions.seed = run.seed;
      llvm::Error error =
          cpu::invoke(**kernel, isSerial ? "serial" : "pipelined", type,
                      got.arguments, runOptions);
      std::string where =
          " (" + (isSerial ? "serial, compiled" : "policy " + run.str()) +
          ", n = " + std::to_string(trips) + ")";
      if (error)
        return fail(outcome, "race", llvm::toString(std::move(error)) + where);
      // Products and sums of a gemm may be contracted, which shows in numbers
      // that are not exact.
      if (auto mismatch = compare(expected, got, 2e-3))
        return fail(outcome, isSerial ? "serial mismatch" : "mismatch",
                    mismatch->str() + where);
    }
  }
  return outcome;
}

#else

Outcome Oracle::checkJit(Prepared &, uint64_t, Outcome outcome) {
  return fail(outcome, "not compiled", "this build has no CPU target");
}

#endif
