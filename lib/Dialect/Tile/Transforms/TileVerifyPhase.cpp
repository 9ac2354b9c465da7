//===- TileVerifyPhase.cpp - What must hold between the steps -------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/AsyncGroups.h"
#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include <map>

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILEVERIFYPHASE
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

StringRef tile::stringifyPhase(Phase phase) {
  switch (phase) {
  case Phase::Source:
    return "source";
  case Phase::Planned:
    return "planned";
  case Phase::Injected:
    return "injected";
  }
  llvm_unreachable("a phase has a name");
}

namespace {

struct TileVerifyPhase
    : public tile::impl::TileVerifyPhaseBase<TileVerifyPhase> {
  using TileVerifyPhaseBase::TileVerifyPhaseBase;
  void runOnOperation() override;

private:
  InFlightDiagnostic violation(Operation *op);
  void verifySource(Operation *op);
  void verifyPlanned(Operation *op);
  void verifyInjected(Operation *op, const NewerGroups &newer);

  void verifyNotPlanned(Operation *op);
  void verifyPlannedLoop(PipelineOp loop);
  bool verifyStages(const DependenceGraph &graph);
  void verifyDependences(const DependenceGraph &graph);
  void verifyScalars(PipelineOp loop);
  void verifyWait(AsyncWaitOp wait, const NewerGroups &newer);

  bool failed = false;
};

} // namespace

InFlightDiagnostic TileVerifyPhase::violation(Operation *op) {
  failed = true;
  return op->emitOpError();
}

//===----------------------------------------------------------------------===//
// source
//===----------------------------------------------------------------------===//

/// No decision of the planner: they have one writer, and it runs once.
void TileVerifyPhase::verifyNotPlanned(Operation *op) {
  if (StageAttr stage = getStage(op))
    violation(op) << "has " << stage << " in phase " << stringifyPhase(phase);
  if (auto loop = dyn_cast<PipelineOp>(op); loop && loop.getSchedule())
    violation(op) << "has " << loop.getScheduleAttr() << " in phase "
                  << stringifyPhase(phase);
  if (auto alloc = dyn_cast<AllocOp>(op); alloc && alloc.getVersions())
    violation(op) << "has versions = " << *alloc.getVersions() << " in phase "
                  << stringifyPhase(phase);
}

void TileVerifyPhase::verifySource(Operation *op) {
  verifyNotPlanned(op);
  if (isa<SlotOp>(op))
    violation(op) << "selects a version before there are any";
}

//===----------------------------------------------------------------------===//
// planned
//===----------------------------------------------------------------------===//

void TileVerifyPhase::verifyPlanned(Operation *op) {
  if (auto loop = dyn_cast<PipelineOp>(op)) {
    for (StringRef input : {"num_stages", "stage", "order"})
      if (op->getInherentAttr(input).value_or(Attribute()))
        violation(op) << "still has '" << input << "', an input of the planner";
    if (loop.getSchedule())
      verifyPlannedLoop(loop);
    return;
  }
  StageAttr stage = getStage(op);
  auto loop = dyn_cast_or_null<PipelineOp>(op->getParentOp());
  if (stage && loop && !loop.getSchedule()) {
    InFlightDiagnostic error = violation(op);
    error << "has " << stage << " in a loop without a schedule";
    error.attachNote(loop.getLoc()) << "the loop is here";
  }
}

/// Every statement has a stage, nothing else has one, and no order is used
/// twice.
bool TileVerifyPhase::verifyStages(const DependenceGraph &graph) {
  PipelineOp loop = graph.getLoop();
  std::map<int64_t, Operation *> issued;
  bool complete = true;
  for (Operation &op : *loop.getBodyBlock()) {
    StageAttr stage = getStage(&op);
    bool isStatement = graph.getNumber(&op).has_value();
    if (!stage) {
      if (isStatement)
        violation(&op) << "is a statement of a planned loop without a stage";
      complete &= !isStatement;
      continue;
    }
    if (!isStatement) {
      violation(&op) << "has " << stage << " but is not a statement";
      continue;
    }
    auto [it, inserted] = issued.try_emplace(stage.getOrder(), &op);
    if (inserted)
      continue;
    InFlightDiagnostic error = violation(&op);
    error << "reuses issue order " << stage.getOrder();
    error.attachNote(it->second->getLoc()) << "first used here";
  }
  return complete;
}

