//===- Runner.cpp - A launch in a child process ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "Plan.h"
#include "Report.h"
#include "tilepipe/Emulator/CCE/cce_runner.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilepipe::cce;

//===----------------------------------------------------------------------===//
// In the child
//===----------------------------------------------------------------------===//

static void addCore(Machine &machine, const TpCceLaunch &launch,
                    void (*entry)(const int64_t *), Core::Kind kind, int block,
                    int subblock) {
  auto core = std::make_unique<Core>();
  core->index = int(machine.cores.size());
  core->block = core->group = block;
  core->subblock = subblock;
  core->subblocks = launch.single ? 1 : launch.vectorsPerCube;
  core->kind = kind;
  core->entry = entry;
  core->name = kind == Core::Cube     ? "AIC"
               : kind == Core::Vector ? "AIV"
                                      : "core";
  if (kind == Core::Vector)
    core->name += std::to_string(subblock);
  machine.cores.push_back(std::move(core));
}

/// The cores of the next blocks. Nothing is left of the earlier ones.
static void populate(Machine &machine, const TpCceLaunch &launch, int first,
                     int count) {
  machine.cores.clear();
  for (int block = first; block < first + count; ++block) {
    if (launch.single) {
      addCore(machine, launch, launch.single, Core::Unknown, block, 0);
      continue;
    }
    addCore(machine, launch, launch.cube, Core::Cube, block, 0);
    for (int i = 0; i < launch.vectorsPerCube; ++i)
      addCore(machine, launch, launch.vector, Core::Vector, block, i);
  }
}

static void execute(const TpCceLaunch &launch, Machine &machine) {
  theMachine = &machine;
  parsePolicy(launch.policy, machine.policy);
  machine.races = launch.races;
  machine.random.seed(launch.seed);
  machine.arguments = launch.arguments;
  machine.blocks = launch.blocks;
  for (int i = 0; i < launch.arrayCount; ++i) {
    const TpCceArray &array = launch.arrays[i];
    Region region;
    region.data = static_cast<uint8_t *>(array.data);
    region.size = array.bytes;
    region.name = array.name;
    region.cells.resize((array.bytes + granule - 1) / granule);
    if (array.uninitialised)
      region.poison.assign(array.bytes, 1);
    machine.gm.push_back(std::move(region));
  }
  for (int i = 0; i < launch.mutationCount; ++i) {
    const TpCceMutation &m = launch.mutations[i];
    machine.mutations.push_back(
        {m.kind, m.line, m.column, m.source, m.target, m.base, m.versions});
  }
  for (int block = 0; block < launch.blocks; block += launch.resident) {
    populate(machine, launch, block,
             std::min(launch.resident, launch.blocks - block));
    ++machine.batch;
    machine.run();
  }
}

static int reportPipe = -1;

/// The kernel did what no check foresaw: say where, with what is safe here.
static void onFault(int signal) {
  const Machine &machine = *theMachine;
  std::string text = crashReport(machine, signal);
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n = write(reportPipe, text.data() + done, text.size() - done);
    if (n <= 0)
      break;
    done += size_t(n);
  }
  _exit(3);
}

static void catchFaults() {
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onFault;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

static void childMain(const TpCceLaunch &launch, int pipe) {
  reportPipe = pipe;
  auto machine = std::make_unique<Machine>();
  theMachine = machine.get();
  catchFaults();
  execute(launch, *machine);
  std::string text = toJson(*machine);
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n = write(pipe, text.data() + done, text.size() - done);
    if (n <= 0)
      break;
    done += size_t(n);
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// In the caller
//===----------------------------------------------------------------------===//

static char *copyOut(const std::string &text) {
  char *copy = static_cast<char *>(malloc(text.size() + 1));
  memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// Reads until the child closes its end; false: time is over.
static bool collect(int pipe, double timeout, std::string &text) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  char buffer[1 << 16];
  while (true) {
    int wait = -1;
    if (timeout > 0) {
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      double used = double(now.tv_sec - begin.tv_sec) +
                    double(now.tv_nsec - begin.tv_nsec) * 1e-9;
      if (used >= timeout)
        return false;
      wait = int((timeout - used) * 1000) + 1;
    }
    pollfd entry{pipe, POLLIN, 0};
    if (poll(&entry, 1, wait) <= 0)
      continue;
    ssize_t n = read(pipe, buffer, sizeof(buffer));
    if (n <= 0)
      return true;
    text.append(buffer, size_t(n));
  }
}

extern "C" char *tpCceRun(const TpCceLaunch *launch) {
  Policy policy;
  if (!parsePolicy(launch->policy, policy))
    return copyOut(failureReport("usage", std::string("unknown policy '") +
                                              launch->policy + "'"));
  int ends[2];
  if (pipe(ends))
    return copyOut(failureReport("usage", "cannot create a pipe"));
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return copyOut(failureReport("usage", "cannot start a process"));
  }
  if (child == 0) {
    close(ends[0]);
    childMain(*launch, ends[1]);
  }
  close(ends[1]);
  std::string text;
  bool inTime = collect(ends[0], launch->timeout, text);
  close(ends[0]);
  if (!inTime)
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!inTime)
    text = failureReport("timeout", "the kernel did not end in time");
  else if (text.empty())
    text = failureReport("crash", "the emulator's process ended without a "
                                  "report, status " +
                                      std::to_string(status));
  return copyOut(text);
}

extern "C" void tpCceFree(char *report) { free(report); }
