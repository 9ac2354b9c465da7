//===- TileLangRuleTest.cpp - Schedules that users of TileLang expect -----===//
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

using Numbers = llvm::SmallVector<int64_t>;

static void expectPlan(const Problem &problem, Numbers stage, Numbers order,
                       Numbers versions) {
  Solution solution = solveTileLangRule(problem);
  EXPECT_EQ(solution.schedule.stage, stage);
  EXPECT_EQ(solution.schedule.order, order);
  EXPECT_EQ(solution.schedule.versions, versions);
  std::optional<Violation> violation = check(problem, solution.schedule);
  EXPECT_FALSE(violation) << violation->reason;
}

TEST(TileLangRule, GemmByDepth) {
  expectPlan(makeGemm(1), {0, 0, 1}, {1, 2, 0}, {1, 1, 1});
  expectPlan(makeGemm(2), {0, 0, 1}, {0, 1, 2}, {2, 2, 1});
  expectPlan(makeGemm(3), {0, 0, 2}, {0, 1, 2}, {3, 3, 1});
  expectPlan(makeGemm(5), {0, 0, 4}, {0, 1, 2}, {5, 5, 1});
}

TEST(TileLangRule, ZeroStagesIsSerial) {
  expectPlan(makeGemm(0), {0, 0, 0}, {0, 1, 2}, {1, 1, 1});
}

TEST(TileLangRule, LoadsFollowTheirLastConsumer) {
  // copy_two_consumers: one tile is read by two gemms.
  Builder b(3);
  unsigned as = b.tile("As"), bs = b.tile("Bs"), ds = b.tile("Ds");
  unsigned c1 = b.state("C1"), c2 = b.state("C2");
  b.copy("A", as);
  b.copy("B", bs);
  b.copy("D", ds);
  b.gemm("C1", {as, bs}, c1);
  b.gemm("C2", {as, ds}, c2);
  expectPlan(b.take(), {0, 0, 0, 3, 3}, {3, 1, 4, 0, 2}, {3, 3, 3, 1, 1});
}

TEST(TileLangRule, FillTravelsWithPartialCopy) {
  Builder b(3);
  unsigned as = b.tile("As"), bs = b.tile("Bs"), c = b.state("C");
  b.vector("fill", {}, {as});
  b.copy("A", as);
  b.copy("B", bs);
  b.gemm("gemm", {as, bs}, c);
  expectPlan(b.take(), {0, 0, 0, 2}, {0, 1, 2, 3}, {3, 3, 1});
}

TEST(TileLangRule, InPlaceUpdateKeepsOneTileApart) {
  Builder b(3);
  unsigned as = b.tile("As"), c = b.state("C");
  b.copy("A", as);
  b.vector("scale", {as}, {as});
  b.gemm("gemm", {as}, c);
  expectPlan(b.take(), {0, 2, 2}, {0, 1, 2}, {3, 1});
}

TEST(TileLangRule, IndexFromBufferMovesWithItsLoad) {
  // I = ...; off = I[0]; copy G[off] -> S; acc += S. Buffer and scalar closure
  // have to alternate.
  Builder b(2);
  unsigned i = b.tile("I", 8), s = b.tile("S"), acc = b.state("acc");
  unsigned store = b.vector("store", {}, {i});
  unsigned load = b.vector("load", {i}, {});
  unsigned copy = b.copy("copy", s);
  b.vector("acc", {s, acc}, {acc});
  b.scalar(load, copy);
  EXPECT_EQ(store, 0u);
  expectPlan(b.take(), {0, 0, 0, 1}, {0, 1, 2, 3}, {1, 2, 1});
}

TEST(TileLangRule, LoadedIndexIsOneStageAhead) {
  // The second load waits for the first: they get stages of their own.
  Builder b(3);
  unsigned i = b.tile("I", 8), s = b.tile("S"), acc = b.state("acc");
  b.copy("index", i);
  unsigned load = b.vector("load", {i}, {});
  unsigned copy = b.copy("copy", s);
  b.vector("acc", {s, acc}, {acc});
  b.scalar(load, copy);
  expectPlan(b.take(), {0, 1, 1, 3}, {3, 1, 2, 0}, {1, 2, 1});
}

TEST(TileLangRule, CarriedIndexMovesAlong) {
  // p is advanced behind the copy that uses it: the update must not stay in the
  // last stage.
  Builder b(2);
  unsigned p = b.state("p", 8), s = b.tile("S"), acc = b.state("acc");
  unsigned load = b.vector("load", {p}, {});
  unsigned copy = b.copy("copy", s);
  b.vector("advance", {p}, {p});
  b.vector("acc", {s, acc}, {acc});
  b.scalar(load, copy);
  expectPlan(b.take(), {0, 0, 0, 1}, {0, 1, 2, 3}, {1, 2, 1});
}

