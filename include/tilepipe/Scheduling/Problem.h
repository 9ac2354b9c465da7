//===- Problem.h - A scheduling problem and its solution --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Software pipelining as a problem of numbers, without IR: tasks on resources,
// dependences with distances, buffers with versions. Solvers are functions from
// a `Problem` to a `Schedule`; `check` in Checker.h judges any solution.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_SCHEDULING_PROBLEM_H
#define TILEPIPE_SCHEDULING_PROBLEM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tilepipe::sched {

/// Something that runs `count` tasks at a time.
struct Resource {
  std::string name;
  unsigned count = 1;
};

/// A memory space and the bytes that the buffers of the loop may use in it.
struct Space {
  std::string name;
  int64_t capacity = std::numeric_limits<int64_t>::max();
};

/// One statement of the loop. Tasks are numbered in source order.
struct Task {
  std::string name;
  /// Cycles from the start until results may be used.
  int64_t latency = 1;
  /// Cycles for which the task keeps its resource busy, and for which it may
  /// still read its inputs.
  int64_t occupancy = 1;
  unsigned resource = 0;
  /// The units (warp roles, cores) that may execute the task; empty for any.
  llvm::SmallVector<unsigned, 2> units;
  /// True if the task only moves data from off-chip memory into a tile, so that
  /// it should start iterations before the tile is used.
  bool prefetch = false;
};

enum class EdgeKind {
  Flow,   ///< `to` reads what `from` writes
  Anti,   ///< `to` overwrites what `from` reads
  Output, ///< `to` overwrites what `from` writes
  Scalar  ///< `to` uses a value that `from` computes
};

constexpr unsigned kNone = ~0u;

/// Task `to` of iteration `i + distance` must come after task `from` of
/// iteration `i`.
struct Edge {
  unsigned from;
  unsigned to;
  EdgeKind kind = EdgeKind::Flow;
  int64_t distance = 0;
  /// The buffer behind the edge, or `kNone`.
  unsigned buffer = kNone;
  /// True for edges that versions of the buffer remove: with `v` versions the
  /// distance becomes `v`, if that is more.
  bool removable = false;
};

/// Storage that tasks of one iteration share. A value that is not in memory but
/// passes between stages is a buffer too.
struct Buffer {
  std::string name;
  unsigned space = 0;
  /// Size of one version.
  int64_t bytes = 0;
  /// Tasks that read (write) it, ascending.
  llvm::SmallVector<unsigned> readers, writers;
  /// True if each iteration may have a copy of its own. Reuse of the copies
  /// then follows from `readers` and `writers`; for other buffers the edges
  /// between iterations must be given.
  bool isPrivate = false;
  /// Upper bound on the copies; 1 for buffers that are not private.
  int64_t maxVersions = 1;
};

struct Problem {
  std::vector<Task> tasks;
  std::vector<Edge> edges;
  std::vector<Buffer> buffers;
  std::vector<Resource> resources;
  std::vector<Space> spaces;
  /// How many units `Task::units` counts; 0 if the question is not asked.
  unsigned numUnits = 0;
  /// Iterations that may be in flight between a producer and its consumer.
  int64_t numStages = 1;

  /// Empty if numbers are in range, lists ascend and edges of distance 0 go
  /// forward; otherwise what is wrong.
  std::string validate() const;
};

/// A solution. In step `t` a task of stage `s` works on iteration `t - s`;
/// within a step tasks are issued by ascending order.
struct Schedule {
  llvm::SmallVector<int64_t> stage;
  llvm::SmallVector<int64_t> order;
  /// One number for each buffer.
  llvm::SmallVector<int64_t> versions;
  /// Start cycle of each task in the schedule of one iteration, and cycles
  /// between two iterations; empty and 0 if the solver does not count cycles.
  llvm::SmallVector<int64_t> start;
  int64_t ii = 0;
  /// The unit of each task; empty if `Problem::numUnits` is 0.
  llvm::SmallVector<unsigned> unit;

  int64_t getMaxStage() const;
  /// False if all tasks share one stage: the loop is serial then.
  bool overlaps() const;
};

llvm::StringRef stringify(EdgeKind kind);

/// The distance at which `edge` holds under `versions`.
int64_t getDistance(const Edge &edge, llvm::ArrayRef<int64_t> versions);

/// The fewest versions of `buffer` with which no task overwrites what another
/// task still reads or has yet to read under the stages and orders of
/// `schedule`.
int64_t getRequiredVersions(const Buffer &buffer, const Schedule &schedule);

/// Sets `schedule.versions` to the fewest that `schedule` needs.
void assignVersions(const Problem &problem, Schedule &schedule);

} // namespace tilepipe::sched

#endif // TILEPIPE_SCHEDULING_PROBLEM_H
