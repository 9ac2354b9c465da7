//===- Checker.cpp - Judges any solution of a scheduling problem ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Scheduling/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilepipe::sched;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::SmallVector;

namespace {

/// One check of one schedule. Each rule returns its first violation.
class Checker {
public:
  Checker(const Problem &problem, const Schedule &schedule)
      : problem(problem), schedule(schedule), size(problem.tasks.size()) {}

  std::optional<Violation> run() const;

private:
  using Result = std::optional<Violation>;
  using Kind = Violation::Kind;

  Result checkShape() const;
  Result checkOrders() const;
  Result checkEdges() const;
  Result checkVersions() const;
  Result checkCapacities() const;
  Result checkTiming() const;
  Result checkReuseTiming() const;
  Result checkEdgeTiming() const;
  Result checkResources() const;
  Result checkUnits() const;

  /// True if task `b` of an iteration `distance` later is issued after task
  /// `a`.
  bool isIssuedAfter(unsigned a, unsigned b, int64_t distance) const {
    int64_t lead = schedule.stage[b] + distance - schedule.stage[a];
    return lead > 0 || (lead == 0 && schedule.order[b] > schedule.order[a]);
  }

  static Violation fail(Kind kind, std::string reason, unsigned first = kNone,
                        unsigned second = kNone) {
    return {kind, std::move(reason), kNone, first, second};
  }
  const std::string &name(unsigned task) const {
    return problem.tasks[task].name;
  }

  const Problem &problem;
  const Schedule &schedule;
  size_t size;
};

} // namespace

std::optional<Violation> Checker::checkShape() const {
  if (schedule.stage.size() != size || schedule.order.size() != size)
    return fail(Kind::Shape,
                formatv("{0} stages and {1} orders for {2} tasks",
                        schedule.stage.size(), schedule.order.size(), size));
  if (schedule.versions.size() != problem.buffers.size())
    return fail(Kind::Shape,
                formatv("{0} version counts for {1} buffers",
                        schedule.versions.size(), problem.buffers.size()));
  for (unsigned task : llvm::seq<unsigned>(0, size))
    if (schedule.stage[task] < 0 || schedule.order[task] < 0)
      return fail(Kind::Shape,
                  formatv("task '{0}' has stage {1} and order {2}", name(task),
                          schedule.stage[task], schedule.order[task]),
                  task);
  return std::nullopt;
}

std::optional<Violation> Checker::checkOrders() const {
  SmallVector<unsigned> byOrder = llvm::to_vector(llvm::seq<unsigned>(0, size));
  llvm::sort(byOrder, [&](unsigned a, unsigned b) {
    return std::pair(schedule.order[a], a) < std::pair(schedule.order[b], b);
  });
  for (size_t i = 1; i < size; ++i)
    if (schedule.order[byOrder[i]] == schedule.order[byOrder[i - 1]])
      return fail(Kind::Order,
                  formatv("tasks '{0}' and '{1}' share order {2}",
                          name(byOrder[i - 1]), name(byOrder[i]),
                          schedule.order[byOrder[i]]),
                  byOrder[i - 1], byOrder[i]);
  return std::nullopt;
}

