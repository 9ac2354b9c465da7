//===- ModuloGraph.h - Latencies of a problem as a graph --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the modulo scheduler knows of a problem: arcs with latencies, in which
// the reuse of private buffers is an arc too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_SCHEDULING_MODULOGRAPH_H
#define TILEPIPE_LIB_SCHEDULING_MODULOGRAPH_H

#include "tilepipe/Scheduling/Solvers.h"

namespace tilepipe::sched {

/// `to` of iteration `i + distance` starts at least `latency` cycles after
/// `from` of iteration `i`.
struct Arc {
  unsigned from, to;
  int64_t latency, distance;
};

/// Nodes are the tasks, then one for each private buffer: the moment when a
/// version is free again. It follows all accesses, and writes follow it
/// `maxVersions` iterations later; so arcs are as few as accesses.
struct ModuloGraph {
  explicit ModuloGraph(const Problem &problem);

  unsigned size() const { return incoming.size(); }

  /// The least interval, from `atLeast` on, for which no cycle of arcs is
  /// longer than the iterations that it spans.
  int64_t getRecurrenceBound(int64_t atLeast = 1) const;
  /// For each node the cycles from its start to the end of the iteration along
  /// the longest path; for an interval of at least the recurrence bound.
  llvm::SmallVector<int64_t> getHeights(int64_t interval) const;

  std::vector<Arc> arcs;
  std::vector<llvm::SmallVector<unsigned, 4>> incoming, outgoing;

private:
  void add(Arc arc);
};

} // namespace tilepipe::sched

#endif // TILEPIPE_LIB_SCHEDULING_MODULOGRAPH_H
