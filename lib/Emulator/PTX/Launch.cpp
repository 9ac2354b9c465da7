//===- Launch.cpp - Runs all blocks of a kernel --------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

using namespace tilepipe::ptx;

namespace tilepipe::ptx {
namespace baseline {
const LaneLibrary &lanes();
}
#ifdef TILEPIPE_PTX_X86
namespace v3 {
const LaneLibrary &lanes();
}
namespace v4 {
const LaneLibrary &lanes();
}
#endif
} // namespace tilepipe::ptx

const LaneLibrary &tilepipe::ptx::laneLibrary() {
  static const LaneLibrary &library = []() -> const LaneLibrary & {
#ifdef TILEPIPE_PTX_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
      return v4::lanes();
    if (__builtin_cpu_supports("x86-64-v3"))
      return v3::lanes();
#endif
    return baseline::lanes();
  }();
  return library;
}

Handler tilepipe::ptx::selectHandler(const Inst &inst) {
  return laneLibrary().select(inst);
}

bool tilepipe::ptx::parsePolicy(const std::string &name, Policy &policy) {
  static const char *const names[] = {"eager", "late", "early", "shuffle"};
  for (unsigned i = 0; i < 4; ++i)
    if (name == names[i]) {
      policy = Policy(i);
      return true;
    }
  return false;
}

/// Many uses of one undefined value are one issue.
static bool sameSites(const Issue &a, const Issue &b) {
  bool sameOrigin = a.sites[1].line && a.kind == "uninitialised";
  return a.kind == b.kind && a.sites[1].line == b.sites[1].line &&
         (sameOrigin || a.sites[0].line == b.sites[0].line);
}

/// The same fault at the same place is one issue, counted. No kind crowds out
/// the others.
void Launch::add(Issue issue) {
  std::lock_guard<std::mutex> lock(mutex);
  uint32_t ofKind = 0;
  for (Issue &known : report.issues) {
    ofKind += known.kind == issue.kind;
    if (sameSites(known, issue)) {
      ++known.count;
      return;
    }
  }
  bool room = report.issues.size() < options.maxIssues &&
              ofKind <= options.maxIssues / 4;
  if (room || issue.fatal)
    report.issues.push_back(std::move(issue));
}

std::string tilepipe::ptx::toString(const Issue &issue) {
  std::string text = issue.kind + ": " + issue.message + " (block " +
                     std::to_string(issue.block[0]) + "," +
                     std::to_string(issue.block[1]) + "," +
                     std::to_string(issue.block[2]);
  if (issue.count > 1)
    text += ", " + std::to_string(issue.count) + " times";
  text += ")\n";
  for (const Site &site : issue.sites) {
    if (!site.line)
      continue;
    text += "  " + (site.access.empty() ? std::string("at") : site.access) +
            ": ptx line " + std::to_string(site.line) + ": " + site.text;
    if (!site.place.empty())
      text += " from " + site.place;
    text += "\n";
  }
  if (!issue.missing.empty())
    text += "  missing: " + issue.missing + "\n";
  return text;
}

/// Most shared memory of a block (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
static uint64_t sharedLimit(const std::string &target) {
  static const std::pair<const char *, uint64_t> limits[] = {
      {"sm_70", 96},  {"sm_72", 96},  {"sm_75", 64}, {"sm_80", 163},
      {"sm_86", 99},  {"sm_87", 163}, {"sm_89", 99}, {"sm_90", 227},
      {"sm_10", 227}, {"sm_11", 227}, {"sm_12", 99}};
  for (auto [name, kibibytes] : limits)
    if (target.compare(0, 5, name) == 0)
      return kibibytes * 1024;
  return 1 << 20;
}

