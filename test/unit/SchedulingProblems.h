//===- SchedulingProblems.h - Problems that scheduling tests share *- C++
//-*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TEST_UNIT_SCHEDULINGPROBLEMS_H
#define TILEPIPE_TEST_UNIT_SCHEDULINGPROBLEMS_H

#include "tilepipe/Scheduling/Problem.h"

#include "llvm/ADT/STLExtras.h"

namespace tilepipe::sched::testing {

/// Writes a problem down statement by statement, and derives its edges.
class Builder {
public:
  /// Resource 0 copies, 1 is the tensor core, 2 does the rest.
  explicit Builder(int64_t numStages) {
    problem.numStages = numStages;
    problem.resources = {{"copy"}, {"tensor"}, {"vector"}};
    problem.spaces = {{"shared"}};
  }

  /// A tile of which each iteration may have its own copy, or state that all
  /// iterations share.
  unsigned tile(std::string name, int64_t bytes = 1024) {
    problem.buffers.push_back({std::move(name),
                               0,
                               bytes,
                               {},
                               {},
                               true,
                               std::max<int64_t>(problem.numStages, 1)});
    return problem.buffers.size() - 1;
  }
  unsigned state(std::string name, int64_t bytes = 1024) {
    unsigned buffer = tile(std::move(name), bytes);
    problem.buffers[buffer].isPrivate = false;
    problem.buffers[buffer].maxVersions = 1;
    return buffer;
  }

  unsigned task(std::string name, unsigned resource, int64_t latency,
                int64_t occupancy, llvm::ArrayRef<unsigned> reads,
                llvm::ArrayRef<unsigned> writes) {
    unsigned index = problem.tasks.size();
    problem.tasks.push_back(
        {std::move(name), latency, occupancy, resource, {}, false});
    for (unsigned buffer : reads)
      problem.buffers[buffer].readers.push_back(index);
    for (unsigned buffer : writes)
      problem.buffers[buffer].writers.push_back(index);
    return index;
  }
  /// A prefetch of latency 30 that keeps the copy engine busy for one cycle.
  unsigned copy(std::string name, unsigned target,
                llvm::ArrayRef<unsigned> reads = {}) {
    unsigned index = task(std::move(name), 0, 30, 1, reads, {target});
    problem.tasks[index].prefetch = true;
    return index;
  }
  /// 20 cycles of the tensor core.
  unsigned gemm(std::string name, llvm::ArrayRef<unsigned> tiles,
                unsigned accumulator) {
    llvm::SmallVector<unsigned> reads(tiles);
    reads.push_back(accumulator);
    return task(std::move(name), 1, 20, 20, reads, {accumulator});
  }
  unsigned vector(std::string name, llvm::ArrayRef<unsigned> reads,
                  llvm::ArrayRef<unsigned> writes) {
    return task(std::move(name), 2, 4, 4, reads, writes);
  }
  void scalar(unsigned from, unsigned to) {
    problem.edges.push_back({from, to, EdgeKind::Scalar, 0});
  }

  /// The problem with all edges that whole buffers give: every access against
  /// every write, in its own iteration and the next.
  Problem take() {
    for (unsigned buffer = 0; buffer < problem.buffers.size(); ++buffer) {
      const Buffer info = problem.buffers[buffer];
      for (unsigned writer : info.writers) {
        for (unsigned reader : info.readers)
          relate(writer, reader, EdgeKind::Flow, EdgeKind::Anti, buffer);
        for (unsigned other : info.writers)
          if (other > writer)
            relate(writer, other, EdgeKind::Output, EdgeKind::Output, buffer);
      }
    }
    return std::move(problem);
  }

  Problem problem;

private:
  /// Edges between a write and another access of one buffer.
  void relate(unsigned writer, unsigned access, EdgeKind after, EdgeKind before,
              unsigned buffer) {
    bool isPrivate = problem.buffers[buffer].isPrivate;
    if (writer < access)
      problem.edges.push_back({writer, access, after, 0, buffer});
    if (access < writer)
      problem.edges.push_back({access, writer, before, 0, buffer});
    problem.edges.push_back({access, writer, before, 1, buffer, isPrivate});
    if (!isPrivate)
      problem.edges.push_back({writer, access, after, 1, buffer});
  }
};

/// C += As * Bs with two loads.
inline Problem makeGemm(int64_t numStages, int64_t tileBytes = 1024) {
  Builder b(numStages);
  unsigned as = b.tile("As", tileBytes), bs = b.tile("Bs", tileBytes);
  unsigned c = b.state("C");
  b.copy("copy A", as);
  b.copy("copy B", bs);
  b.gemm("gemm", {as, bs}, c);
  return b.take();
}

} // namespace tilepipe::sched::testing

#endif // TILEPIPE_TEST_UNIT_SCHEDULINGPROBLEMS_H
