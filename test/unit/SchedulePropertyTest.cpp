//===- SchedulePropertyTest.cpp - Random problems against the checker -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SchedulingProblems.h"

#include "tilepipe/Scheduling/Checker.h"
#include "tilepipe/Scheduling/Solvers.h"

#include "gtest/gtest.h"

#include <random>

using namespace tilepipe::sched;
using namespace tilepipe::sched::testing;

namespace {

class RandomProblem {
public:
  explicit RandomProblem(unsigned seed) : engine(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  /// Loads, uses, state, scalars, extra edges over several iterations, and
  /// buffers of other loops' limits.
  Problem make() {
    Builder b(pick(0, 5));
    unsigned buffers = pick(1, 8), tasks = pick(1, 14);
    for (unsigned i = 0; i < buffers; ++i)
      pick(0, 2) ? b.tile("t" + std::to_string(i), pick(1, 64))
                 : b.state("s" + std::to_string(i), pick(1, 64));
    // A private buffer is written before it is read: its first access writes.
    std::vector<bool> isWritten(buffers);
    for (unsigned i = 0; i < tasks; ++i)
      addTask(b, isWritten, i);
    for (unsigned i = 0, e = pick(0, 3); i < e; ++i)
      addEdge(b, tasks);
    Problem problem = b.take();
    for (Resource &resource : problem.resources)
      resource.count = pick(1, 2);
    for (Buffer &buffer : problem.buffers)
      if (buffer.isPrivate && pick(0, 4) == 0)
        buffer.maxVersions = pick(1, buffer.maxVersions);
    return problem;
  }

  std::mt19937 engine;

private:
  void addTask(Builder &b, std::vector<bool> &isWritten, unsigned index) {
    llvm::SmallVector<unsigned> reads, writes;
    for (unsigned buffer = 0; buffer < isWritten.size(); ++buffer) {
      bool isPrivate = b.problem.buffers[buffer].isPrivate;
      if (pick(0, 3) == 0 && (!isPrivate || isWritten[buffer]))
        reads.push_back(buffer);
      if (pick(0, 4) == 0)
        writes.push_back(buffer);
    }
    for (unsigned buffer : writes)
      isWritten[buffer] = true;
    unsigned task = b.task("n" + std::to_string(index), pick(0, 2), pick(0, 40),
                           pick(0, 20), reads, writes);
    b.problem.tasks[task].prefetch = !writes.empty() && pick(0, 1);
  }
  void addEdge(Builder &b, unsigned tasks) {
    unsigned from = pick(0, tasks - 1), to = pick(0, tasks - 1);
    int64_t distance = pick(from < to ? 0 : 1, 4);
    b.problem.edges.push_back(
        {from, to, distance || pick(0, 1) ? EdgeKind::Flow : EdgeKind::Scalar,
         distance});
  }
};

/// Serial, rule and modulo solutions of one problem.
std::vector<Schedule> solveAll(const Problem &problem) {
  return {solveSerial(problem), solveTileLangRule(problem).schedule,
          solveModulo(problem)};
}

} // namespace

TEST(ScheduleProperty, EverySolutionIsLegal) {
  unsigned overlapping = 0, timed = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Problem problem = RandomProblem(seed).make();
    ASSERT_EQ(problem.validate(), "") << "seed " << seed;
    std::vector<Schedule> schedules = solveAll(problem);
    for (auto [solver, schedule] : llvm::enumerate(schedules)) {
      std::optional<Violation> violation = check(problem, schedule);
      ASSERT_FALSE(violation) << "seed " << seed << " solver " << solver << ": "
                              << violation->reason;
    }
    overlapping += schedules[1].overlaps();
    timed += schedules[2].ii > 0;
  }
  // The property would hold for solvers that always give up.
  EXPECT_GT(overlapping, 600u);
  EXPECT_GT(timed, 2500u);
}

TEST(ScheduleProperty, IntervalIsNotBelowItsBound) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Problem problem = RandomProblem(seed).make();
    Schedule schedule = solveModulo(problem);
    if (schedule.ii > 0)
      ASSERT_GE(schedule.ii, getIntervalBound(problem).get());
  }
}

