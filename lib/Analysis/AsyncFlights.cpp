//===- AsyncFlights.cpp - Until when copies are in flight -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncFlights.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

bool tilepipe::runsRegionsOnce(Operation *op) {
  // The blocks of a grid do not share on-chip memory.
  return isa<scf::IfOp, scf::ExecuteRegionOp, scf::IndexSwitchOp, LaunchOp>(op);
}

/// True if some region of `op` certainly runs. A region that may not run at all
/// promises nothing.
static bool certainlyRuns(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.elseBlock() != nullptr;
  if (auto loop = dyn_cast<PipelineOp>(op))
    return loop.getConstantTripCount().value_or(0) > 0;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    return lower && upper && *lower < *upper;
  }
  return isa<scf::ExecuteRegionOp, scf::IndexSwitchOp>(op);
}

/// The least `newer` of a flight that lands at a wait in front of which there
/// are `commits` commits in its block. A count completes all groups but the
/// last ones; a token completes its group and all older ones.
int64_t
FlightAnalysis::getThreshold(AsyncWaitOp wait, int64_t commits,
                             const DenseMap<Value, int64_t> &commitsAt) {
  if (wait.getPending())
    return int64_t(*wait.getPending());
  int64_t threshold = kNever;
  for (Value token : wait.getTokens())
    if (auto it = commitsAt.find(token); it != commitsAt.end())
      threshold = std::min(threshold, commits - it->second);
  return threshold;
}

/// The least of what the regions promise; more than one execution of a loop
/// body only adds commits and waits.
FlightAnalysis::Passage FlightAnalysis::summarize(Operation *op) {
  std::optional<Passage> least;
  if (!certainlyRuns(op))
    return {};
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock())
      return {};
    const Passage &passage = summarize(region.front()).whole;
    if (!least) {
      least = passage;
      continue;
    }
    least->commits = std::min(least->commits, passage.commits);
    least->threshold = std::max(least->threshold, passage.threshold);
  }
  return least.value_or(Passage());
}

const FlightAnalysis::BlockSummary &FlightAnalysis::summarize(Block &block) {
  if (auto it = summaries.find(&block); it != summaries.end())
    return *it->second;
  auto summary = std::make_unique<BlockSummary>();
  Passage &whole = summary->whole;
  DenseMap<Value, int64_t> commitsAt;
  for (Operation &op : block) {
    Passage passage;
    if (auto commit = dyn_cast<AsyncCommitOp>(op)) {
      passage.commits = 1;
      commitsAt[commit.getGroup()] = whole.commits + 1;
    } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      passage.threshold = getThreshold(wait, whole.commits, commitsAt);
    } else if (op.getNumRegions() != 0) {
      passage = summarize(&op);
    } else {
      continue;
    }
    summary->events.push_back({&op, whole.commits, passage.threshold});
    if (passage.threshold != kNever)
      whole.threshold =
          std::min(whole.threshold, passage.threshold - whole.commits);
    whole.commits += passage.commits;
  }
  while (summary->leaves < summary->events.size())
    summary->leaves *= 2;
  summary->tree.assign(2 * summary->leaves, -kNever);
  for (auto [i, event] : llvm::enumerate(summary->events))
    summary->tree[summary->leaves + i] = event.commitsBefore - event.threshold;
  for (size_t i = summary->leaves - 1; i > 0; --i)
    summary->tree[i] = std::max(summary->tree[2 * i], summary->tree[2 * i + 1]);
  return *(summaries[&block] = std::move(summary));
}

/// The first event from `from` on with `commitsBefore - threshold >= atLeast`,
/// or the number of events.
size_t FlightAnalysis::findFirst(const BlockSummary &summary, size_t from,
                                 int64_t atLeast) {
  size_t count = summary.events.size();
  if (from >= count)
    return count;
  // Up while everything to the right in the subtree is too small, then down.
  size_t node = summary.leaves + from;
  while (summary.tree[node] < atLeast) {
    while (node % 2 == 1 && node != 1)
      node /= 2;
    if (node <= 1)
      return count;
    ++node;
  }
  while (node < summary.leaves) {
    node *= 2;
    if (summary.tree[node] < atLeast)
      ++node;
  }
  return node - summary.leaves;
}

Flight FlightAnalysis::advance(Operation *op, Flight flight) {
  const BlockSummary &summary = summarize(*op->getBlock());
  const Event *next =
      llvm::partition_point(summary.events, [&](const Event &event) {
        return event.op == op || event.op->isBeforeInBlock(op);
      });
  size_t from = next - summary.events.begin();
  int64_t before = from < summary.events.size() ? next->commitsBefore
                                                : summary.whole.commits;
  // At event e there are newer + (commitsBefore(e) - before) newer groups.
  size_t landing = findFirst(summary, from, before - flight.newer);
  if (landing < summary.events.size())
    flight.landed = summary.events[landing].op;
  flight.newer += summary.whole.commits - before;
  return flight;
}
