//===- PlannedLoop.cpp - What expansion knows about a loop ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedLoop.h"

#include "tilepipe/Analysis/AsyncCopies.h"
#include "tilepipe/Analysis/Regions.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// More stages than any machine has buffers for; bounds the code of a prologue.
static constexpr int64_t kMaxStages = 1024;

/// Waits name a group at most this many steps back, or one for each stage if
/// that is more: a wait for a younger group is a wait for all older ones.
static constexpr int64_t kMinTokenWindow = 8;

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Constants leave the body, and the iteration number is computed once.
void PlannedLoop::normalizeBody() {
  Block *body = loop.getBodyBlock();
  for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
    if (matchPattern(&op, m_Constant()))
      op.moveBefore(loop);
  for (Operation *user :
       llvm::make_early_inc_range(loop.getInductionVar().getUsers())) {
    auto other = dyn_cast<IterationOp>(user);
    if (!other || other == iteration)
      continue;
    if (!iteration) {
      OpBuilder b = OpBuilder::atBlockBegin(body);
      iteration =
          IterationOp::create(b, other.getLoc(), loop.getInductionVar());
    }
    other.replaceAllUsesWith(iteration.getResult());
    other.erase();
  }
}

void PlannedLoop::indexBody() {
  Block *body = loop.getBodyBlock();
  for (Operation &op : body->without_terminator()) {
    indices[&op] = captures.size();
    SmallVector<Value, 2> &list = captures.emplace_back();
    llvm::SmallDenseSet<Value, 8> seen;
    op.walk([&](Operation *user) {
      ++numOps;
      for (Value operand : user->getOperands())
        if (operand.getParentBlock() == body && seen.insert(operand).second)
          list.push_back(operand);
    });
  }
  // Users come after what they use: one pass from the end settles all.
  llvm::DenseMap<Operation *, unsigned> lastUse;
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    auto it = positions.find(&op);
    unsigned last = lastUse.lookup(&op);
    if (it != positions.end()) {
      statements[it->second].lastUse = last;
      last = it->second;
    }
    for (Value value : getCaptures(&op))
      if (Operation *definer = value.getDefiningOp()) {
        unsigned &use = lastUse[definer];
        use = std::max(use, last);
      }
  }
}

//===----------------------------------------------------------------------===//
// Checking the plan
//===----------------------------------------------------------------------===//

LogicalResult PlannedLoop::collectStatements(const DependenceGraph &graph) {
  SmallVector<std::pair<PlannedStatement, unsigned>> sorted;
  for (auto [number, op] : llvm::enumerate(graph.getStatements())) {
    StageAttr stage = getStage(op);
    if (!stage)
      return op->emitOpError(
          "is a statement of a planned loop but has no 'tile.stage'");
    if (stage.getStage() >= kMaxStages)
      return op->emitOpError("expects a stage below ")
             << kMaxStages << ", got " << stage.getStage();
    PlannedStatement statement;
    statement.op = op;
    statement.stage = stage.getStage();
    statement.order = stage.getOrder();
    maxStage = std::max(maxStage, statement.stage);
    sorted.push_back({statement, number});
  }
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::pair(a.first.order, a.second) <
           std::pair(b.first.order, b.second);
  });
  positionOf.resize(sorted.size());
  for (auto [position, entry] : llvm::enumerate(sorted)) {
    if (position && sorted[position - 1].first.order == entry.first.order) {
      InFlightDiagnostic diagnostic =
          entry.first.op->emitOpError("reuses issue order ")
          << entry.first.order;
      diagnostic.attachNote(sorted[position - 1].first.op->getLoc())
          << "first used here";
      return diagnostic;
    }
    positionOf[entry.second] = position;
    positions[entry.first.op] = position;
    statements.push_back(entry.first);
  }
  return success();
}

static AllocOp getAlloc(Value buffer) {
  return buffer ? buffer.getDefiningOp<AllocOp>() : AllocOp();
}

