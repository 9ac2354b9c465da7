//===- ManualSchedule.cpp - Schedules that the user wrote -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManualSchedule.h"

#include "tilepipe/Scheduling/Checker.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

UserOps tile::collectUserOps(PipelineOp loop) {
  UserOps ops;
  loop.getBody().walk([&](Operation *op) { ops.insert(op); });
  return ops;
}

//===----------------------------------------------------------------------===//
// Lists and statements
//===----------------------------------------------------------------------===//

namespace {

/// The operations of the body that entries of a list may stand for.
struct Listing {
  /// Statements that the user wrote, and all statements.
  SmallVector<Operation *> written, all;
  /// Statements and scalar operations that are replayed, in source order.
  SmallVector<Operation *> executable;
};

} // namespace

static bool isScalarOp(Operation *op) {
  return op->getNumResults() == 1 && !op->hasTrait<OpTrait::ConstantLike>() &&
         op->getResult(0).getType().isIntOrIndexOrFloat();
}

static Listing listOps(const DependenceGraph &graph, const UserOps &userOps) {
  Listing listing;
  listing.all.assign(graph.getStatements().begin(),
                     graph.getStatements().end());
  PipelineOp loop = graph.getLoop();
  for (Operation &op : loop.getBodyBlock()->without_terminator()) {
    bool isStatement = graph.getNumber(&op).has_value();
    // Loads and stores of values carried around the loop are added; a guard may
    // be split into several statements, each of which counts.
    if (isa<memref::LoadOp, memref::StoreOp>(op) && !userOps.contains(&op))
      continue;
    if (isStatement)
      listing.written.push_back(&op);
    if (isStatement || isScalarOp(&op))
      listing.executable.push_back(&op);
  }
  return listing;
}

static LogicalResult reportLength(const DependenceGraph &graph,
                                  const Listing &listing, size_t length) {
  PipelineOp loop = graph.getLoop();
  InFlightDiagnostic diagnostic = emitError(loop.getLoc(), "expected ")
                                  << listing.written.size()
                                  << " entries in 'stage' and 'order', got "
                                  << loop.getStage()->size();
  for (auto [index, op] : llvm::enumerate(listing.written))
    diagnostic.attachNote(op->getLoc())
        << "statement " << index << ": '" << op->getName() << "'";
  for (Operation *op : listing.executable)
    if (!graph.getNumber(op))
      diagnostic.attachNote(op->getLoc())
          << "not counted: '" << op->getName() << "' is replayed at its users";
  return failure();
}

FailureOr<sched::Schedule>
tile::readManualSchedule(const DependenceGraph &graph, const UserOps &userOps,
                         size_t length) {
  PipelineOp loop = graph.getLoop();
  Listing listing = listOps(graph, userOps);
  ArrayRef<int64_t> stage = *loop.getStage(), order = *loop.getOrder();
  sched::Schedule schedule;
  // Normalisation has extended lists of the right length.
  if (length == listing.written.size() && stage.size() == listing.all.size()) {
    schedule.stage.assign(stage);
    schedule.order.assign(order);
    return schedule;
  }
  if (listing.all.size() != listing.written.size() ||
      length != listing.executable.size())
    return reportLength(graph, listing, length);
  for (auto [index, op] : llvm::enumerate(listing.executable)) {
    if (!graph.getNumber(op))
      continue;
    schedule.stage.push_back(stage[index]);
    schedule.order.push_back(order[index]);
  }
  return schedule;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static LogicalResult reportEdge(const DependenceGraph &graph,
                                const LoopProblem &problem,
                                const FixedBuffers &fixed,
                                const sched::Schedule &schedule,
                                const sched::Edge &edge) {
  Operation *to = graph.getStatements()[edge.to];
  Operation *from = graph.getStatements()[edge.from];
  int64_t distance = sched::getDistance(edge, schedule.versions);
  InFlightDiagnostic diagnostic =
      emitError(to->getLoc(), "illegal manual schedule: '")
      << to->getName() << "' (stage " << schedule.stage[edge.to] << ", order "
      << schedule.order[edge.to] << ") must come after '" << from->getName()
      << "' (stage " << schedule.stage[edge.from] << ", order "
      << schedule.order[edge.from] << ") of ";
  if (distance == 0)
    diagnostic << "the same iteration";
  else if (distance == 1)
    diagnostic << "the iteration before";
  else
    diagnostic << distance << " iterations before";
  diagnostic << " (" << sched::stringify(edge.kind);
  Value root =
      edge.buffer == sched::kNone ? Value() : problem.roots[edge.buffer];
  if (root)
    diagnostic << " of '" << getBufferName(root) << "'";
  diagnostic << ", distance " << distance << ")";
  diagnostic.attachNote(from->getLoc()) << "the other statement is here";
  noteFixedBuffer(diagnostic, root, fixed);
  return failure();
}

LogicalResult tile::checkManualSchedule(const DependenceGraph &graph,
                                        const LoopProblem &problem,
                                        const FixedBuffers &fixed,
                                        sched::Schedule &schedule) {
  PipelineOp loop = graph.getLoop();
  sched::assignVersions(problem.problem, schedule);
  for (auto [buffer, root, versions] : llvm::zip_equal(
           problem.problem.buffers, problem.roots, schedule.versions)) {
    if (versions <= buffer.maxVersions)
      continue;
    InFlightDiagnostic diagnostic =
        emitError(loop.getLoc(), "illegal manual schedule: it needs ")
        << versions << " versions of '" << buffer.name << "', which may have "
        << buffer.maxVersions;
    noteFixedBuffer(diagnostic, root, fixed);
    return diagnostic;
  }
  std::optional<sched::Violation> violation =
      sched::check(problem.problem, schedule);
  if (!violation)
    return success();
  if (violation->kind == sched::Violation::Kind::Edge)
    return reportEdge(graph, problem, fixed, schedule,
                      problem.problem.edges[violation->edge]);
  InFlightDiagnostic diagnostic =
      emitError(loop.getLoc(), "illegal manual schedule: ")
      << violation->reason;
  if (violation->first != sched::kNone)
    diagnostic.attachNote(graph.getStatements()[violation->first]->getLoc())
        << "one statement is here";
  if (violation->second != sched::kNone)
    diagnostic.attachNote(graph.getStatements()[violation->second]->getLoc())
        << "the other statement is here";
  return diagnostic;
}