/// Statement `to` of iteration `i + distance` is issued in step
/// `i + distance + stage(to)`, which must come after step `i + stage(from)`, or
/// be the same and later in order.
void TileVerifyPhase::verifyDependences(const DependenceGraph &graph) {
  ArrayRef<Operation *> statements = graph.getStatements();
  for (const Dependence &dependence : graph.getDependences()) {
    int64_t distance = dependence.distance;
    if (dependence.removable)
      if (auto alloc = dependence.buffer.getDefiningOp<AllocOp>())
        distance = std::max<int64_t>(distance, alloc.getVersions().value_or(1));
    Operation *from = statements[dependence.from];
    Operation *to = statements[dependence.to];
    StageAttr first = getStage(from), second = getStage(to);
    int64_t steps = second.getStage() + distance - first.getStage();
    if (steps > 0 || (steps == 0 && second.getOrder() > first.getOrder()))
      continue;
    InFlightDiagnostic error = violation(to);
    error << "has " << second << ", too early for a "
          << stringify(dependence.kind) << " dependence at distance "
          << distance;
    if (dependence.buffer)
      error << " on '" << getBufferName(dependence.buffer) << "'";
    error.attachNote(from->getLoc()) << "on this statement, with " << first;
  }
}

/// A scalar has one value, that of the iteration its statement works on: it
/// may not cross stages, not even through operations that are replayed.
void TileVerifyPhase::verifyScalars(PipelineOp loop) {
  Block *body = loop.getBodyBlock();
  // The statement that a replayed operation takes its values from.
  DenseMap<Operation *, Operation *> origin;
  for (Operation &op : *body) {
    StageAttr stage = getStage(&op);
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *definition = operand.getDefiningOp();
        if (!definition || definition->getBlock() != body)
          continue;
        Operation *from =
            getStage(definition) ? definition : origin.lookup(definition);
        if (!from)
          continue;
        if (!stage) {
          origin[&op] = from;
        } else if (getStage(from).getStage() != stage.getStage()) {
          InFlightDiagnostic error = violation(&op);
          error << "uses, in stage " << stage.getStage()
                << ", a value of stage " << getStage(from).getStage();
          error.attachNote(from->getLoc()) << "computed here";
        }
      }
    });
  }
}

void TileVerifyPhase::verifyPlannedLoop(PipelineOp loop) {
  DependenceGraph graph(loop);
  if (Operation *obstacle = graph.getObstacle()) {
    InFlightDiagnostic error = violation(loop);
    error << "is planned but cannot be pipelined";
    error.attachNote(obstacle->getLoc()) << graph.getObstacleReason();
    return;
  }
  if (!verifyStages(graph))
    return;
  verifyDependences(graph);
  verifyScalars(loop);
}

//===----------------------------------------------------------------------===//
// injected
//===----------------------------------------------------------------------===//

void TileVerifyPhase::verifyWait(AsyncWaitOp wait, const NewerGroups &newer) {
  if (!wait.getPending()) {
    violation(wait) << "has no count";
    return;
  }
  // Which ways control takes is the user's knowledge, hence only a warning.
  for (Value token : wait.getTokens()) {
    std::optional<int64_t> count = newer.get(token, wait);
    if (!count || *count >= int64_t(*wait.getPending()))
      continue;
    InFlightDiagnostic warning = wait.emitWarning();
    warning << "leaves " << *wait.getPending()
            << " groups pending, but its token may have only "
            << std::max<int64_t>(*count, 0) << " newer ones";
    warning.attachNote(token.getLoc()) << "the token is made here";
  }
}

void TileVerifyPhase::verifyInjected(Operation *op, const NewerGroups &newer) {
  verifyNotPlanned(op);
  if (isa<PipelineOp>(op))
    violation(op) << "is left after expansion";
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    verifyWait(wait, newer);
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    MemorySpace from = getMemorySpace(copy.getSourceType());
    MemorySpace to = getMemorySpace(copy.getTargetType());
    TargetAttr target = getTarget(op);
    TransferAttr transfer = target.getTransfer(from, to);
    if (!transfer || !transfer.getAsync())
      violation(op) << "is not possible from " << stringifyMemorySpace(from)
                    << " to " << stringifyMemorySpace(to) << " on target '"
                    << target.getName() << "'";
  }
}

void TileVerifyPhase::runOnOperation() {
  failed = false;
  Operation *root = getOperation();
  switch (phase) {
  case Phase::Source:
    root->walk([&](Operation *op) { verifySource(op); });
    break;
  case Phase::Planned:
    root->walk([&](Operation *op) { verifyPlanned(op); });
    break;
  case Phase::Injected: {
    NewerGroups newer(root, /*trustCounts=*/true);
    root->walk([&](Operation *op) { verifyInjected(op, newer); });
    break;
  }
  }
  if (failed)
    return signalPassFailure();
  markAllAnalysesPreserved();
}
