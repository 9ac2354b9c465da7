//===- PipelinePlanning.cpp - Decide how iterations overlap ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "ScalarCells.h"

#include "tilepipe/Analysis/Capacity.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"
#include "tilepipe/Dialect/Tile/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_PIPELINEPLANNING
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

struct PipelinePlanning : tile::impl::PipelinePlanningBase<PipelinePlanning> {
  using PipelinePlanningBase::PipelinePlanningBase;

  void runOnOperation() override;

private:
  /// A loop that may get a schedule, and the loops in it that asked for one and
  /// get none if it does.
  struct Candidate {
    LoopPlan plan;
    SmallVector<std::pair<PipelineOp, PlanningInputs>> nested;
  };
  using Candidates = std::vector<std::unique_ptr<Candidate>>;

  void collect(Operation *root, Candidates &candidates);
  LogicalResult solve(const Candidates &candidates);
  void leaveSerial(Candidate &candidate, Candidates &candidates);
  void apply(Candidate &candidate);
  void setVersions();

  FixedBuffers fixed;
  /// Versions of each buffer: as many as the loop with the most needs.
  llvm::MapVector<Operation *, int64_t> versions;
};

} // namespace

/// Adds the outermost loops below `root` that ask for a schedule.
void PipelinePlanning::collect(Operation *root, Candidates &candidates) {
  SmallVector<PipelineOp> loops;
  root->walk<WalkOrder::PreOrder>([&](PipelineOp loop) {
    // What is in a loop that is planned already stays as it is.
    if (loop == root || !(loop.getSchedule() || asksForSchedule(loop)))
      return WalkResult::advance();
    if (!loop.getSchedule())
      loops.push_back(loop);
    return WalkResult::skip();
  });
  IRRewriter rewriter(&getContext());
  for (PipelineOp loop : loops) {
    SmallVector<std::pair<PipelineOp, PlanningInputs>> nested;
    loop.getBody().walk([&](PipelineOp inner) {
      if (asksForSchedule(inner))
        nested.push_back({inner, PlanningInputs::take(inner)});
    });
    candidates.push_back(std::make_unique<Candidate>(
        Candidate{LoopPlan(rewriter, loop), std::move(nested)}));
  }
}

/// Solves all loops. A buffer that one of them cannot give versions has one in
/// each.
LogicalResult PipelinePlanning::solve(const Candidates &candidates) {
  fixed.clear();
  for (const auto &candidate : candidates) {
    candidate->plan.analyze();
    for (const auto &[root, info] : candidate->plan.getGraph().getBuffers())
      if (!info.mayHaveVersions())
        fixed.try_emplace(root,
                          FixedBuffer{info.culprit, info.whyNotVersioned});
  }
  LogicalResult result = success();
  for (const auto &candidate : candidates)
    if (failed(candidate->plan.solve(policy, fixed)))
      result = failure();
  return result;
}

/// Ends the planning of a loop without a schedule. The loops in it get their
/// chance.
void PipelinePlanning::leaveSerial(Candidate &candidate,
                                   Candidates &candidates) {
  PipelineOp loop = candidate.plan.getLoop();
  ++numSerial;
  numLimited += candidate.plan.getLimits().size();
  if (remarks)
    candidate.plan.emitRemarks(fixed);
  PlanningInputs::take(loop);
  for (auto &[inner, inputs] : candidate.nested)
    inputs.restore(inner);
  collect(loop, candidates);
}

/// Writes a schedule into the IR.
void PipelinePlanning::apply(Candidate &candidate) {
  LoopPlan &plan = candidate.plan;
  const sched::Schedule &schedule = plan.getSchedule();
  PipelineOp loop = plan.getLoop();
  ++numPlanned;
  numManual += plan.isManual();
  numLimited += plan.getLimits().size();
  if (remarks) {
    plan.emitRemarks(fixed);
    for (auto &[inner, inputs] : candidate.nested)
      emitRemark(inner.getLoc(), "loop is not pipelined: the loop around it is")
              .attachNote(loop.getLoc())
          << "the loop around it";
  }
  SmallVector<Placement> placements;
  for (auto [op, stage, order] : llvm::zip_equal(
           plan.getGraph().getStatements(), schedule.stage, schedule.order))
    placements.push_back({op, stage, order});
  for (auto [root, count] :
       llvm::zip_equal(plan.getProblem().roots, schedule.versions))
    if (count > 1 && root)
      versions[root.getDefiningOp()] =
          std::max(versions.lookup(root.getDefiningOp()), count);
  IRRewriter rewriter(&getContext());
  for (ScalarCell &cell :
       insertScalarCells(rewriter, plan.getGraph(), placements)) {
    ++numCells;
    versions[cell.buffer] = cell.versions;
  }
  for (const Placement &placement : placements)
    setStage(placement.op,
             StageAttr::get(&getContext(), placement.stage, placement.order));
  PlanningInputs::take(loop);
  loop.setScheduleAttr(
      PipelineScheduleAttr::get(&getContext(), plan.getDepth(), schedule.ii));
}

void PipelinePlanning::setVersions() {
  for (auto &[op, count] : versions) {
    if (count <= 1)
      continue;
    ++numBuffers;
    cast<AllocOp>(op).setVersions(count);
  }
}

void PipelinePlanning::runOnOperation() {
  if (failed(checkBounds(getOperation())))
    return signalPassFailure();
  versions.clear();
  if (failed(raiseSCFLoops(getOperation())))
    return signalPassFailure();
  Candidates candidates;
  collect(getOperation(), candidates);
  // A loop that stays serial uses buffers like other code between loops, which
  // may take versions from the loops that are left: they are solved again.
  while (true) {
    if (failed(solve(candidates)))
      return signalPassFailure();
    Candidates next;
    bool isDone = true;
    for (auto &candidate : candidates) {
      if (!candidate->plan.isSerial()) {
        next.push_back(std::move(candidate));
        continue;
      }
      leaveSerial(*candidate, next);
      isDone = false;
    }
    candidates = std::move(next);
    if (isDone)
      break;
  }
  for (auto &candidate : candidates)
    apply(*candidate);
  setVersions();
  if (failed(checkCapacity(getOperation())))
    return signalPassFailure();
  // `num_stages = 0` has said what it had to.
  getOperation()->walk([](PipelineOp loop) {
    if (!loop.getSchedule())
      PlanningInputs::take(loop);
  });
}