static bool fits(const Program &program, const Kernel &kernel,
                 const LaunchOptions &options,
                 const std::vector<Argument> &arguments, std::string &error) {
  auto fail = [&](std::string text) {
    error = "kernel '" + kernel.name + "': " + text;
    return false;
  };
  uint64_t threads = 1, blocks = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (!options.block[i] || !options.grid[i])
      return fail("grid and block must not be empty");
    threads *= std::min<uint64_t>(options.block[i], 4096);
    blocks *= std::min<uint64_t>(options.grid[i], 1ull << 20);
    if (kernel.requiredThreads[i] &&
        kernel.requiredThreads[i] != options.block[i])
      return fail("block of " + std::to_string(options.block[i]) +
                  " threads in dimension " + std::to_string(i) +
                  ", .reqntid asks for " +
                  std::to_string(kernel.requiredThreads[i]));
  }
  const uint32_t *most = kernel.maxThreads;
  if (threads > 1024 ||
      (most[0] && threads > uint64_t(most[0]) * most[1] * most[2]))
    return fail(
        "block of " + std::to_string(threads) + " threads, at most " +
        std::to_string(most[0] ? uint64_t(most[0]) * most[1] * most[2] : 1024) +
        " are allowed");
  if (blocks > 0xfffffff0u)
    return fail("more than 2^32 blocks");
  uint64_t shared = uint64_t(kernel.staticShared) + options.sharedBytes;
  if (shared > sharedLimit(program.target))
    return fail(std::to_string(shared) +
                " bytes of shared memory, a block of " + program.target +
                " has " + std::to_string(sharedLimit(program.target)));
  if (kernel.staticShared > 48 * 1024)
    return fail(std::to_string(kernel.staticShared) +
                " bytes of static shared memory, at most 49152 are allowed");
  if (arguments.size() != kernel.params.size())
    return fail("takes " + std::to_string(kernel.params.size()) +
                " arguments, got " + std::to_string(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    uint64_t bytes = arguments[i].buffer ? 8 : arguments[i].bytes;
    if (bytes != kernel.params[i].bytes)
      return fail("parameter " + std::to_string(i) + " ('" +
                  kernel.params[i].name + "') has " +
                  std::to_string(kernel.params[i].bytes) +
                  " bytes, the argument " + std::to_string(bytes));
  }
  return true;
}

static void fillParams(Launch &launch, const std::vector<Argument> &arguments) {
  launch.params.assign(launch.kernel.paramBytes, 0);
  for (size_t i = 0; i < arguments.size(); ++i) {
    uint8_t *to = launch.params.data() + launch.kernel.params[i].offset;
    uint64_t address = launch.memory.addressOf(i);
    if (arguments[i].buffer)
      memcpy(to, &address, 8);
    else
      memcpy(to, arguments[i].data, arguments[i].bytes);
  }
}

static void runBlocks(Launch &launch) {
  const uint32_t *grid = launch.options.grid;
  uint32_t blocks = grid[0] * grid[1] * grid[2];
  std::atomic<uint32_t> next{0};
  auto work = [&] {
    for (uint32_t i; !launch.stop && (i = next++) < blocks;) {
      const uint32_t at[3] = {i % grid[0], i / grid[0] % grid[1],
                              i / grid[0] / grid[1]};
      Block(launch, at, i).run();
    }
  };
  // The monitors and the counts are of one thread.
  bool alone = launch.options.races || launch.options.census;
  uint32_t threads = alone ? 1 : std::min(launch.options.threads, blocks);
  std::vector<std::thread> pool;
  for (uint32_t i = 1; i < threads; ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
}

static void takeCounts(Launch &launch) {
  Statistics &statistics = launch.report.statistics;
  for (size_t i = 0; i + 1 < launch.kernel.code.size(); ++i) {
    const Inst &inst = launch.kernel.code[i];
    if (launch.counts[i])
      statistics.census[launch.program.mnemonics[inst.mnemonic]] +=
          launch.counts[i];
    if (launch.conflicts[i])
      statistics.bankConflicts[inst.line] += launch.conflicts[i];
  }
}

bool tilepipe::ptx::launch(const Program &program, const Kernel &kernel,
                           const LaunchOptions &options,
                           const std::vector<Argument> &arguments,
                           Report &report, std::string &error) {
  using namespace std::chrono;
  report = Report();
  if (!fits(program, kernel, options, arguments, error))
    return false;
  Launch state(program, kernel, options, report);
  auto start = steady_clock::now();
  std::clock_t processor = std::clock();
  if (options.timeout > 0)
    state.deadline =
        duration<double>(start.time_since_epoch()).count() + options.timeout;
  if (options.census) {
    state.counts.assign(kernel.code.size(), 0);
    state.conflicts.assign(kernel.code.size(), 0);
  }
  state.memory.build(program, arguments);
  fillParams(state, arguments);
  runBlocks(state);
  report.completed = !state.stop;
  report.statistics.seconds =
      duration<double>(steady_clock::now() - start).count();
  report.statistics.processorSeconds =
      double(std::clock() - processor) / CLOCKS_PER_SEC;
  if (options.census)
    takeCounts(state);
  return true;
}
