//===- Campaign.h - Many runs in processes of their own ---------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_TILE_FUZZ_CAMPAIGN_H
#define TILEPIPE_TOOLS_TILE_FUZZ_CAMPAIGN_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilepipe::fuzz {

/// What one run says; counters are summed over the campaign.
struct Verdict {
  enum Kind : uint8_t { Passed, Refused, Failed } kind = Passed;
  bool isPipelined = false;
  uint64_t copies = 0;
};

struct CampaignOptions {
  uint64_t count = 0;
  unsigned jobs = 1;
  /// Seconds, 0 for none: for the campaign, and for one run.
  unsigned timeLimit = 0;
  unsigned runLimit = 20;
  /// The campaign ends after this many failures.
  unsigned maxFailures = 10;
  bool progress = true;
};

struct CampaignResult {
  uint64_t passed = 0, refused = 0, failed = 0, pipelined = 0, copies = 0;
  double seconds = 0;
  struct Failure {
    uint64_t number;
    /// Empty for an ordinary failure; else how the process died.
    std::string death;
  };
  std::vector<Failure> failures;
};

/// Calls `work(i)` for `i` in `[0, count)`, in worker processes: a crash or a
/// hang costs one run. `work` is made anew in each process by `makeWork`.
using WorkFn = std::function<Verdict(uint64_t)>;
CampaignResult runCampaign(const CampaignOptions &options,
                           std::function<WorkFn()> makeWork);

/// Calls `work` in a child process and returns what it wrote, or how the
/// process died.
struct Isolated {
  std::string output, death;
};
Isolated runIsolated(unsigned seconds, std::function<std::string()> work);

} // namespace tilepipe::fuzz

#endif // TILEPIPE_TOOLS_TILE_FUZZ_CAMPAIGN_H
