//===- Solvers.h - Solvers of the scheduling problem ------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_SCHEDULING_SOLVERS_H
#define TILEPIPE_SCHEDULING_SOLVERS_H

#include "tilepipe/Scheduling/Problem.h"

namespace tilepipe::sched {

/// A task that a rule would have started earlier.
struct Limit {
  unsigned task;
  /// Steps that it runs ahead of the last stage; 0 if it is in that stage.
  int64_t lead;
  /// The dependence that forbids more.
  Edge because;
};

struct Solution {
  Schedule schedule;
  std::vector<Limit> limits;
};

/// All tasks in stage 0 in source order. Legal for every valid problem whose
/// buffers fit at all.
Schedule solveSerial(const Problem &problem);

/// TileLang's rule, where it is legal: prefetching tasks, and what computes
/// their addresses or prepares their tiles, get stage 0 and are issued right
/// behind the last use of what they write; all others get stage `numStages`, or
/// `numStages - 1` if all of stage 0 can be issued first. Tasks that may not
/// start so early get the earliest stage that is legal, if need be the last. No
/// buffer gets more than max(numStages, 1) versions. Near linear in tasks and
/// edges.
Solution solveTileLangRule(const Problem &problem);

struct ModuloOptions {
  /// Placements per task before the initiation interval is raised.
  int64_t budget = 8;
};

/// Lower bounds of the initiation interval.
struct IntervalBound {
  int64_t resource = 1;   ///< busiest resource
  int64_t recurrence = 1; ///< slowest cycle of dependences
  int64_t get() const { return std::max(resource, recurrence); }
};

/// Bounds under the version limits of the buffers.
IntervalBound getIntervalBound(const Problem &problem);

/// Iterative modulo scheduling (Rau): the least initiation interval that a
/// height-priority list scheduler with bounded evictions finds.
Schedule solveModulo(const Problem &problem, ModuloOptions options = {});

} // namespace tilepipe::sched

#endif // TILEPIPE_SCHEDULING_SOLVERS_H
