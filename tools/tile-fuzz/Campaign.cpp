//===- Campaign.cpp - Many runs in processes of their own -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Campaign.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilepipe::fuzz;
using Clock = std::chrono::steady_clock;

/// A process is replaced after this many runs: contexts only grow.
static constexpr uint64_t kRunsPerProcess = 4000;
/// Failures that a worker can hand over.
static constexpr unsigned kMaxReported = 64;

namespace {

/// What a worker shares with the parent.
struct Shared {
  std::atomic<uint64_t> current, started, passed, refused, failed, pipelined,
      copies;
  std::atomic<uint64_t> failures[kMaxReported];
};

struct Worker {
  Shared *shared = nullptr;
  pid_t pid = 0;
  uint64_t next = 0;
  uint64_t seenStarted = 0;
  Clock::time_point since;
  bool wasKilled = false;
};

std::string describeDeath(int status) {
  if (WIFSIGNALED(status))
    return std::string("killed by ") + strsignal(WTERMSIG(status));
  return "exited with " + std::to_string(WEXITSTATUS(status));
}

void silence() {
  // Stack traces of a crash are printed when it is reproduced.
  signal(SIGSEGV, SIG_DFL);
  signal(SIGABRT, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  signal(SIGILL, SIG_DFL);
  signal(SIGFPE, SIG_DFL);
  signal(SIGTRAP, SIG_DFL);
}

} // namespace

static void work(Shared &shared, uint64_t first, uint64_t stride,
                 uint64_t count, const std::function<WorkFn()> &makeWork) {
  silence();
  WorkFn fn = makeWork();
  uint64_t runs = 0;
  for (uint64_t i = first; i < count && runs < kRunsPerProcess;
       i += stride, ++runs) {
    shared.current = i;
    ++shared.started;
    Verdict verdict = fn(i);
    if (verdict.kind == Verdict::Passed)
      ++shared.passed;
    else if (verdict.kind == Verdict::Refused)
      ++shared.refused;
    else {
      uint64_t slot = shared.failed;
      if (slot < kMaxReported)
        shared.failures[slot] = i;
      ++shared.failed;
    }
    shared.pipelined += verdict.isPipelined;
    shared.copies += verdict.copies;
    shared.current = i + stride;
  }
  llvm::outs().flush();
  _exit(0);
}

static void start(Worker &worker, unsigned jobs, uint64_t count,
                  const std::function<WorkFn()> &makeWork) {
  worker.shared->current = worker.next;
  worker.since = Clock::now();
  worker.wasKilled = false;
  llvm::outs().flush();
  worker.pid = fork();
  if (worker.pid == 0)
    work(*worker.shared, worker.next, jobs, count, makeWork);
}

/// Deals with the end of a worker's process; starts the next one.
static void reap(Worker &worker, int status, const CampaignOptions &options,
                 const std::function<WorkFn()> &makeWork,
                 CampaignResult &result) {
  uint64_t current = worker.shared->current;
  bool died = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  worker.pid = 0;
  worker.next = died ? current + options.jobs : current;
  if (died) {
    result.failures.push_back(
        {current, worker.wasKilled ? "takes longer than " +
                                         std::to_string(options.runLimit) + " s"
                                   : describeDeath(status)});
  }
  if (worker.next < options.count)
    start(worker, options.jobs, options.count, makeWork);
}

static void sum(const std::vector<Worker> &workers, CampaignResult &result) {
  result.passed = result.refused = result.pipelined = result.copies = 0;
  uint64_t reported = 0;
  for (const Worker &worker : workers) {
    result.passed += worker.shared->passed;
    result.refused += worker.shared->refused;
    result.pipelined += worker.shared->pipelined;
    result.copies += worker.shared->copies;
    reported += worker.shared->failed;
  }
  result.failed = reported + result.failures.size();
}

CampaignResult tilepipe::fuzz::runCampaign(const CampaignOptions &options,
                                           std::function<WorkFn()> makeWork) {
  CampaignResult result;
  Clock::time_point begin = Clock::now(), shown = begin;
  std::vector<Worker> workers(options.jobs);
  for (unsigned i = 0; i < options.jobs; ++i) {
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    workers[i].shared = new (memory) Shared();
    workers[i].next = i;
    if (i < options.count)
      start(workers[i], options.jobs, options.count, makeWork);
  }
  auto secondsSince = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  bool isStopping = false;
  while (true) {
    bool anyAlive = false;
    for (Worker &worker : workers) {
      if (!worker.pid)
        continue;
      anyAlive = true;
      int status;
      if (waitpid(worker.pid, &status, WNOHANG) == worker.pid) {
        if (isStopping)
          worker.pid = 0;
        else
          reap(worker, status, options, makeWork, result);
        continue;
      }
      if (worker.shared->started != worker.seenStarted) {
        worker.seenStarted = worker.shared->started;
        worker.since = Clock::now();
      } else if (options.runLimit && secondsSince(worker.since) > options.runLimit) {
        worker.wasKilled = true;
        kill(worker.pid, SIGKILL);
      }
    }
    if (!anyAlive)
      break;
    usleep(5000);
    sum(workers, result);
    bool isLate = options.timeLimit && secondsSince(begin) > options.timeLimit;
    if (!isStopping && (isLate || result.failed >= options.maxFailures)) {
      isStopping = true;
      for (Worker &worker : workers)
        if (worker.pid)
          kill(worker.pid, SIGKILL);
    }
    if (options.progress && secondsSince(shown) > 5) {
      shown = Clock::now();
      uint64_t done = result.passed + result.refused + result.failed;
      llvm::errs() << done << "/" << options.count << ", " << result.failed
                   << " failed, "
                   << llvm::format("%.0f", double(done) / secondsSince(begin))
                   << "/s\n";
    }
  }
  result.seconds = secondsSince(begin);
  sum(workers, result);
  for (Worker &worker : workers) {
    uint64_t count = std::min<uint64_t>(worker.shared->failed, kMaxReported);
    for (uint64_t i = 0; i < count; ++i)
      result.failures.push_back({worker.shared->failures[i], ""});
    munmap(worker.shared, sizeof(Shared));
  }
  return result;
}

Isolated tilepipe::fuzz::runIsolated(unsigned seconds,
                                     std::function<std::string()> work) {
  Isolated result;
  int ends[2];
  if (pipe(ends) != 0) {
    result.death = "no pipe";
    return result;
  }
  llvm::outs().flush();
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    silence();
    std::string output = work();
    size_t done = 0;
    while (done < output.size()) {
      ssize_t n = write(ends[1], output.data() + done, output.size() - done);
      if (n <= 0)
        break;
      done += n;
    }
    _exit(0);
  }
  close(ends[1]);
  Clock::time_point deadline = Clock::now() + std::chrono::seconds(seconds);
  char buffer[4096];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                    deadline - Clock::now())
                    .count();
    struct pollfd ready = {ends[0], POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, int(left)) <= 0) {
      kill(pid, SIGKILL);
      result.death = "takes longer than " + std::to_string(seconds) + " s";
      break;
    }
    ssize_t n = read(ends[0], buffer, sizeof(buffer));
    if (n <= 0)
      break;
    result.output.append(buffer, n);
  }
  close(ends[0]);
  int status;
  waitpid(pid, &status, 0);
  if (result.death.empty() && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    result.death = describeDeath(status);
  return result;
}
