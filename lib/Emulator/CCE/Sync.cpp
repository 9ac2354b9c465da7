//===- Sync.cpp - Flags, barriers, cross-core counters --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules: asc-devkit docs, 同步控制/核内同步/SetFlag-WaitFlag(ISASI).md and
// 核间同步/*. A set publishes what its pipe has completed; a wait joins it; a
// barrier joins the own pipe. Setting a flag again before its wait is
// undefined.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include <algorithm>

using namespace tilepipe::cce;

/// The documentation keeps cross-core ids above 10 for the system, and event
/// ids 6 and 7.
static constexpr int lastUserEvent = 5, lastUserCrossId = 10;
static constexpr size_t counterLimit = 15;

static constexpr int allPipes = -2, noPipe = -1;

/// From the device's pipe_t.
static int densePipe(int64_t pipe) {
  if (pipe >= 0 && pipe <= 5)
    return int(pipe);
  return pipe == 6 ? allPipes : pipe == 10 ? int(FIX) : noPipe;
}

static std::string describeFlag(Pipe source, Pipe target, int id) {
  return std::string(nameOf(source)) + " -> " + nameOf(target) + " id " +
         std::to_string(id);
}

/// Changes the call as the mutations say; false: it is removed.
bool Machine::mutate(int &opcode, int line, int column, int64_t *a) {
  bool flag = opcode == TP_set_flag || opcode == TP_wait_flag;
  for (const Mutation &m : mutations) {
    if (m.kind == Mutation::FewerVersions) {
      int64_t slot = a[2] - m.base;
      if (flag && a[0] == m.source && a[1] == m.target && slot >= 0 &&
          slot < m.versions)
        a[2] = m.base + slot % (m.versions - 1);
      continue;
    }
    if (opcode < TP_set_flag || m.line != line ||
        (m.column && m.column != column))
      continue;
    if (m.kind == Mutation::Remove)
      return false;
    if (m.kind == Mutation::SwapPipes && flag)
      std::swap(a[0], a[1]);
    if (m.kind != Mutation::WrongId)
      continue;
    if (flag)
      a[2] = (a[2] + 1) & 7;
    else if (opcode == TP_ffts_cross_core_sync)
      a[1] = (a[1] & ~0xf00ll) | (((a[1] >> 8) + 1) & 15) << 8;
    else if (opcode == TP_wait_flag_dev)
      a[0] = (a[0] + 1) & 15;
  }
  return true;
}

static bool checkFlag(Plan &checked, const Op &op) {
  int source = densePipe(op.a[0]), target = densePipe(op.a[1]);
  if (source < 0 || target < 0)
    checked.fail("flag", "needs two pipes, neither of them PIPE_ALL");
  else if (source == target)
    checked.fail("flag", std::string("source and target are both ") +
                             nameOf(Pipe(source)) + "; use pipe_barrier");
  checked.range("event id", op.a[2], 0, 7);
  if (checked.isGood() && op.a[2] > lastUserEvent)
    checked.warn("flag", "event id " + std::to_string(op.a[2]) +
                             " is kept for the system; use 0 to 5");
  return checked.isGood();
}

/// Executes or enqueues what orders; the scalar unit's own at once.
bool Machine::planSync(Core &core, Op &op) {
  Plan checked(*this, core, op);
  ++statistics.flags;
  switch (op.opcode) {
  case TP_set_flag:
  case TP_wait_flag:
    if (!checkFlag(checked, op))
      return false;
    op.kind = op.opcode == TP_set_flag ? Op::Set : Op::Wait;
    op.pipe = Pipe(densePipe(op.a[0]));
    op.other = Pipe(densePipe(op.a[1]));
    op.id = int(op.a[2]);
    break;
  case TP_pipe_barrier: {
    int pipe = densePipe(op.a[0]);
    if (pipe == noPipe) {
      checked.fail("flag", "is given no pipe");
      return false;
    }
    op.kind = Op::Barrier;
    if (pipe == S) {
      checked.fail("flag", "of PIPE_S is an error of the hardware, which "
                           "orders the scalar unit itself");
      return false;
    }
    op.pipe = pipe == allPipes ? S : Pipe(pipe);
    op.mode = pipe == allPipes;
    break;
  }
  case TP_ffts_cross_core_sync:
    op.kind = Op::CrossSet;
    op.mode = (op.a[1] >> 4) & 3;
    op.id = (op.a[1] >> 8) & 15;
    if (densePipe(op.a[0]) < 0 || !(op.a[1] & 1) || op.mode == 3) {
      checked.fail("cross-core", "needs one pipe and 1 | mode << 4 | id << 8 "
                                 "with a mode of 0, 1 or 2");
      return false;
    }
    op.pipe = Pipe(densePipe(op.a[0]));
    if (op.id > lastUserCrossId)
      checked.warn("cross-core", "id " + std::to_string(op.id) +
                                     " is kept for the system; use 0 to 10");
    if (!core.registers.set[TP_FFTS_BASE])
      checked.warn("cross-core", "set_ffts_base_addr was not called");
    break;
  default: // wait_flag_dev
    checked.range("id", op.a[0], 0, 15);
    if (!checked.isGood())
      return false;
    op.kind = Op::Wait;
    op.id = int(op.a[0]);
    break;
  }
  // A barrier for a pipe of the other core hangs the machine (PTOAS#1026).
  for (Pipe pipe : {op.pipe, op.other})
    if (!belongs(core, kindOf(pipe), op, nameOf(pipe)))
      return false;
  Pipe where = op.kind == Op::Wait ? op.other : op.pipe;
  if (where == S)
    scalarSync(core, op);
  else
    enqueue(core, std::move(op));
  return true;
}

