//===- PtxOracle.cpp - Judges random programs as PTX ----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#ifdef TILEPIPE_TARGET_NVIDIA
#include "../common/PtxKernel.h"
#endif

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::fuzz;

#ifdef TILEPIPE_TARGET_NVIDIA

Outcome Oracle::checkPtx(Prepared &prepared, uint64_t seed, Outcome outcome) {
  auto function = *prepared.injected->getOps<func::FuncOp>().begin();
  auto kernel = PtxKernel::compile(function, 32 << seed % 3);
  if (failed(kernel))
    return fail(outcome, "not compiled", diagnostics);
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
    for (const PolicyRun &run : getPolicyRuns(1, seed)) {
      KernelInput got(*input);
      got.arguments.back().number = double(trips);
      PtxOutcome result =
          (*kernel)->run(got.arguments, run.policy, run.seed, true);
      std::string where =
          " (policy " + run.str() + ", n = " + std::to_string(trips) + ")";
      if (!result.problem.empty())
        return fail(outcome, result.isRace ? "race" : "error",
                    result.problem + where);
      if (auto mismatch = compare(expected, got, 2e-3))
        return fail(outcome, "mismatch", mismatch->str() + where);
    }
  }
  return outcome;
}

#else

Outcome Oracle::checkPtx(Prepared &, uint64_t, Outcome outcome) {
  return fail(outcome, "not compiled", "this build has no NVIDIA target");
}

#endif
