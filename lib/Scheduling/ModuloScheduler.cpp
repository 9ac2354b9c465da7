//===- ModuloScheduler.cpp - Least initiation interval by iteration -------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterative modulo scheduling after B. R. Rau, "Iterative Modulo Scheduling: An
// Algorithm For Software Pipelining Loops", MICRO 1994. Tasks are placed by
// descending height; a task without a free place takes one and evicts those in
// its way, within a budget; when that is spent, the initiation interval grows.
//
//===----------------------------------------------------------------------===//

#include "ModuloGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <queue>

using namespace tilepipe::sched;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// What one instance of a resource runs over the cycles of one step.
class ReservationTable {
public:
  explicit ReservationTable(int64_t interval) : interval(interval) {}

  /// The node that occupies a cycle of [start, start + length), or none.
  std::optional<unsigned> findConflict(int64_t start, int64_t length) const {
    start %= interval;
    if (auto node = findIn(start, std::min(start + length, interval)))
      return node;
    if (start + length > interval)
      return findIn(0, start + length - interval);
    return std::nullopt;
  }
  /// The first cycle after `start` at which `node`, a conflict there, is over.
  int64_t getEnd(unsigned node, int64_t start) const {
    auto [begin, length] = places.at(node);
    int64_t ahead = (begin + length - start) % interval;
    return start + (ahead <= 0 ? ahead + interval : ahead);
  }
  void insert(unsigned node, int64_t start, int64_t length) {
    places[node] = {start % interval, length};
    forEachPart(node,
                [&](int64_t begin, int64_t end) { busy[begin] = {end, node}; });
  }
  void erase(unsigned node) {
    forEachPart(node, [&](int64_t begin, int64_t) { busy.erase(begin); });
    places.erase(node);
  }

private:
  std::optional<unsigned> findIn(int64_t begin, int64_t end) const {
    auto it = busy.lower_bound(end);
    if (it == busy.begin() || std::prev(it)->second.first <= begin)
      return std::nullopt;
    return std::prev(it)->second.second;
  }
  template <typename Fn> void forEachPart(unsigned node, Fn fn) {
    auto [begin, length] = places.at(node);
    fn(begin, std::min(begin + length, interval));
    if (begin + length > interval)
      fn(int64_t(0), begin + length - interval);
  }

  int64_t interval;
  /// Begin of each busy stretch, its end and its node.
  std::map<int64_t, std::pair<int64_t, unsigned>> busy;
  /// Begin and length of each node.
  std::map<unsigned, std::pair<int64_t, int64_t>> places;
};

/// One attempt at one initiation interval.
class ModuloScheduler {
public:
  ModuloScheduler(const Problem &problem, const ModuloGraph &graph,
                  int64_t interval)
      : problem(problem), graph(graph), interval(interval),
        heights(graph.getHeights(interval)), start(graph.size(), kUnplaced),
        lastStart(graph.size(), kUnplaced), instance(graph.size(), 0) {
    for (const Resource &resource : problem.resources)
      tables.emplace_back(resource.count, ReservationTable(interval));
  }

  /// Start cycles of all tasks, or none if the budget did not suffice.
  std::optional<SmallVector<int64_t>> run(int64_t budget);

private:
  static constexpr int64_t kUnplaced = -1;

  bool isTask(unsigned node) const { return node < problem.tasks.size(); }
  int64_t getOccupancy(unsigned node) const {
    return isTask(node) ? problem.tasks[node].occupancy : 0;
  }
  int64_t getEarliest(unsigned node) const;
  std::optional<int64_t> findPlace(unsigned node, int64_t earliest);
  void put(unsigned node, int64_t cycle);
  void remove(unsigned node);
  void enqueue(unsigned node) { queue.push({heights[node], -int64_t(node)}); }

  const Problem &problem;
  const ModuloGraph &graph;
  int64_t interval;
  SmallVector<int64_t> heights, start, lastStart;
  SmallVector<unsigned> instance;
  std::vector<std::vector<ReservationTable>> tables;
  std::priority_queue<std::pair<int64_t, int64_t>> queue;
};

} // namespace

int64_t ModuloScheduler::getEarliest(unsigned node) const {
  int64_t earliest = 0;
  for (unsigned index : graph.incoming[node]) {
    const Arc &arc = graph.arcs[index];
    if (start[arc.from] != kUnplaced && arc.from != node)
      earliest = std::max(earliest, start[arc.from] + arc.latency -
                                        interval * arc.distance);
  }
  return earliest;
}

/// The first cycle of one interval from `earliest` on where a resource is free.
std::optional<int64_t> ModuloScheduler::findPlace(unsigned node,
                                                  int64_t earliest) {
  int64_t length = getOccupancy(node);
  if (length == 0)
    return earliest;
  std::optional<int64_t> best;
  auto &instances = tables[problem.tasks[node].resource];
  for (auto [index, table] : llvm::enumerate(instances)) {
    int64_t cycle = earliest;
    std::optional<unsigned> conflict;
    while (cycle < earliest + interval &&
           (conflict = table.findConflict(cycle, length)))
      cycle = table.getEnd(*conflict, cycle);
    if (cycle >= earliest + interval || (best && *best <= cycle))
      continue;
    best = cycle;
    instance[node] = index;
  }
  return best;
}

void ModuloScheduler::remove(unsigned node) {
  if (getOccupancy(node) > 0)
    tables[problem.tasks[node].resource][instance[node]].erase(node);
  start[node] = kUnplaced;
  enqueue(node);
}

