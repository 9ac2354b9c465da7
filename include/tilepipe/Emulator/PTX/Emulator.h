//===- Emulator.h - Runs a kernel and says what is wrong with it *- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_PTX_EMULATOR_H
#define TILEPIPE_EMULATOR_PTX_EMULATOR_H

#include "tilepipe/Emulator/PTX/Program.h"

namespace tilepipe::ptx {

/// When an asynchronous copy moves its bytes, and in which order warps run.
enum class Policy : uint8_t {
  /// At once; warps in ascending order.
  Eager,
  /// At the wait that retires its group; ascending.
  Late,
  /// The target is overwritten with NaNs at once, the source is read at the
  /// wait; descending.
  Early,
  /// At a random time in between; warps in random slices.
  Shuffle
};
/// The policy of this name; false if there is none.
bool parsePolicy(const std::string &name, Policy &policy);

struct LaunchOptions {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  /// Bytes of dynamic shared memory.
  uint32_t sharedBytes = 0;
  Policy policy = Policy::Late;
  uint64_t seed = 0;
  /// Detect races; report uses of undefined values.
  bool races = true, undefined = true;
  /// Count what runs, and conflicts of banks.
  bool census = false;
  /// Host threads for the blocks; with races on, blocks run one by one.
  uint32_t threads = 1;
  /// Warp instructions and seconds after which a launch is given up; 0: never.
  uint64_t maxInstructions = 0;
  double timeout = 0;
  uint32_t maxIssues = 32;
};

struct Argument {
  /// A buffer in host memory, or the bytes of a value.
  void *data = nullptr;
  uint64_t bytes = 0;
  bool buffer = false, readOnly = false;
  std::string name;
};

/// One of the two ends of an issue.
struct Site {
  /// "read by warp 0", "asynchronous copy by warp 2", ...
  std::string access;
  uint32_t line = 0;
  std::string text, place;
};

struct Issue {
  /// race, in-flight, uninitialised, bounds, alignment, divergence, deadlock,
  /// pending-copy, limit, fault.
  std::string kind;
  std::string message;
  /// What would have had to stand between the two sites.
  std::string missing;
  Site sites[2];
  uint32_t block[3] = {0, 0, 0};
  uint64_t count = 1;
  /// The launch ended here.
  bool fatal = false;
};
/// The issue as text: a line for what, one for each site, one for what is
/// missing.
std::string toString(const Issue &issue);

struct Statistics {
  uint64_t warpInstructions = 0, threadInstructions = 0, barriers = 0,
           copies = 0;
  /// By the clock on the wall, and of processor time of this process.
  double seconds = 0, processorSeconds = 0;
  /// By mnemonic, with `LaunchOptions::census`.
  std::map<std::string, uint64_t> census;
  /// With the census: wavefronts of shared memory beyond the necessary ones,
  /// by line of the PTX.
  std::map<uint32_t, uint64_t> bankConflicts;
};

struct Report {
  std::vector<Issue> issues;
  Statistics statistics;
  bool completed = true;
};

/// Runs the kernel. Returns false and sets `error` if the arguments do not fit
/// the kernel; whatever goes wrong in the kernel is in the report.
bool launch(const Program &program, const Kernel &kernel,
            const LaunchOptions &options,
            const std::vector<Argument> &arguments, Report &report,
            std::string &error);

} // namespace tilepipe::ptx

#endif // TILEPIPE_EMULATOR_PTX_EMULATOR_H
