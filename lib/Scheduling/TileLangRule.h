//===- TileLangRule.h - TileLang's rule, where it is legal ------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule itself: first-stage tasks are the prefetching ones and,
// transitively, what computes their operands or prepares their buffers. All
// others stay in source order in the last stage. A first-stage task is issued
// right behind the last use of what it writes, so that one step refills a
// buffer after it was read and `numStages` versions suffice.
//
// The correction: a dependence of a first-stage task on a later stage, which
// the stages between them do not cover, either takes its source along into the
// first stage (if that does not wait for prefetched data there), or moves the
// task to a later stage, in the end to the last one. A first-stage task that
// waits for prefetched data gets a later stage than the prefetch, so that loads
// through loaded indices overlap too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_SCHEDULING_TILELANGRULE_H
#define TILEPIPE_LIB_SCHEDULING_TILELANGRULE_H

#include "tilepipe/Scheduling/Solvers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace tilepipe::sched {

/// One run of the rule: rounds of placing all tasks and repairing the first
/// stage, until the schedule is legal.
class TileLangRule {
public:
  explicit TileLangRule(const Problem &problem);

  Solution run();

private:
  void close();
  llvm::SmallVector<int> getLastUses() const;
  void assignStages();
  void place();
  void rotate();

  bool repair(bool mayMove);
  bool repairEdge(const Edge &edge, bool mayMove);
  bool repairVersions(bool mayMove);
  void move(unsigned task, int64_t stage, const Edge &because);
  bool delay(const Edge &edge);
  bool gainsAhead(unsigned task, int behind) const;
  void demote(unsigned task, const Edge &because);
  bool pull(unsigned task);
  bool pullSources();
  bool canPull(unsigned task);
  void findHeavy();
  bool isLegal() const;
  /// The least stage of `edge.to` for which `edge` holds if its buffer gets all
  /// versions that it may have.
  int64_t getLeastStage(const Edge &edge) const;
  bool holds(const Edge &edge) const {
    return schedule.stage[edge.to] >= getLeastStage(edge);
  }
  Solution finish();

  const Problem &problem;
  size_t size;
  int64_t last; ///< the last stage
  /// Tasks of the first stage; those that were taken along; those that lost
  /// their place for good.
  llvm::BitVector first, pulled, demoted;
  /// Tasks that depend on the use of prefetched data; empty until asked.
  llvm::BitVector heavy;
  bool mayRotate = true;
  std::vector<llvm::SmallVector<unsigned, 4>> incoming, outgoing;
  std::vector<llvm::SmallVector<unsigned, 2>> written, touched;
  std::vector<llvm::SmallVector<unsigned, 4>> accesses;
  /// Lower bounds of stages that dependences impose, and which one did.
  llvm::SmallVector<int64_t> minStage;
  /// Tasks of the last stage behind which a task must be issued, or -1.
  llvm::SmallVector<int> minBehind;
  /// Tasks of the last stage behind which first-stage tasks are issued now.
  llvm::SmallVector<int> behind;
  llvm::MapVector<unsigned, Edge> reasons;
  Schedule schedule;
};

} // namespace tilepipe::sched

#endif // TILEPIPE_LIB_SCHEDULING_TILELANGRULE_H
