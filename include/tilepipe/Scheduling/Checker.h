//===- Checker.h - Judges any solution of a scheduling problem --*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_SCHEDULING_CHECKER_H
#define TILEPIPE_SCHEDULING_CHECKER_H

#include "tilepipe/Scheduling/Problem.h"

namespace tilepipe::sched {

/// What a solution breaks.
struct Violation {
  enum class Kind {
    Shape,    ///< a list of the wrong length or a number out of range
    Order,    ///< two tasks share an order
    Edge,     ///< a dependence does not hold
    Versions, ///< a buffer has too few, or more than it may have
    Capacity, ///< a memory space overflows
    Timing,   ///< start cycles contradict stages, orders or latencies
    Resource, ///< a resource runs more tasks at once than it can
    Unit      ///< a task is on a unit that cannot run it
  };
  Kind kind;
  /// One sentence for a person, with all numbers.
  std::string reason;
  /// The edge that does not hold, for `Kind::Edge`.
  unsigned edge = kNone;
  /// The two tasks at fault, where it is about tasks.
  unsigned first = kNone, second = kNone;
};

/// The first rule that `schedule` breaks, or none if it is a solution. It
/// shares no code with the solvers.
std::optional<Violation> check(const Problem &problem,
                               const Schedule &schedule);

} // namespace tilepipe::sched

#endif // TILEPIPE_SCHEDULING_CHECKER_H