LogicalResult PlannedLoop::checkDependences(const DependenceGraph &graph) {
  for (const Dependence &d : graph.getDependences()) {
    const PlannedStatement &from = statements[positionOf[d.from]];
    const PlannedStatement &to = statements[positionOf[d.to]];
    int64_t slack = to.stage + d.distance - from.stage;
    bool crosses = d.kind == DependenceKind::Scalar && slack != 0;
    if (!crosses && (slack > 0 || (slack == 0 && to.order > from.order)))
      continue;
    InFlightDiagnostic diagnostic = to.op->emitOpError("of stage ") << to.stage;
    if (crosses) {
      diagnostic << " uses a value that is computed in stage " << from.stage;
      diagnostic.attachNote(from.op->getLoc()) << "computed here";
      return diagnostic;
    }
    diagnostic << ", order " << to.order
               << " comes too early: " << stringify(d.kind);
    if (d.buffer)
      diagnostic << " of '" << getBufferName(d.buffer) << "'";
    diagnostic << " at distance " << d.distance;
    diagnostic.attachNote(from.op->getLoc())
        << "must come after this statement of stage " << from.stage
        << ", order " << from.order;
    if (AllocOp alloc = getAlloc(d.buffer); alloc && alloc.getVersions())
      diagnostic.attachNote(alloc.getLoc())
          << "the buffer has " << int64_t(*alloc.getVersions())
          << " versions that --multi-buffer-versioning has yet to make";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Groups and waits
//===----------------------------------------------------------------------===//

/// True if what depends on a statement has to wait for its asynchronous copies.
/// All that the statement writes is a target of them; what it only loads, such
/// as the indices of a gather, has been read when they are started.
static bool needsCompletion(const Dependence &d, const AsyncCopies &from) {
  if (d.kind != DependenceKind::WAR)
    return true;
  return llvm::any_of(from.copies, [&](CopyOp copy) {
    return mayAlias(getRootBuffer(copy.getSource()), d.buffer);
  });
}

/// Puts asynchronous statements that follow each other, have one stage and the
/// same first consumer into one group.
void PlannedLoop::makeGroups(const DependenceGraph &graph) {
  TargetAttr target = getTarget(loop);
  SmallVector<AsyncCopies> async(statements.size());
  for (auto [position, statement] : llvm::enumerate(statements)) {
    AsyncCopies &found = async[position];
    found = getAsyncCopies(statement.op, loop, target);
    counts.async += found.copies.size();
    if (found.isAsync() || found.whyNot.empty())
      continue;
    auto culprit = dyn_cast<CopyOp>(found.culprit);
    if (!culprit)
      ++counts.other;
    else if (TransferAttr path =
                 target.getTransfer(getMemorySpace(culprit.getSourceType()),
                                    getMemorySpace(culprit.getTargetType()));
             !path || !path.getAsync())
      ++counts.noPath;
    else if (culprit.getSourceType().getElementType() !=
             culprit.getTargetType().getElementType())
      ++counts.conversion;
    else
      ++counts.other;
  }

  // The first consumer of a statement: least step distance, then least order.
  using Moment = std::pair<int64_t, unsigned>;
  constexpr Moment never{std::numeric_limits<int64_t>::max(), 0};
  SmallVector<Moment> first(statements.size(), never);
  for (const Dependence &d : graph.getDependences()) {
    unsigned from = positionOf[d.from], to = positionOf[d.to];
    if (!needsCompletion(d, async[from]))
      continue;
    first[from] = std::min(
        first[from],
        Moment(statements[to].stage - statements[from].stage + d.distance, to));
  }

  SmallVector<int> groupOf(statements.size(), -1);
  for (auto [position, statement] : llvm::enumerate(statements)) {
    if (!async[position].isAsync())
      continue;
    bool joins = position && groupOf[position - 1] >= 0 &&
                 statements[position - 1].stage == statement.stage &&
                 first[position - 1] == first[position];
    if (!joins)
      groups.push_back({statement.stage});
    else
      statements[position - 1].endsGroup = -1;
    groupOf[position] = statement.endsGroup = groups.size() - 1;
  }
  makeWaits(graph, groupOf, async);
  for (AsyncCopies &found : async)
    makeAsync(found.copies);
}

void PlannedLoop::makeWaits(const DependenceGraph &graph, ArrayRef<int> groupOf,
                            ArrayRef<AsyncCopies> async) {
  // For each consumer and group, how many steps back the youngest instance is
  // that it needs; and for each group the earliest wait by a consumer in the
  // producer's own iteration, which runs whenever the producer does.
  std::vector<llvm::SmallMapVector<unsigned, int64_t, 1>> needs(
      statements.size());
  using Moment = std::pair<int64_t, unsigned>;
  SmallVector<std::optional<Moment>> settled(groups.size());
  for (const Dependence &d : graph.getDependences()) {
    unsigned from = positionOf[d.from], to = positionOf[d.to];
    int group = groupOf[from];
    if (group < 0 || !needsCompletion(d, async[from]))
      continue;
    int64_t distance =
        statements[to].stage - statements[from].stage + d.distance;
    auto [it, inserted] = needs[to].insert({unsigned(group), distance});
    if (!inserted)
      it->second = std::min(it->second, distance);
    if (d.distance != 0)
      continue;
    Moment moment{distance, to};
    if (!settled[group] || moment < *settled[group])
      settled[group] = moment;
  }
  int64_t window = std::max(maxStage, kMinTokenWindow);
  for (auto [position, statement] : llvm::enumerate(statements))
    for (auto &[group, need] : needs[position]) {
      // Later waits would find the instance complete.
      if (settled[group] && Moment(need, position) > *settled[group])
        continue;
      int64_t distance = std::min(need, window);
      statement.waits.push_back({group, distance});
      groups[group].maxDistance = std::max(groups[group].maxDistance, distance);
    }
  for (auto [group, moment] : llvm::enumerate(settled))
    groups[group].consumed = moment.has_value();
}

/// Turns the copies of a statement into asynchronous ones.
void PlannedLoop::makeAsync(MutableArrayRef<CopyOp> copies) {
  for (CopyOp copy : copies) {
    OpBuilder b(copy);
    auto async = AsyncCopyOp::create(
        b, copy.getLoc(), TokenType::get(copy.getContext()), copy.getSource(),
        copy.getTarget(), copy.getSourceOffsets(), copy.getTargetOffsets(),
        copy.getSizes(), copy.getFill(), copy.getGuard(),
        copy.getStaticSourceOffsetsAttr(), copy.getStaticTargetOffsetsAttr(),
        copy.getStaticSizesAttr(), copy.getDimsAttr());
    async->setDiscardableAttrs(copy->getDiscardableAttrDictionary());
    auto it = positions.find(copy);
    if (it != positions.end()) {
      unsigned position = it->second;
      positions.erase(it);
      positions[async] = position;
      statements[position].op = async;
    }
    copy.erase();
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

LogicalResult PlannedLoop::analyze() {
  normalizeBody();
  DependenceGraph graph(loop);
  if (Operation *obstacle = graph.getObstacle()) {
    InFlightDiagnostic diagnostic =
        loop.emitOpError("has a schedule but cannot be pipelined: ")
        << graph.getObstacleReason();
    if (obstacle != loop)
      diagnostic.attachNote(obstacle->getLoc()) << "because of this operation";
    return diagnostic;
  }
  if (failed(collectStatements(graph)) || failed(checkDependences(graph)))
    return failure();
  makeGroups(graph);
  for (Operation &op : loop.getBodyBlock()->without_terminator())
    setStage(&op, {});
  indexBody();
  return success();
}