/// Places `node` at `cycle` and evicts what is in its way or now too early.
void ModuloScheduler::put(unsigned node, int64_t cycle) {
  if (int64_t length = getOccupancy(node)) {
    ReservationTable &table =
        tables[problem.tasks[node].resource][instance[node]];
    while (std::optional<unsigned> other = table.findConflict(cycle, length))
      remove(*other);
    table.insert(node, cycle, length);
  }
  start[node] = lastStart[node] = cycle;
  for (unsigned index : graph.outgoing[node]) {
    const Arc &arc = graph.arcs[index];
    if (start[arc.to] != kUnplaced && arc.to != node &&
        start[arc.to] + interval * arc.distance < cycle + arc.latency)
      remove(arc.to);
  }
}

std::optional<SmallVector<int64_t>> ModuloScheduler::run(int64_t budget) {
  for (unsigned node : llvm::seq<unsigned>(0, graph.size()))
    enqueue(node);
  while (!queue.empty()) {
    unsigned node = -queue.top().second;
    queue.pop();
    if (start[node] != kUnplaced)
      continue;
    if (budget-- == 0)
      return std::nullopt;
    int64_t earliest = getEarliest(node);
    std::optional<int64_t> cycle = findPlace(node, earliest);
    // Another cycle than last time, so that two tasks do not evict each other
    // for ever.
    if (!cycle)
      cycle = std::max(earliest, lastStart[node] + 1);
    put(node, *cycle);
  }
  start.truncate(problem.tasks.size());
  return std::move(start);
}

/// The fewest versions with which no access still runs when the next write into
/// its version starts.
static int64_t countVersions(const Problem &problem, const Buffer &buffer,
                             const Schedule &schedule) {
  if (!buffer.isPrivate || buffer.writers.empty())
    return 1;
  int64_t firstWrite = schedule.start[buffer.writers.front()];
  for (unsigned writer : buffer.writers)
    firstWrite = std::min(firstWrite, schedule.start[writer]);
  int64_t lastEnd = firstWrite;
  for (ArrayRef<unsigned> accesses :
       {ArrayRef<unsigned>(buffer.readers), ArrayRef<unsigned>(buffer.writers)})
    for (unsigned task : accesses)
      lastEnd = std::max(lastEnd,
                         schedule.start[task] + problem.tasks[task].occupancy);
  return std::max<int64_t>(
      getRequiredVersions(buffer, schedule),
      llvm::divideCeil(uint64_t(lastEnd - firstWrite), schedule.ii));
}

/// Stages, orders and versions that belong to start cycles.
static Schedule makeSchedule(const Problem &problem, SmallVector<int64_t> start,
                             int64_t interval) {
  Schedule schedule;
  schedule.ii = interval;
  int64_t base = *llvm::min_element(start) / interval * interval;
  for (int64_t &cycle : start) {
    cycle -= base;
    schedule.stage.push_back(cycle / interval);
  }
  // Tasks of one cycle do not depend on each other within a step: every arc
  // takes at least one cycle.
  SmallVector<unsigned> byCycle =
      llvm::to_vector(llvm::seq<unsigned>(0, start.size()));
  llvm::sort(byCycle, [&](unsigned a, unsigned b) {
    return std::pair(start[a] % interval, a) <
           std::pair(start[b] % interval, b);
  });
  schedule.order.resize(start.size());
  for (auto [order, task] : llvm::enumerate(byCycle))
    schedule.order[task] = order;
  schedule.start = std::move(start);
  for (const Buffer &buffer : problem.buffers)
    schedule.versions.push_back(countVersions(problem, buffer, schedule));
  for (const Task &task : problem.tasks)
    if (problem.numUnits != 0)
      schedule.unit.push_back(task.units.empty() ? 0 : task.units.front());
  return schedule;
}

static bool fits(const Problem &problem, const Schedule &schedule) {
  SmallVector<int64_t> used(problem.spaces.size(), 0);
  for (auto [buffer, versions] :
       llvm::zip_equal(problem.buffers, schedule.versions))
    used[buffer.space] += buffer.bytes * versions;
  return llvm::all_of(llvm::zip_equal(problem.spaces, used), [](auto it) {
    return std::get<1>(it) <= std::get<0>(it).capacity;
  });
}

static int64_t getResourceBound(const Problem &problem) {
  int64_t bound = 1;
  SmallVector<int64_t> busy(problem.resources.size(), 0);
  for (const Task &task : problem.tasks) {
    busy[task.resource] += task.occupancy;
    bound = std::max(bound, task.occupancy);
  }
  for (auto [resource, cycles] : llvm::zip_equal(problem.resources, busy))
    bound = std::max(
        bound, int64_t(llvm::divideCeil(uint64_t(cycles), resource.count)));
  return bound;
}

IntervalBound tilepipe::sched::getIntervalBound(const Problem &problem) {
  return {getResourceBound(problem), ModuloGraph(problem).getRecurrenceBound()};
}

Schedule tilepipe::sched::solveModulo(const Problem &problem,
                                      ModuloOptions options) {
  if (problem.tasks.empty())
    return solveSerial(problem);
  ModuloGraph graph(problem);
  int64_t longest = 0;
  for (const Task &task : problem.tasks)
    longest += std::max({task.latency, task.occupancy, int64_t(1)});
  // Beyond the length of the serial body nothing is gained.
  int64_t interval = graph.getRecurrenceBound(getResourceBound(problem));
  for (unsigned attempt = 0; interval <= longest; ++attempt) {
    int64_t budget = options.budget * graph.size();
    if (auto start = ModuloScheduler(problem, graph, interval).run(budget)) {
      Schedule schedule = makeSchedule(problem, std::move(*start), interval);
      if (fits(problem, schedule))
        return schedule;
    }
    // Cycle by cycle near the bound, then in growing steps.
    interval += attempt < 16 ? 1 : std::max<int64_t>(1, interval / 16);
  }
  return solveSerial(problem);
}