std::optional<Violation> Checker::checkEdges() const {
  for (auto [index, edge] : llvm::enumerate(problem.edges)) {
    int64_t distance = edge.distance;
    if (edge.removable && schedule.versions[edge.buffer] > distance)
      distance = schedule.versions[edge.buffer];
    if (isIssuedAfter(edge.from, edge.to, distance))
      continue;
    Violation violation = fail(
        Kind::Edge,
        formatv("'{0}' (stage {1}, order {2}) does not come after '{3}' (stage "
                "{4}, order {5}) of {6} iterations before ({7})",
                name(edge.to), schedule.stage[edge.to], schedule.order[edge.to],
                name(edge.from), schedule.stage[edge.from],
                schedule.order[edge.from], distance, stringify(edge.kind)),
        edge.from, edge.to);
    violation.edge = index;
    return violation;
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkVersions() const {
  for (auto [buffer, versions] :
       llvm::zip_equal(problem.buffers, schedule.versions)) {
    if (versions < 1 || versions > buffer.maxVersions)
      return fail(Kind::Versions,
                  formatv("buffer '{0}' has {1} versions, allowed are 1 to {2}",
                          buffer.name, versions, buffer.maxVersions));
    // The edges between iterations of other buffers are given explicitly.
    if (!buffer.isPrivate || buffer.writers.empty())
      continue;
    auto isBefore = [&](unsigned a, unsigned b) {
      return std::pair(schedule.stage[a], schedule.order[a]) <
             std::pair(schedule.stage[b], schedule.order[b]);
    };
    unsigned firstWriter = *llvm::min_element(buffer.writers, isBefore);
    for (ArrayRef<unsigned> accesses : {ArrayRef<unsigned>(buffer.readers),
                                        ArrayRef<unsigned>(buffer.writers)})
      for (unsigned access : accesses)
        if (access != firstWriter &&
            !isIssuedAfter(access, firstWriter, versions))
          return fail(Kind::Versions,
                      formatv("buffer '{0}' has {1} versions, but '{2}' (stage "
                              "{3}, order {4}) would overwrite what '{5}' "
                              "(stage {6}, order {7}) still needs",
                              buffer.name, versions, name(firstWriter),
                              schedule.stage[firstWriter],
                              schedule.order[firstWriter], name(access),
                              schedule.stage[access], schedule.order[access]),
                      access, firstWriter);
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkCapacities() const {
  SmallVector<int64_t> used(problem.spaces.size(), 0);
  for (auto [buffer, versions] :
       llvm::zip_equal(problem.buffers, schedule.versions))
    used[buffer.space] += buffer.bytes * versions;
  for (auto [space, bytes] : llvm::zip_equal(problem.spaces, used))
    if (bytes > space.capacity)
      return fail(Kind::Capacity,
                  formatv("space '{0}' holds {1} bytes, the buffers need {2}",
                          space.name, space.capacity, bytes));
  return std::nullopt;
}

std::optional<Violation> Checker::checkTiming() const {
  if (schedule.ii == 0 && schedule.start.empty())
    return std::nullopt;
  if (schedule.ii < 1 || schedule.start.size() != size)
    return fail(Kind::Timing,
                formatv("{0} start cycles and an initiation interval of {1}",
                        schedule.start.size(), schedule.ii));
  for (unsigned task : llvm::seq<unsigned>(0, size))
    if (schedule.start[task] < 0 ||
        schedule.start[task] / schedule.ii != schedule.stage[task])
      return fail(Kind::Timing,
                  formatv("task '{0}' starts in cycle {1}, which is not stage "
                          "{2} at an initiation interval of {3}",
                          name(task), schedule.start[task],
                          schedule.stage[task], schedule.ii),
                  task);
  SmallVector<unsigned> byOrder = llvm::to_vector(llvm::seq<unsigned>(0, size));
  llvm::sort(byOrder, [&](unsigned a, unsigned b) {
    return schedule.order[a] < schedule.order[b];
  });
  for (size_t i = 1; i < size; ++i)
    if (schedule.start[byOrder[i]] % schedule.ii <
        schedule.start[byOrder[i - 1]] % schedule.ii)
      return fail(Kind::Timing,
                  formatv("task '{0}' is issued after '{1}' but starts earlier "
                          "in the step",
                          name(byOrder[i]), name(byOrder[i - 1])),
                  byOrder[i - 1], byOrder[i]);
  if (Result result = checkReuseTiming())
    return result;
  return checkEdgeTiming();
}

/// No access of a private buffer may still run when its version is overwritten.
std::optional<Violation> Checker::checkReuseTiming() const {
  for (auto [buffer, versions] :
       llvm::zip_equal(problem.buffers, schedule.versions)) {
    if (!buffer.isPrivate)
      continue;
    int64_t firstWrite = std::numeric_limits<int64_t>::max(), lastEnd = 0;
    unsigned writer = kNone, user = kNone;
    auto visit = [&](unsigned task) {
      int64_t end = schedule.start[task] + problem.tasks[task].occupancy;
      if (user == kNone || end > lastEnd) {
        lastEnd = end;
        user = task;
      }
    };
    llvm::for_each(buffer.readers, visit);
    for (unsigned task : buffer.writers) {
      visit(task);
      if (schedule.start[task] >= firstWrite)
        continue;
      firstWrite = schedule.start[task];
      writer = task;
    }
    if (writer != kNone && firstWrite + versions * schedule.ii < lastEnd)
      return fail(Kind::Timing,
                  formatv("'{0}' writes buffer '{1}' with {2} versions again "
                          "{3} cycles before '{4}' ends",
                          name(writer), buffer.name, versions,
                          lastEnd - firstWrite - versions * schedule.ii,
                          name(user)),
                  user, writer);
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkEdgeTiming() const {
  for (auto [index, edge] : llvm::enumerate(problem.edges)) {
    const Task &from = problem.tasks[edge.from];
    bool needsResult =
        edge.kind == EdgeKind::Flow || edge.kind == EdgeKind::Scalar;
    // With versions such an edge is a matter of `checkVersions`.
    if (edge.removable)
      continue;
    int64_t wait = needsResult ? from.latency : from.occupancy;
    int64_t gap = schedule.start[edge.to] + edge.distance * schedule.ii -
                  schedule.start[edge.from];
    if (gap >= wait)
      continue;
    Violation violation =
        fail(Kind::Timing,
             formatv("'{0}' starts {1} cycles after '{2}' and has to wait {3}",
                     name(edge.to), gap, from.name, wait),
             edge.from, edge.to);
    violation.edge = index;
    return violation;
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkResources() const {
  if (schedule.ii == 0)
    return std::nullopt;
  // Changes of the number of running tasks over the cycles of one step.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> changes(
      problem.resources.size());
  SmallVector<int64_t> always(problem.resources.size(), 0);
  for (unsigned index : llvm::seq<unsigned>(0, size)) {
    const Task &task = problem.tasks[index];
    always[task.resource] += task.occupancy / schedule.ii;
    int64_t rest = task.occupancy % schedule.ii;
    if (rest == 0)
      continue;
    int64_t begin = schedule.start[index] % schedule.ii;
    int64_t end = begin + rest;
    changes[task.resource].push_back({begin, 1});
    if (end <= schedule.ii) {
      changes[task.resource].push_back({end, -1});
      continue;
    }
    changes[task.resource].push_back({0, 1});
    changes[task.resource].push_back({end - schedule.ii, -1});
  }
  for (auto [index, resource] : llvm::enumerate(problem.resources)) {
    llvm::sort(changes[index]);
    int64_t running = always[index];
    int64_t most = running;
    for (auto [cycle, change] : changes[index]) {
      running += change;
      most = std::max(most, running);
    }
    if (most > int64_t(resource.count))
      return fail(Kind::Resource,
                  formatv("resource '{0}' runs {1} tasks at once, {2} at most",
                          resource.name, most, resource.count));
  }
  return std::nullopt;
}

std::optional<Violation> Checker::checkUnits() const {
  if (problem.numUnits == 0)
    return std::nullopt;
  if (schedule.unit.size() != size)
    return fail(Kind::Unit,
                formatv("{0} units for {1} tasks", schedule.unit.size(), size));
  for (unsigned index : llvm::seq<unsigned>(0, size)) {
    unsigned unit = schedule.unit[index];
    ArrayRef<unsigned> allowed = problem.tasks[index].units;
    if (unit >= problem.numUnits ||
        (!allowed.empty() && !llvm::is_contained(allowed, unit)))
      return fail(
          Kind::Unit,
          formatv("task '{0}' cannot run on unit {1}", name(index), unit),
          index);
  }
  return std::nullopt;
}

std::optional<Violation> Checker::run() const {
  // Later rules index the lists that the first one measures.
  if (Result result = checkShape())
    return result;
  for (auto rule :
       {&Checker::checkOrders, &Checker::checkEdges, &Checker::checkVersions,
        &Checker::checkCapacities, &Checker::checkTiming,
        &Checker::checkResources, &Checker::checkUnits})
    if (Result result = (this->*rule)())
      return result;
  return std::nullopt;
}

std::optional<Violation> tilepipe::sched::check(const Problem &problem,
                                                const Schedule &schedule) {
  return Checker(problem, schedule).run();
}
