//===- TileLangRule.cpp - First stage, stages and orders ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLangRule.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilepipe::sched;
using llvm::ArrayRef;
using llvm::IntEqClasses;
using llvm::SmallVector;

TileLangRule::TileLangRule(const Problem &problem)
    : problem(problem), size(problem.tasks.size()), last(problem.numStages),
      first(size), pulled(size), demoted(size), incoming(size), outgoing(size),
      written(size), touched(size), accesses(problem.buffers.size()),
      minStage(size, 0), minBehind(size, -1) {
  for (auto [index, edge] : llvm::enumerate(problem.edges)) {
    incoming[edge.to].push_back(index);
    outgoing[edge.from].push_back(index);
  }
  for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
    for (unsigned writer : buffer.writers)
      written[writer].push_back(index);
    llvm::append_range(accesses[index], buffer.readers);
    llvm::append_range(accesses[index], buffer.writers);
    for (unsigned task : accesses[index])
      touched[task].push_back(index);
  }
}

//===----------------------------------------------------------------------===//
// The first stage
//===----------------------------------------------------------------------===//

/// Adds to the first stage what its tasks need of their own iteration, through
/// buffers and scalars alike. Every earlier write into a buffer that such a
/// task touches counts, whichever region it is.
void TileLangRule::close() {
  // Writers of each buffer before this place in its list are done.
  SmallVector<size_t> done(problem.buffers.size(), 0);
  SmallVector<unsigned> worklist(first.set_bits());
  auto add = [&](unsigned task) {
    if (first[task])
      return;
    first.set(task);
    worklist.push_back(task);
  };
  while (!worklist.empty()) {
    unsigned task = worklist.pop_back_val();
    for (unsigned buffer : touched[task]) {
      ArrayRef<unsigned> writers = problem.buffers[buffer].writers;
      while (done[buffer] < writers.size() && writers[done[buffer]] < task)
        add(writers[done[buffer]++]);
    }
    for (unsigned index : incoming[task])
      if (const Edge &edge = problem.edges[index];
          edge.kind == EdgeKind::Scalar && edge.distance == 0)
        add(edge.from);
  }
}

/// For each first-stage task the task of the last stage behind which it is
/// issued: the last one that uses what it, or a first-stage task tied to it,
/// writes in this iteration, or a later one that it has to wait for; -1 if
/// there is no use.
SmallVector<int> TileLangRule::getLastUses() const {
  // Accesses of the last stage, whichever region: versions are whole buffers.
  SmallVector<int> lastAccess(problem.buffers.size(), -1);
  for (unsigned buffer = 0; buffer < problem.buffers.size(); ++buffer)
    for (unsigned task : accesses[buffer])
      if (!first[task])
        lastAccess[buffer] = std::max(lastAccess[buffer], int(task));
  SmallVector<int> lastUse(size, -1);
  IntEqClasses ties(size);
  for (unsigned task : first.set_bits()) {
    for (unsigned buffer : written[task])
      if (lastAccess[buffer] > int(task))
        lastUse[task] = std::max(lastUse[task], lastAccess[buffer]);
    for (unsigned index : outgoing[task]) {
      const Edge &edge = problem.edges[index];
      if (first[edge.to]) {
        // Tasks of one iteration that depend on each other are issued together;
        // so is what was taken along for a later iteration.
        if (edge.distance == 0 || pulled[task] || pulled[edge.to])
          ties.join(task, edge.to);
        continue;
      }
      if (edge.distance == 0 &&
          (edge.kind == EdgeKind::Flow || edge.kind == EdgeKind::Scalar))
        lastUse[task] = std::max(lastUse[task], int(edge.to));
    }
  }
  ties.compress();
  SmallVector<int> lastOfClass(ties.getNumClasses(), -1);
  SmallVector<int> behindOfClass(ties.getNumClasses(), -1);
  for (unsigned task : first.set_bits()) {
    int &last = lastOfClass[ties[task]], &behind = behindOfClass[ties[task]];
    last = std::max(last, lastUse[task]);
    behind = std::max(behind, minBehind[task]);
  }
  // Without a use there is no place to be issued at.
  for (unsigned task : first.set_bits())
    lastUse[task] =
        lastOfClass[ties[task]] < 0
            ? -1
            : std::max(lastOfClass[ties[task]], behindOfClass[ties[task]]);
  return lastUse;
}