TEST(TileLangRule, MemoryWrittenByConsumerIsNotPrefetched) {
  // X is loaded, and written from what was loaded, one iteration later.
  Builder b(3);
  unsigned x = b.state("X"), s = b.tile("S"), t = b.tile("T");
  unsigned acc = b.state("acc");
  b.copy("X", s, {x});
  b.copy("T", t);
  b.vector("acc", {s, t, acc}, {acc});
  b.vector("store", {acc}, {x});
  Problem problem = b.take();
  Solution solution = solveTileLangRule(problem);
  EXPECT_EQ(solution.schedule.stage, Numbers({3, 0, 3, 3}));
  ASSERT_EQ(solution.limits.size(), 1u);
  EXPECT_EQ(solution.limits[0].task, 0u);
  EXPECT_EQ(solution.limits[0].lead, 0);
  EXPECT_EQ(solution.limits[0].because.from, 3u);
  EXPECT_FALSE(check(problem, solution.schedule));
}

TEST(TileLangRule, LoadIsIssuedBehindTheStoreThatFeedsIt) {
  // The next load of X needs the store, but not what follows the store.
  Builder b(3);
  unsigned x = b.state("X"), s = b.tile("S"), acc = b.state("acc");
  b.copy("X", s, {x});
  b.vector("store", {s}, {x});
  b.gemm("acc", {acc}, acc);
  Problem problem = b.take();
  Solution solution = solveTileLangRule(problem);
  EXPECT_EQ(solution.schedule.stage, Numbers({2, 3, 3}));
  EXPECT_EQ(solution.schedule.order, Numbers({1, 0, 2}));
  ASSERT_EQ(solution.limits.size(), 1u);
  EXPECT_EQ(solution.limits[0].lead, 1);
  EXPECT_FALSE(check(problem, solution.schedule));
}

TEST(TileLangRule, OneBufferStillOverlaps) {
  // As has to stay one buffer; Bs may have three. As is refilled right behind
  // its use, beside the tasks that follow.
  Builder b(3);
  unsigned as = b.state("As"), bs = b.tile("Bs"), c = b.state("C");
  unsigned h = b.state("h");
  b.copy("A", as);
  b.copy("B", bs);
  b.gemm("gemm", {as, bs}, c);
  b.vector("h", {h}, {h});
  Problem problem = b.take();
  Solution solution = solveTileLangRule(problem);
  EXPECT_EQ(solution.schedule.stage, Numbers({2, 0, 3, 3}));
  EXPECT_EQ(solution.schedule.order, Numbers({1, 2, 0, 3}));
  EXPECT_EQ(solution.schedule.versions, Numbers({1, 3, 1, 1}));
  ASSERT_EQ(solution.limits.size(), 1u);
  EXPECT_EQ(solution.limits[0].lead, 1);
  EXPECT_FALSE(check(problem, solution.schedule));
}

TEST(TileLangRule, OneBufferWithoutOverlapStaysBehind) {
  // Refilled behind the gemm, As would be waited for at once.
  Builder b(3);
  unsigned as = b.state("As"), bs = b.tile("Bs"), c = b.state("C");
  b.copy("A", as);
  b.copy("B", bs);
  b.gemm("gemm", {as, bs}, c);
  Problem problem = b.take();
  Solution solution = solveTileLangRule(problem);
  EXPECT_EQ(solution.schedule.stage, Numbers({2, 0, 2}));
  EXPECT_EQ(solution.schedule.order, Numbers({1, 0, 2}));
  EXPECT_FALSE(check(problem, solution.schedule));
}

TEST(TileLangRule, VersionLimitOfAnotherLoopHolds) {
  Problem problem = makeGemm(4);
  problem.buffers[0].maxVersions = 2;
  Solution solution = solveTileLangRule(problem);
  EXPECT_LE(solution.schedule.versions[0], 2);
  EXPECT_EQ(solution.schedule.versions[1], 4);
  EXPECT_FALSE(check(problem, solution.schedule));
}

TEST(TileLangRule, NothingToPrefetchIsSerial) {
  Builder b(3);
  unsigned h = b.state("h"), g = b.state("g");
  b.vector("h", {h}, {h});
  b.vector("g", {g, h}, {g});
  EXPECT_FALSE(solveTileLangRule(b.take()).schedule.overlaps());
}
