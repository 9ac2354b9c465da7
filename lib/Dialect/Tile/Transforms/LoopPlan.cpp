//===- LoopPlan.cpp - One pipelined loop on its way to a schedule ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "ScalarCells.h"

#include "tilepipe/Dialect/Tile/Transforms/NormalizePipeline.h"
#include "tilepipe/Scheduling/Checker.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// Expansion makes code for each stage: beyond this a number is a mistake.
static constexpr int64_t kMaxDepth = 1024;

PlanningInputs PlanningInputs::take(PipelineOp loop) {
  PlanningInputs inputs{loop.getNumStagesAttr(), loop.getStageAttr(),
                        loop.getOrderAttr()};
  loop.removeNumStagesAttr();
  loop.removeStageAttr();
  loop.removeOrderAttr();
  return inputs;
}

void PlanningInputs::restore(PipelineOp loop) const {
  if (numStages)
    loop.setNumStagesAttr(numStages);
  if (stage)
    loop.setStageAttr(stage);
  if (order)
    loop.setOrderAttr(order);
}

bool tile::asksForSchedule(PipelineOp loop) {
  return !loop.getSchedule() &&
         (loop.getStage() || int64_t(loop.getNumStages().value_or(0)) > 0);
}

LoopPlan::LoopPlan(RewriterBase &rewriter, PipelineOp source)
    : userOps(collectUserOps(source)), manual(source.getStage().has_value()) {
  if (manual)
    listLength = source.getStage()->size();
  loop = normalizePipeline(rewriter, source);
}

void LoopPlan::analyze() { graph = std::make_unique<DependenceGraph>(loop); }

LogicalResult LoopPlan::checkInputs() {
  int64_t asked = int64_t(loop.getNumStages().value_or(0));
  if (asked > kMaxDepth)
    return emitError(loop.getLoc(), "expects num_stages to be at most ")
           << kMaxDepth << ", got " << asked;
  if (!manual)
    return success();
  ArrayRef<int64_t> stages = *loop.getStage();
  for (int64_t stage : stages)
    if (stage >= kMaxDepth)
      return emitError(loop.getLoc(), "expects stages to be less than ")
             << kMaxDepth << ", got " << stage;
  return success();
}

/// The loop stays serial; an error if the user gave a schedule that needs more.
LogicalResult LoopPlan::giveUp(Operation *at, std::string reason) {
  if (manual) {
    InFlightDiagnostic diagnostic =
        emitError(loop.getLoc(), "manual schedule cannot be applied: ")
        << reason;
    if (at && at != loop)
      diagnostic.attachNote(at->getLoc()) << "because of this operation";
    return failure();
  }
  whySerial = std::move(reason);
  culprit = at;
  return success();
}

LogicalResult LoopPlan::solve(PlanningPolicy policy,
                              const FixedBuffers &fixed) {
  whySerial.clear();
  culprit = nullptr;
  limits.clear();
  if (failed(checkInputs()))
    return failure();
  if (Operation *obstacle = graph->getObstacle())
    return giveUp(obstacle, graph->getObstacleReason().str());
  for (const Dependence &d : graph->getDependences())
    if (d.kind == DependenceKind::Scalar)
      if (Value value = getUnstorableResult(*graph, d.from))
        return giveUp(graph->getStatements()[d.from],
                      "a statement computes a value for others that no buffer "
                      "can hold");
  int64_t numStages = int64_t(loop.getNumStages().value_or(0));
  depth = std::max<int64_t>(numStages, 1);
  problem =
      buildLoopProblem(*graph, numStages, manual ? kMaxDepth : depth, fixed);
  // Solvers rely on it, so a defect of the analysis must end here.
  if (std::string reason = problem.problem.validate(); !reason.empty())
    return giveUp(loop, reason);
  if (manual)
    return solveManual(fixed);
  if (graph->getStatements().empty()) {
    whySerial = "it has no statements";
    return success();
  }
  solveAutomatic(policy);
  return success();
}

LogicalResult LoopPlan::solveManual(const FixedBuffers &fixed) {
  FailureOr<sched::Schedule> read =
      readManualSchedule(*graph, userOps, listLength);
  if (failed(read))
    return failure();
  schedule = std::move(*read);
  if (failed(checkManualSchedule(*graph, problem, fixed, schedule)))
    return failure();
  if (!loop.getNumStages() || *loop.getNumStages() == 0)
    depth = schedule.getMaxStage() + 1;
  if (!schedule.overlaps())
    whySerial = "its statements share one stage";
  return success();
}

void LoopPlan::solveAutomatic(PlanningPolicy policy) {
  bool prefetches =
      llvm::any_of(problem.problem.tasks,
                   [](const sched::Task &task) { return task.prefetch; });
  int64_t interval = 0;
  if (policy == PlanningPolicy::Modulo) {
    schedule = sched::solveModulo(problem.problem);
    interval = schedule.ii;
  }
  // An interval that holds a whole iteration leaves all tasks in one stage. The
  // model lets copies of the next iteration start meanwhile; statements that are
  // issued in order do so only if the copies run ahead.
  if (policy == PlanningPolicy::TileLang ||
      (prefetches && !schedule.overlaps())) {
    sched::Solution solution = sched::solveTileLangRule(problem.problem);
    schedule = std::move(solution.schedule);
    limits = std::move(solution.limits);
  }
  if (std::optional<sched::Violation> violation =
          sched::check(problem.problem, schedule)) {
    // A defect of a solver must not become wrong code.
    whySerial = "no legal schedule was found: " + violation->reason;
    return;
  }
  schedule.ii = interval;
  if (schedule.overlaps())
    return;
  if (!prefetches)
    whySerial = "no statement of it only copies global memory to a tile";
  else if (limits.empty())
    whySerial = "no iteration uses the tiles that it copies";
  else
    whySerial = "no statement can run ahead of the others";
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

void LoopPlan::emitLimit(const sched::Limit &limit,
                         const FixedBuffers &fixed) const {
  Operation *op = graph->getStatements()[limit.task];
  Operation *other = graph->getStatements()[limit.because.from];
  InFlightDiagnostic diagnostic = emitRemark(op->getLoc());
  if (limit.lead == 0)
    diagnostic << "not pipelined: ";
  else
    diagnostic << "starts only " << limit.lead << " of " << depth
               << " iterations ahead: ";
  diagnostic << describeEdge(*graph, problem, limit.because);
  diagnostic.attachNote(other->getLoc()) << "the other statement is here";
  if (limit.because.buffer != sched::kNone)
    noteFixedBuffer(diagnostic, problem.roots[limit.because.buffer], fixed);
}

void LoopPlan::emitRemarks(const FixedBuffers &fixed) const {
  for (const sched::Limit &limit : limits)
    emitLimit(limit, fixed);
  if (!isSerial())
    return;
  PipelineOp at = loop;
  InFlightDiagnostic diagnostic =
      emitRemark(at.getLoc(), "loop is not pipelined: ") << whySerial;
  if (culprit && culprit != loop)
    diagnostic.attachNote(culprit->getLoc()) << "because of this operation";
}
