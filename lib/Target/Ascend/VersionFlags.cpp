//===- VersionFlags.cpp - Flags of buffers with versions -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

/// Uses of one version that follow each other in a block, in all blocks.
static bool collectEpochs(const AccessTable &table, Block &block,
                          const BufferGroup &group,
                          SmallVectorImpl<Epoch> &epochs) {
  size_t start = epochs.size();
  for (const GroupItem &item : table.getItems(block, group)) {
    if (item.pipe) {
      if (epochs.size() > start && epochs.back().last->getBlock() == &block &&
          epochs.back().pipe == *item.pipe && epochs.back().slot == item.slot)
        epochs.back().last = item.op;
      else
        epochs.push_back({item.op, item.op, *item.pipe, item.slot});
      continue;
    }
    if (item.op->getNumRegions() == 0)
      return false;
    for (Region &region : item.op->getRegions())
      for (Block &inner : region)
        if (!collectEpochs(table, inner, group, epochs))
          return false;
  }
  return true;
}

namespace {

/// Which pipes have a version before and after a use of it, on any path.
struct Neighbours {
  llvm::SmallSetVector<Pipe, 4> before, after;
  /// It is the first use of the version, or the last one, on some path.
  bool first = false, last = false;

  /// The one pipe other than `own` among `pipes`, if there is one; failure if
  /// there are several, or `own` as well.
  static FailureOr<std::optional<Pipe>>
  getOther(const llvm::SmallSetVector<Pipe, 4> &pipes, Pipe own) {
    if (pipes.empty() || (pipes.size() == 1 && pipes[0] == own))
      return std::optional<Pipe>();
    if (pipes.size() > 1)
      return failure();
    return std::optional<Pipe>(pipes[0]);
  }
};

/// What flags each use of a version takes.
struct VersionPlan {
  SmallVector<Epoch> epochs;
  SmallVector<std::optional<Pipe>> waits, sets;
  /// The flag that all versions have at the start and at the end: from, to.
  std::optional<std::pair<Pipe, Pipe>> rest;

  LogicalResult decide(ArrayRef<Neighbours> neighbours);
};

} // namespace

/// Follows every version along the control paths.
static SmallVector<Neighbours> traceVersions(ArrayRef<Epoch> epochs,
                                             PipeModel &model) {
  SmallVector<Neighbours> neighbours(epochs.size());
  DenseMap<Operation *, size_t> indices;
  ModelTrace trace;
  for (auto [i, epoch] : llvm::enumerate(epochs)) {
    indices[epoch.first] = i;
    trace.watched.insert(epoch.first);
  }
  DenseMap<int64_t, size_t> latest;
  auto visit = [&](Operation *op, IndexEvaluator evaluate) {
    size_t now = indices.lookup(op);
    std::optional<int64_t> version = evaluate(epochs[now].slot);
    if (!version)
      return;
    auto [it, isFirst] = latest.insert({*version, now});
    if (isFirst) {
      neighbours[now].first = true;
      return;
    }
    neighbours[now].before.insert(epochs[it->second].pipe);
    neighbours[it->second].after.insert(epochs[now].pipe);
    it->second = now;
  };
  auto endOfPath = [&] {
    for (auto [version, epoch] : latest)
      neighbours[epoch].last = true;
    latest.clear();
  };
  trace.visit = visit;
  trace.endOfPath = endOfPath;
  model.run(trace);
  return neighbours;
}

LogicalResult VersionPlan::decide(ArrayRef<Neighbours> neighbours) {
  for (auto [epoch, around] : llvm::zip(epochs, neighbours)) {
    auto before = Neighbours::getOther(around.before, epoch.pipe);
    auto after = Neighbours::getOther(around.after, epoch.pipe);
    if (failed(before) || failed(after))
      return failure();
    waits.push_back(*before);
    sets.push_back(*after);
    // A use that is the first one on one path, and waits on another, waits
    // always: for a flag that is there from the start. Likewise at the end.
    std::pair<Pipe, Pipe> flag;
    if (around.first && *before)
      flag = {**before, epoch.pipe};
    else if (around.last && *after)
      flag = {epoch.pipe, **after};
    else
      continue;
    if (rest && *rest != flag)
      return failure();
    rest = flag;
  }
  if (!rest)
    return success();
  for (auto [i, around] : llvm::enumerate(neighbours)) {
    if (around.first) {
      if (epochs[i].pipe != rest->second ||
          around.before.contains(rest->second))
        return failure();
      waits[i] = rest->first;
    }
    if (around.last) {
      if (epochs[i].pipe != rest->first || around.after.contains(rest->first))
        return failure();
      sets[i] = rest->second;
    }
  }
  return success();
}

bool ascend::insertVersionFlags(const AccessTable &table, PipeModel &model,
                                BufferGroup &group) {
  Block &body = table.getFunction().getBody().front();
  VersionPlan plan;
  if (!table.hasOneVersionEach(group) ||
      !collectEpochs(table, body, group, plan.epochs) ||
      failed(plan.decide(traceVersions(plan.epochs, model))))
    return false;
  OpBuilder b(&body, body.begin());
  Location loc = plan.epochs.front().first->getLoc();
  auto forEachVersion = [&](bool set) {
    for (int64_t i = 0; plan.rest && i < group.versions; ++i)
      insertFlag(b, loc, set, group, plan.rest->first, plan.rest->second,
                 nullptr, i);
  };
  forEachVersion(true);
  for (auto [epoch, wait, set] :
       llvm::zip(plan.epochs, plan.waits, plan.sets)) {
    b.setInsertionPoint(epoch.first);
    if (wait)
      insertFlag(b, epoch.first->getLoc(), false, group, *wait, epoch.pipe,
                 epoch.slot);
    b.setInsertionPointAfter(epoch.last);
    if (set)
      insertFlag(b, epoch.last->getLoc(), true, group, epoch.pipe, *set,
                 epoch.slot);
  }
  b.setInsertionPoint(body.getTerminator());
  forEachVersion(false);
  return true;
}
