//===- LoopPlan.h - One pipelined loop on its way to a schedule -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPPLAN_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPPLAN_H

#include "LoopProblem.h"
#include "ManualSchedule.h"

#include "mlir/IR/PatternMatch.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Scheduling/Solvers.h"

namespace tilepipe::tile {

/// What the user asked of a loop.
struct PlanningInputs {
  mlir::IntegerAttr numStages;
  mlir::DenseI64ArrayAttr stage, order;

  /// Takes the inputs off `loop`.
  static PlanningInputs take(PipelineOp loop);
  void restore(PipelineOp loop) const;
};

/// True for a loop that asks for a schedule and has none.
bool asksForSchedule(PipelineOp loop);

/// One loop, from normalisation to its schedule.
class LoopPlan {
public:
  /// Normalises `loop`.
  LoopPlan(mlir::RewriterBase &rewriter, PipelineOp loop);

  PipelineOp getLoop() const { return loop; }
  bool isManual() const { return manual; }
  const DependenceGraph &getGraph() const { return *graph; }
  const LoopProblem &getProblem() const { return problem; }
  const sched::Schedule &getSchedule() const { return schedule; }
  llvm::ArrayRef<sched::Limit> getLimits() const { return limits; }
  /// The number of iterations in flight that was asked for.
  int64_t getDepth() const { return depth; }
  /// True if solving found that the loop stays serial.
  bool isSerial() const { return !whySerial.empty(); }

  /// Looks at the loop, and at the rest of the program around it, again.
  void analyze();
  /// Finds a schedule in which buffers of `fixed` have one version. Emits
  /// errors for manual schedules that are not legal.
  mlir::LogicalResult solve(PlanningPolicy policy, const FixedBuffers &fixed);
  /// Says which statements start later than they should, and why the loop is
  /// serial if it is.
  void emitRemarks(const FixedBuffers &fixed) const;

private:
  mlir::LogicalResult checkInputs();
  mlir::LogicalResult giveUp(mlir::Operation *culprit, std::string reason);
  mlir::LogicalResult solveManual(const FixedBuffers &fixed);
  void solveAutomatic(PlanningPolicy policy);
  void emitLimit(const sched::Limit &limit, const FixedBuffers &fixed) const;

  PipelineOp loop;
  UserOps userOps;
  bool manual;
  /// The length of the lists that the user wrote.
  size_t listLength = 0;
  int64_t depth = 1;
  std::unique_ptr<DependenceGraph> graph;
  LoopProblem problem;
  sched::Schedule schedule;
  std::vector<sched::Limit> limits;
  std::string whySerial;
  mlir::Operation *culprit = nullptr;
};

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPPLAN_H