/// What the scalar stream itself does.
void Machine::scalarSync(Core &core, const Op &op) {
  ++statistics.instructions[S];
  int base = core.index * NumPipes;
  if (op.opcode == TP_wait_flag_dev) {
    std::deque<Token> &counter = core.counters[op.id];
    block(core, op.site, "cross-core id " + std::to_string(op.id),
          [&counter] { return !counter.empty(); });
    join(core.clock[S], counter.front().known);
    counter.pop_front();
    core.counterWaits[op.id].push_back(++core.count[S]);
    return;
  }
  switch (op.kind) {
  case Op::Set:
    runSet(core, op);
    return;
  case Op::Wait: {
    Flag &flag = core.flags[op.pipe][S][op.id];
    block(core, op.site, "flag " + describeFlag(op.pipe, S, op.id),
          [&flag] { return !flag.tokens.empty(); });
    runWait(core, op);
    return;
  }
  case Op::CrossSet:
    runCrossSet(core, op);
    return;
  default:
    break;
  }
  if (op.mode) {
    block(core, op.site, "all pipes to become empty",
          [this, &core] { return flushAll(core); });
    core.undrained = 0;
    for (int pipe = V; pipe <= FIX; ++pipe) {
      join(core.clock[S], core.clock[pipe]);
      core.clock[S][base + pipe] = core.count[pipe];
    }
  }
  core.publishedStores = core.count[Store];
  core.clock[S][base + Store] = core.count[Store];
}

static Token publish(Core &core, Pipe pipe, uint32_t site) {
  Token token{core.clock[pipe], site};
  int base = core.index * NumPipes;
  token.known[base + pipe] = core.count[pipe];
  if (pipe == S)
    token.known[base + Store] = core.count[Store];
  return token;
}

void Machine::runSet(Core &core, const Op &op) {
  current = &core;
  if (op.pipe != S)
    flush(core, op.pipe);
  Flag &flag = core.flags[op.pipe][op.other][op.id];
  std::string name = describeFlag(op.pipe, op.other, op.id);
  int waiter = core.index * NumPipes + op.other;
  if (!flag.tokens.empty())
    report("flag-set-twice",
           "flag " + name + " is set again before it was waited for", op.site,
           flag.tokens.back().site,
           std::string("a flag back from ") + nameOf(op.other) + " to " +
               nameOf(op.pipe) + " before the second set, or an id of its own");
  else if (flag.waited && core.clock[op.pipe][waiter] < flag.waitCount)
    report("flag-set-twice",
           "flag " + name +
               " may be set again before its wait: nothing orders this set "
               "after the wait",
           op.site, flag.lastWait,
           std::string("a flag back from ") + nameOf(op.other) + " to " +
               nameOf(op.pipe) + " before this set, or an id of its own");
  flag.lastSet = op.site;
  flag.tokens.push_back(publish(core, op.pipe, op.site));
}

bool Machine::runWait(Core &core, const Op &op) {
  Flag &flag = core.flags[op.pipe][op.other][op.id];
  if (flag.tokens.empty())
    return false;
  join(core.clock[op.other], flag.tokens.front().known);
  flag.tokens.pop_front();
  flag.waited = true;
  flag.waitCount = ++core.count[op.other];
  flag.lastWait = op.site;
  return true;
}

void Machine::deliver(Core &core, int id, Token token) {
  // Counting from one, set k must come after wait k - 15.
  uint32_t sets = ++core.delivered[id];
  const std::vector<uint32_t> &waits = core.counterWaits[id];
  uint32_t seen = token.known[core.index * NumPipes + S];
  if (sets > counterLimit && (waits.size() < sets - counterLimit ||
                              seen < waits[sets - counterLimit - 1]))
    report("cross-core",
           "the counter of id " + std::to_string(id) + " at " + core.name +
               " can exceed " + std::to_string(counterLimit) +
               ": nothing orders this set after the wait for an earlier one",
           token.site, 0, "a flag back from " + core.name);
  core.counters[id].push_back(std::move(token));
}

