//===- ModuloSchedulerTest.cpp - Initiation intervals, in cycles ----------===//
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

using namespace tilepipe::sched;
using namespace tilepipe::sched::testing;

static Schedule solve(const Problem &problem) {
  Schedule schedule = solveModulo(problem);
  std::optional<Violation> violation = check(problem, schedule);
  EXPECT_FALSE(violation) << violation->reason;
  return schedule;
}

// A gemm takes 20 cycles, a load 30, and the loads start one after the other:
// with three buffers the tensor core never waits, with two a buffer is in use
// for 51 cycles out of 2 * 26, with one there is no overlap.
TEST(Modulo, IntervalByVersions) {
  EXPECT_EQ(getIntervalBound(makeGemm(3)).resource, 20);
  EXPECT_EQ(solve(makeGemm(3)).ii, 20);
  EXPECT_EQ(getIntervalBound(makeGemm(2)).recurrence, 25);
  EXPECT_EQ(solve(makeGemm(2)).ii, 26);
  EXPECT_EQ(getIntervalBound(makeGemm(1)).recurrence, 50);
  EXPECT_EQ(solve(makeGemm(1)).ii, 51);
}

TEST(Modulo, BusiestResourceBounds) {
  // Two gemms on one tensor core against 15 vector operations of 4 cycles.
  Builder b(3);
  unsigned s = b.tile("S"), c = b.state("C"), d = b.state("D");
  b.copy("S", s);
  b.gemm("C", {s}, c);
  b.gemm("D", {s}, d);
  for (int i = 0; i < 15; ++i)
    b.vector("v" + std::to_string(i), {s}, {b.state("h" + std::to_string(i))});
  Problem problem = b.take();
  EXPECT_EQ(getIntervalBound(problem).resource, 60);
  EXPECT_EQ(solve(problem).ii, 60);
  problem.resources[2].count = 2;
  EXPECT_EQ(getIntervalBound(problem).resource, 40);
  EXPECT_EQ(solve(problem).ii, 40);
}

TEST(Modulo, RecurrenceBounds) {
  // h -> g -> h of the next iteration: 4 + 4 cycles.
  Builder b(3);
  unsigned h = b.state("h"), g = b.state("g");
  b.vector("g", {h}, {g});
  b.vector("h", {g}, {h});
  Problem problem = b.take();
  problem.resources[2].count = 4;
  EXPECT_EQ(getIntervalBound(problem).recurrence, 8);
  EXPECT_EQ(solve(problem).ii, 8);
}

TEST(Modulo, CapacityTradesForCycles) {
  // Room for two copies of each tile only.
  Problem problem = makeGemm(3, /*tileBytes=*/1000);
  problem.spaces[0].capacity = 5100;
  Schedule schedule = solve(problem);
  EXPECT_EQ(schedule.ii, 26);
  EXPECT_EQ(schedule.versions[0], 2);
}

TEST(Modulo, EvictionLeavesAShortTaskItsPlace) {
  // 7 + 5 + 8 cycles on one resource fill an interval of 20 without a gap.
  Builder b(4);
  unsigned x = b.tile("x"), y = b.tile("y"), z = b.tile("z");
  b.task("a", 0, 31, 7, {}, {x});
  b.task("b", 0, 17, 5, {x}, {y});
  b.task("c", 0, 9, 8, {y}, {z});
  b.task("d", 1, 3, 3, {x, z}, {});
  EXPECT_EQ(solve(b.take()).ii, 20);
}

TEST(Modulo, EmptyProblem) {
  Builder b(3);
  Problem problem = b.take();
  EXPECT_FALSE(check(problem, solveModulo(problem)));
}