/// The checker's rules, one by one and pair by pair.
static bool isLegal(const Problem &problem, const Schedule &schedule) {
  auto isAfter = [&](unsigned a, unsigned b, int64_t distance) {
    return std::pair(schedule.stage[b] + distance, schedule.order[b]) >
           std::pair(schedule.stage[a], schedule.order[a]);
  };
  for (unsigned a = 0; a < problem.tasks.size(); ++a)
    for (unsigned b = 0; b < a; ++b)
      if (schedule.order[a] == schedule.order[b])
        return false;
  for (const Edge &edge : problem.edges) {
    int64_t distance = edge.distance;
    if (edge.removable)
      distance = std::max(distance, schedule.versions[edge.buffer]);
    if (!isAfter(edge.from, edge.to, distance))
      return false;
  }
  for (unsigned index = 0; index < problem.buffers.size(); ++index) {
    const Buffer &buffer = problem.buffers[index];
    if (schedule.versions[index] < 1 ||
        schedule.versions[index] > buffer.maxVersions)
      return false;
    for (unsigned writer : buffer.writers)
      for (llvm::ArrayRef<unsigned> list :
           {llvm::ArrayRef<unsigned>(buffer.readers),
            llvm::ArrayRef<unsigned>(buffer.writers)})
        for (unsigned access : list)
          if (buffer.isPrivate && access != writer &&
              !isAfter(access, writer, schedule.versions[index]))
            return false;
  }
  return true;
}

TEST(ScheduleProperty, MutationsAreJudgedRight) {
  unsigned rejected = 0, accepted = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomProblem random(seed);
    Problem problem = random.make();
    Schedule schedule = solveTileLangRule(problem).schedule;
    unsigned task = random.pick(0, problem.tasks.size() - 1);
    unsigned other = random.pick(0, problem.tasks.size() - 1);
    switch (random.pick(0, 3)) {
    case 0:
      schedule.stage[task] = random.pick(0, 5);
      break;
    case 1:
      std::swap(schedule.order[task], schedule.order[other]);
      break;
    case 2:
      schedule.order[task] = schedule.order[other];
      break;
    case 3:
      schedule.versions[random.pick(0, problem.buffers.size() - 1)] +=
          random.pick(-1, 1);
      break;
    }
    std::optional<Violation> violation = check(problem, schedule);
    ASSERT_EQ(!violation, isLegal(problem, schedule)) << "seed " << seed;
    ++(violation ? rejected : accepted);
  }
  EXPECT_GT(rejected, 500u);
  EXPECT_GT(accepted, 500u);
}

TEST(ScheduleProperty, TimingMutationsAreRejected) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomProblem random(seed);
    Problem problem = random.make();
    Schedule schedule = solveModulo(problem);
    if (schedule.ii == 0)
      continue;
    // One cycle less than the busiest resource needs.
    int64_t busiest = 0;
    for (unsigned index = 0; index < problem.resources.size(); ++index) {
      int64_t cycles = 0;
      for (const Task &task : problem.tasks)
        cycles += task.resource == index ? task.occupancy : 0;
      int64_t count = problem.resources[index].count;
      busiest = std::max(busiest, (cycles + count - 1) / count);
    }
    Schedule shorter = schedule;
    shorter.ii = busiest - 1;
    for (unsigned task = 0; task < problem.tasks.size() && busiest > 1; ++task)
      shorter.stage[task] = shorter.start[task] / shorter.ii;
    if (busiest > 1)
      EXPECT_TRUE(check(problem, shorter)) << "seed " << seed;
    Schedule later = schedule;
    later.start[0] += schedule.ii;
    EXPECT_TRUE(check(problem, later)) << "seed " << seed;
  }
}

TEST(Checker, NamesBothTasks) {
  Problem problem = makeGemm(3);
  Schedule schedule = solveTileLangRule(problem).schedule;
  schedule.stage = {1, 0, 0};
  std::optional<Violation> violation = check(problem, schedule);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, Violation::Kind::Edge);
  EXPECT_EQ(violation->reason,
            "'gemm' (stage 0, order 2) does not come after 'copy A' (stage 1, "
            "order 0) of 0 iterations before (read after write)");
}

TEST(Checker, CapacityAndUnits) {
  Problem problem = makeGemm(3, /*tileBytes=*/65536);
  problem.spaces[0].capacity = 3 * 2 * 65536 + 1024;
  Schedule schedule = solveTileLangRule(problem).schedule;
  EXPECT_FALSE(check(problem, schedule));
  problem.spaces[0].capacity -= 1;
  EXPECT_EQ(check(problem, schedule)->kind, Violation::Kind::Capacity);
  problem.spaces[0].capacity += 1;
  problem.numUnits = 2;
  problem.tasks[2].units = {1};
  schedule.unit = {0, 0, 0};
  EXPECT_EQ(check(problem, schedule)->kind, Violation::Kind::Unit);
  schedule.unit = {0, 0, 1};
  EXPECT_FALSE(check(problem, schedule));
}