/// Mode 0 joins all cores of a kind, mode 1 the vector cores of a group, mode 2
/// leads from the cube core of a group to its vector cores or back.
void Machine::runCrossSet(Core &core, const Op &op) {
  current = &core;
  if (op.pipe != S)
    flush(core, op.pipe);
  Token token = publish(core, op.pipe, op.site);
  bool fromCube = core.kind == Core::Cube;
  std::vector<Core *> senders, receivers;
  for (auto &other : cores) {
    bool cube = other->kind == Core::Cube;
    bool group = other->group == core.group;
    if (op.mode == 0 ? cube == fromCube : group && cube == fromCube)
      senders.push_back(other.get());
    if (op.mode == 2 && group && cube != fromCube)
      receivers.push_back(other.get());
  }
  if (op.mode != 2)
    receivers = senders;
  if (op.mode == 1 && fromCube) {
    report("cross-core", "mode 1 is for vector cores", op.site);
    return;
  }
  if (op.mode == 0 && blocks != int(cores.back()->block) + 1 - cores[0]->block)
    report("cross-core",
           "mode 0 joins all blocks, but they do not run at the same time; "
           "launch with resident = blocks",
           op.site);
  if (receivers.empty()) {
    report("cross-core", "there is no core to receive it", op.site);
    return;
  }
  core.arrived[op.mode][op.id].push_back(std::move(token));
  if (core.arrived[op.mode][op.id].size() > counterLimit)
    report("cross-core",
           "id " + std::to_string(op.id) + " was set more than " +
               std::to_string(counterLimit) + " times ahead of a partner",
           op.site);
  for (Core *sender : senders)
    if (sender->arrived[op.mode][op.id].empty())
      return;
  Token joined{Clock(clockSize(), 0), op.site};
  for (Core *sender : senders) {
    join(joined.known, sender->arrived[op.mode][op.id].front().known);
    sender->arrived[op.mode][op.id].pop_front();
  }
  for (Core *receiver : receivers)
    deliver(*receiver, op.id, joined);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Samples and compilers of the vendor end every kernel with a barrier of all
/// pipes; whether one may go without, where nothing is in flight, is not said.
void Machine::finish(Core &core) {
  if (core.undrained)
    report("unfinished",
           "the kernel returns without waiting for all pipes behind its last "
           "instruction",
           core.undrained, 0, "pipe_barrier(PIPE_ALL) at the end");
}

void Machine::reportDeadlock() {
  for (auto &core : cores) {
    current = core.get();
    for (int pipe = V; pipe <= FIX; ++pipe) {
      if (core->queue[pipe].empty())
        continue;
      const Op &head = core->queue[pipe].front();
      if (head.kind != Op::Wait)
        continue;
      uint32_t set = 0;
      std::string how = "; nothing that was issued sets it";
      for (const Op &op : core->queue[head.pipe])
        if (!set && op.kind == Op::Set && op.other == head.other &&
            op.id == head.id) {
          set = op.site;
          how = "; the set is held up in its pipe";
        }
      report("deadlock",
             core->name + ": " + nameOf(Pipe(pipe)) + " waits for flag " +
                 describeFlag(head.pipe, head.other, head.id) + how,
             head.site, set);
    }
  }
  for (auto &core : cores) {
    current = core.get();
    if (!core->finished)
      report("deadlock",
             core->name + ": the scalar stream waits for " + core->waitingFor,
             core->waitingSite);
  }
}

/// What a racing instruction read too early is no finding of its own.
void Machine::dropConsequences() {
  std::vector<bool> racing(sites.size());
  for (const Issue &issue : issues)
    if (issue.kind == "race")
      racing[issue.site] = racing[issue.other] = true;
  auto follows = [&](const Issue &issue) {
    return issue.kind == "uninitialised" && racing[issue.site];
  };
  issues.erase(std::remove_if(issues.begin(), issues.end(), follows),
               issues.end());
  known.clear();
  for (size_t i = 0; i < issues.size(); ++i)
    known[{issues[i].kind, issues[i].site, issues[i].other,
           issues[i].missing}] = i;
}

void Machine::reportLeftovers() {
  for (auto &core : cores) {
    current = core.get();
    for (int source = S; source < NumPipes; ++source)
      for (int target = S; target < NumPipes; ++target)
        for (int id = 0; id < 8; ++id) {
          Flag &flag = core->flags[source][target][id];
          if (!flag.tokens.empty())
            report("residual-flag",
                   "flag " + describeFlag(Pipe(source), Pipe(target), id) +
                       " is still set at the end of the kernel",
                   flag.tokens.front().site, 0,
                   std::string("wait_flag(") + nameOf(Pipe(source)) + ", " +
                       nameOf(Pipe(target)) + ", " + std::to_string(id) + ")");
        }
    for (int id = 0; id < 16; ++id) {
      if (!core->counters[id].empty())
        report("cross-core",
               "id " + std::to_string(id) + " was set for " + core->name +
                   " but not waited for at the end of the kernel",
               core->counters[id].front().site, 0,
               "wait_flag_dev(" + std::to_string(id) + ") on " + core->name);
      for (auto &mode : core->arrived)
        if (!mode[id].empty())
          report("cross-core",
                 "id " + std::to_string(id) + " was set by " + core->name +
                     ", but not by its partners",
                 mode[id].front().site);
    }
  }
}
