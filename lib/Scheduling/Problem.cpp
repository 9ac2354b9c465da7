//===- Problem.cpp - A scheduling problem and its solution ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Scheduling/Problem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace tilepipe::sched;
using llvm::ArrayRef;
using llvm::Twine;

llvm::StringRef tilepipe::sched::stringify(EdgeKind kind) {
  switch (kind) {
  case EdgeKind::Flow:
    return "read after write";
  case EdgeKind::Anti:
    return "write after read";
  case EdgeKind::Output:
    return "write after write";
  case EdgeKind::Scalar:
    return "scalar";
  }
  return "";
}

static std::string validateTask(const Problem &problem, const Task &task) {
  if (task.latency < 0 || task.occupancy < 0)
    return "task '" + task.name + "' has a negative latency or occupancy";
  if (task.resource >= problem.resources.size())
    return "task '" + task.name + "' uses an unknown resource";
  for (unsigned unit : task.units)
    if (unit >= problem.numUnits)
      return "task '" + task.name + "' names an unknown unit";
  return "";
}

static std::string validateEdge(const Problem &problem, const Edge &edge) {
  if (edge.from >= problem.tasks.size() || edge.to >= problem.tasks.size())
    return "an edge has an unknown end";
  if (edge.buffer != kNone && edge.buffer >= problem.buffers.size())
    return "an edge has an unknown buffer";
  if (edge.removable && (edge.buffer == kNone || edge.distance < 1 ||
                         !problem.buffers[edge.buffer].isPrivate))
    return "a removable edge needs a private buffer and a distance of 1 or "
           "more";
  // Source order is a legal schedule, so that there always is one.
  if (edge.distance < 0 || (edge.distance == 0 && edge.from >= edge.to))
    return ("the edge from task " + Twine(edge.from) + " to task " +
            Twine(edge.to) + " of distance " + Twine(edge.distance) +
            " goes backwards")
        .str();
  return "";
}

static std::string validateBuffer(const Problem &problem,
                                  const Buffer &buffer) {
  if (buffer.space >= problem.spaces.size())
    return "buffer '" + buffer.name + "' is in an unknown space";
  if (buffer.bytes < 0 || buffer.maxVersions < 1 ||
      (buffer.maxVersions > 1 && !buffer.isPrivate))
    return "buffer '" + buffer.name + "' has a number out of range";
  for (ArrayRef<unsigned> list : {ArrayRef<unsigned>(buffer.readers),
                                  ArrayRef<unsigned>(buffer.writers)}) {
    if (!llvm::is_sorted(list))
      return "buffer '" + buffer.name + "' has accesses out of order";
    if (!list.empty() && list.back() >= problem.tasks.size())
      return "buffer '" + buffer.name + "' is accessed by an unknown task";
  }
  return "";
}

std::string Problem::validate() const {
  if (numStages < 0)
    return "the number of stages is negative";
  for (const Resource &resource : resources)
    if (resource.count < 1)
      return "resource '" + resource.name + "' runs no task at all";
  for (const Task &task : tasks)
    if (std::string reason = validateTask(*this, task); !reason.empty())
      return reason;
  for (const Edge &edge : edges)
    if (std::string reason = validateEdge(*this, edge); !reason.empty())
      return reason;
  for (const Buffer &buffer : buffers)
    if (std::string reason = validateBuffer(*this, buffer); !reason.empty())
      return reason;
  return "";
}

int64_t Schedule::getMaxStage() const {
  return stage.empty() ? 0 : *llvm::max_element(stage);
}

bool Schedule::overlaps() const { return !llvm::all_equal(stage); }

int64_t tilepipe::sched::getDistance(const Edge &edge,
                                     ArrayRef<int64_t> versions) {
  if (!edge.removable)
    return edge.distance;
  return std::max(edge.distance, versions[edge.buffer]);
}

int64_t tilepipe::sched::getRequiredVersions(const Buffer &buffer,
                                             const Schedule &schedule) {
  if (buffer.writers.empty())
    return 1;
  auto position = [&](unsigned task) {
    return std::pair(schedule.stage[task], schedule.order[task]);
  };
  std::pair<int64_t, int64_t> firstWrite = position(buffer.writers.front());
  std::pair<int64_t, int64_t> lastAccess = firstWrite;
  for (unsigned writer : buffer.writers) {
    firstWrite = std::min(firstWrite, position(writer));
    lastAccess = std::max(lastAccess, position(writer));
  }
  for (unsigned reader : buffer.readers)
    lastAccess = std::max(lastAccess, position(reader));
  // A write of iteration i + v comes after an access of iteration i if
  // (stage(w) + v, order(w)) > (stage(a), order(a)); the first write and the
  // last access are the tightest pair.
  int64_t versions = lastAccess.first - firstWrite.first;
  if (firstWrite.second <= lastAccess.second)
    ++versions;
  return std::max<int64_t>(versions, 1);
}

void tilepipe::sched::assignVersions(const Problem &problem,
                                     Schedule &schedule) {
  schedule.versions.clear();
  for (const Buffer &buffer : problem.buffers)
    schedule.versions.push_back(
        buffer.isPrivate ? getRequiredVersions(buffer, schedule) : 1);
}
