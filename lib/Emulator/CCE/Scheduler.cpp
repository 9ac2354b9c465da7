//===- Scheduler.cpp - What advances next ---------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "Plan.h"

#include <algorithm>

using namespace tilepipe::cce;

bool tilepipe::cce::parsePolicy(const std::string &name, Policy &policy) {
  policy = Policy();
  if (name == "eager") {
    policy.commit = Commit::Eager;
    policy.order = Order::PipesFirst;
  } else if (name == "late") {
    policy.order = Order::ScalarFirst;
  } else if (name == "early-write-late-read") {
    policy.commit = Commit::EarlyWriteLateRead;
    policy.order = Order::ScalarFirst;
  } else if (name == "random") {
    policy.commit = Commit::Random;
  } else if (name == "victim:AIC" || name == "victim:AIV") {
    policy.victimKind = name.back() == 'C' ? Core::Cube : Core::Vector;
  } else if (name.rfind("victim:", 0) == 0) {
    for (int pipe = S; pipe <= FIX; ++pipe)
      if (name.substr(7) == nameOf(Pipe(pipe)) + strlen("PIPE_"))
        policy.victim = pipe;
    return policy.victim >= 0;
  } else {
    return false;
  }
  return true;
}

static void kernelBody() {
  Core &core = *theMachine->current;
  core.entry(theMachine->arguments);
  theMachine->finish(core);
  core.finished = true;
}

void Machine::run() {
  for (auto &core : cores) {
    for (Clock &clock : core->clock)
      clock.assign(clockSize(), 0);
    startFiber(*core, kernelBody);
  }
  std::vector<std::pair<Core *, int>> order;
  for (int pipe = V; pipe <= FIX; ++pipe)
    for (auto &core : cores)
      order.push_back({core.get(), pipe});
  size_t pipes = order.size();
  for (auto &core : cores)
    order.push_back({core.get(), S});
  if (policy.order == Order::ScalarFirst)
    std::rotate(order.begin(), order.begin() + pipes, order.end());
  auto firstPipe = policy.order == Order::ScalarFirst
                       ? order.begin() + cores.size()
                       : order.begin();
  for (bool progress = true; progress;) {
    progress = false;
    if (policy.order == Order::Shuffled)
      std::shuffle(order.begin(), order.end(), random);
    else if (policy.order == Order::ScalarFirst)
      std::shuffle(firstPipe, order.end(), random);
    // The victim advances only where nothing else can.
    for (bool victims : {false, true})
      for (auto [core, pipe] : order)
        if (!progress && isVictim(*core, pipe) == victims)
          progress = step(*core, pipe);
    statistics.steps += progress;
  }
  bool dead = false;
  for (auto &core : cores) {
    dead |= !core->finished;
    for (int pipe = V; pipe <= FIX; ++pipe) {
      dead |= !core->queue[pipe].empty();
      flush(*core, Pipe(pipe));
    }
  }
  if (dead)
    reportDeadlock();
  else
    reportLeftovers();
  dropConsequences();
}

bool Machine::isVictim(const Core &core, int pipe) const {
  return pipe == policy.victim || core.kind == policy.victimKind;
}

bool Machine::step(Core &core, int pipe) {
  return pipe == S ? stepScalar(core) : stepPipe(core, Pipe(pipe));
}

bool Machine::stepScalar(Core &core) {
  if (core.finished)
    return false;
  if (core.condition) {
    if (!core.condition())
      return false;
    core.condition = nullptr;
  }
  current = &core;
  resumeFiber(core);
  return true;
}

bool Machine::stepPipe(Core &core, Pipe pipe) {
  std::deque<Op> &queue = core.queue[pipe];
  if (queue.empty())
    return false;
  if (queue.front().kind == Op::Wait &&
      core.flags[queue.front().pipe][pipe][queue.front().id].tokens.empty())
    return false;
  Op op = std::move(queue.front());
  queue.pop_front();
  join(core.clock[pipe], op.known);
  switch (op.kind) {
  case Op::Wait:
    runWait(core, op);
    break;
  case Op::Set:
    runSet(core, op);
    break;
  case Op::CrossSet:
    runCrossSet(core, op);
    break;
  case Op::Barrier:
    flush(core, pipe);
    core.clock[pipe][core.index * NumPipes + pipe] = core.count[pipe];
    break;
  case Op::Execute:
    start(core, std::move(op));
    break;
  }
  return true;
}