//===----------------------------------------------------------------------===//
// Stages and orders
//===----------------------------------------------------------------------===//

/// Stages as early as bounds and dependences within an iteration allow, one
/// later than the prefetch for what uses prefetched data in the first stage.
void TileLangRule::assignStages() {
  schedule.stage.assign(size, last);
  for (unsigned task : first.set_bits()) {
    int64_t stage = minStage[task];
    for (unsigned index : incoming[task]) {
      const Edge &edge = problem.edges[index];
      if (edge.distance != 0 || !first[edge.from])
        continue;
      bool waits =
          edge.kind == EdgeKind::Flow && problem.tasks[edge.from].prefetch;
      stage = std::max(stage, schedule.stage[edge.from] + waits);
    }
    schedule.stage[task] = std::min(stage, last - 1);
  }
}

void TileLangRule::place() {
  last = problem.numStages;
  behind = getLastUses();
  // What nothing waits for gains nothing from starting early.
  for (unsigned task : SmallVector<unsigned>(first.set_bits()))
    if (behind[task] < 0)
      first.reset(task);
  assignStages();
  std::vector<SmallVector<unsigned, 2>> groups(size);
  for (unsigned task : first.set_bits())
    groups[behind[task]].push_back(task);
  schedule.order.assign(size, 0);
  int64_t next = 0;
  for (unsigned task = 0; task < size; ++task) {
    if (first[task])
      continue;
    schedule.order[task] = next++;
    // Later stages first: they empty buffers that earlier ones refill.
    llvm::sort(groups[task], [&](unsigned a, unsigned b) {
      return std::pair(-schedule.stage[a], a) <
             std::pair(-schedule.stage[b], b);
    });
    for (unsigned early : groups[task])
      schedule.order[early] = next++;
  }
  if (mayRotate)
    rotate();
}

/// If the first stage is issued last, issues it first instead: the last stage
/// then works on an iteration later, and one stage is saved.
void TileLangRule::rotate() {
  size_t count = first.count();
  if (problem.numStages < 2 || count == 0 || count == size)
    return;
  for (unsigned task : first.set_bits())
    if (schedule.order[task] < int64_t(size - count) ||
        schedule.stage[task] > 0)
      return;
  --last;
  for (unsigned task = 0; task < size; ++task) {
    schedule.order[task] = (schedule.order[task] + count) % size;
    if (!first[task])
      schedule.stage[task] = last;
  }
}

Solution TileLangRule::finish() {
  Solution solution;
  for (auto &[task, edge] : reasons) {
    int64_t lead = demoted[task] ? 0 : last - schedule.stage[task];
    if (demoted[task] || (first[task] && minStage[task] > 0))
      solution.limits.push_back({task, lead, edge});
  }
  if (!schedule.overlaps()) {
    solution.schedule = solveSerial(problem);
    return solution;
  }
  assignVersions(problem, schedule);
  solution.schedule = std::move(schedule);
  for (const Task &task : problem.tasks)
    if (problem.numUnits != 0)
      solution.schedule.unit.push_back(task.units.empty() ? 0
                                                          : task.units.front());
  return solution;
}

Solution TileLangRule::run() {
  if (problem.numStages < 1 || size == 0)
    return {solveSerial(problem), {}};
  for (unsigned task = 0; task < size; ++task)
    if (problem.tasks[task].prefetch)
      first.set(task);
  close();
  // A round only raises stages or takes tasks in or out for good. The limits
  // keep adversarial problems cheap: first no more moves, then no overlap.
  constexpr unsigned kRounds = 48;
  for (unsigned round = 0; round < kRounds; ++round) {
    place();
    // Without rotation a step reads a buffer before it refills it, which holds
    // more dependences.
    if (last != problem.numStages && !isLegal()) {
      mayRotate = pullSources();
      continue;
    }
    bool mayMove = round < kRounds / 2;
    if (repair(mayMove) || repairVersions(mayMove))
      continue;
    if (mayRotate)
      return finish();
    // What is left in the first stage may allow it again.
    mayRotate = true;
    place();
    if (isLegal())
      return finish();
    mayRotate = false;
    place();
    return finish();
  }
  first.reset();
  place();
  return finish();
}

Solution tilepipe::sched::solveTileLangRule(const Problem &problem) {
  return TileLangRule(problem).run();
}
