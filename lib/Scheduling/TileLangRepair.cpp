//===- TileLangRepair.cpp - Where the rule is not legal -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLangRule.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilepipe::sched;
using llvm::SmallVector;

int64_t TileLangRule::getLeastStage(const Edge &edge) const {
  int64_t distance = edge.distance;
  if (edge.removable)
    distance = std::max(distance, problem.buffers[edge.buffer].maxVersions);
  bool isIssuedLater = schedule.order[edge.to] > schedule.order[edge.from];
  return schedule.stage[edge.from] - distance + (isIssuedLater ? 0 : 1);
}

/// Marks what depends on the use of prefetched data: in the first stage it
/// would wait for that data.
void TileLangRule::findHeavy() {
  heavy.resize(size);
  SmallVector<unsigned> worklist;
  auto add = [&](unsigned user) {
    if (first[user] || heavy[user])
      return;
    heavy.set(user);
    worklist.push_back(user);
  };
  for (unsigned task = 0; task < size; ++task)
    if (problem.tasks[task].prefetch)
      for (unsigned index : outgoing[task])
        if (problem.edges[index].kind == EdgeKind::Flow)
          add(problem.edges[index].to);
  while (!worklist.empty())
    for (unsigned index : outgoing[worklist.pop_back_val()])
      if (!problem.edges[index].removable)
        add(problem.edges[index].to);
}

bool TileLangRule::canPull(unsigned task) {
  if (heavy.empty())
    findHeavy();
  return !first[task] && !pulled[task] && !demoted[task] && !heavy[task];
}

/// Takes `task` and what it depends on along into the first stage. Each task is
/// taken once.
bool TileLangRule::pull(unsigned task) {
  if (!canPull(task))
    return false;
  SmallVector<unsigned> worklist = {task};
  while (!worklist.empty()) {
    unsigned next = worklist.pop_back_val();
    if (!canPull(next))
      continue;
    first.set(next);
    pulled.set(next);
    for (unsigned index : incoming[next])
      if (!problem.edges[index].removable)
        worklist.push_back(problem.edges[index].from);
  }
  return true;
}

/// Takes `task` out of the first stage for good, and with it what uses it there
/// in the same iteration.
void TileLangRule::demote(unsigned task, const Edge &because) {
  SmallVector<std::pair<unsigned, Edge>> worklist = {{task, because}};
  while (!worklist.empty()) {
    auto [next, edge] = worklist.pop_back_val();
    if (!first[next])
      continue;
    first.reset(next);
    demoted.set(next);
    reasons[next] = edge;
    for (unsigned index : outgoing[next])
      if (const Edge &out = problem.edges[index]; out.distance == 0)
        worklist.push_back({out.to, out});
  }
}

/// True if `task`, issued behind `behind` one step ahead of its use, overlaps
/// with more than it does in the last stage, where it runs beside all tasks
/// that follow it anyway.
bool TileLangRule::gainsAhead(unsigned task, int behind) const {
  for (unsigned other = 0; other < size; ++other)
    if (!first[other] && (int(other) > behind || other < task))
      return true;
  return false;
}

/// Gives a first-stage task at least `stage`.
void TileLangRule::move(unsigned task, int64_t stage, const Edge &because) {
  if (stage >= last || (stage == last - 1 && !gainsAhead(task, behind[task])))
    return demote(task, because);
  minStage[task] = std::max(minStage[task], stage);
  reasons[task] = because;
}

/// Issues `edge.to`, which depends on the last stage of an earlier iteration,
/// right behind that task. Returns false if that gains nothing.
bool TileLangRule::delay(const Edge &edge) {
  if (first[edge.from] || edge.distance == 0 ||
      minBehind[edge.to] >= int(edge.from))
    return false;
  if (!gainsAhead(edge.to, edge.from))
    return false;
  minBehind[edge.to] = edge.from;
  reasons[edge.to] = edge;
  return true;
}

/// Makes way for an edge that does not hold; returns true if it could.
bool TileLangRule::repairEdge(const Edge &edge, bool mayMove) {
  if (pull(edge.from))
    return true;
  if (!first[edge.to])
    return false;
  int64_t least = mayMove ? getLeastStage(edge) : last;
  if (mayMove && least >= last && delay(edge))
    return true;
  move(edge.to, least, edge);
  return true;
}

/// Moves writers of buffers that would need more versions than they may have.
bool TileLangRule::repairVersions(bool mayMove) {
  bool changed = false;
  for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
    if (!buffer.isPrivate ||
        getRequiredVersions(buffer, schedule) <= buffer.maxVersions)
      continue;
    auto isBefore = [&](unsigned a, unsigned b) {
      return std::pair(schedule.stage[a], schedule.order[a]) <
             std::pair(schedule.stage[b], schedule.order[b]);
    };
    unsigned user = *llvm::max_element(accesses[index], isBefore);
    for (unsigned writer : buffer.writers) {
      Edge reuse{user, writer, EdgeKind::Anti, 1, unsigned(index), true};
      int64_t least = getLeastStage(reuse);
      if (!first[writer] || schedule.stage[writer] >= least)
        continue;
      move(writer, mayMove ? least : last, reuse);
      changed = true;
    }
  }
  return changed;
}

bool TileLangRule::repair(bool mayMove) {
  bool changed = false;
  for (const Edge &edge : problem.edges)
    if (!holds(edge))
      changed |= repairEdge(edge, mayMove);
  return changed;
}

/// Takes the sources of all edges that do not hold along, where that may be.
bool TileLangRule::pullSources() {
  bool changed = false;
  for (const Edge &edge : problem.edges)
    if (!holds(edge))
      changed |= pull(edge.from);
  return changed;
}

bool TileLangRule::isLegal() const {
  return llvm::all_of(problem.edges,
                      [&](const Edge &edge) { return holds(edge); }) &&
         llvm::all_of(problem.buffers, [&](const Buffer &buffer) {
           return !buffer.isPrivate ||
                  getRequiredVersions(buffer, schedule) <= buffer.maxVersions;
         });
}
