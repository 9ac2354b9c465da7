//===- StepEmitter.cpp - Emit one step of a planned loop ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExpander.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// TokenHistory
//===----------------------------------------------------------------------===//

Value TokenHistory::find(unsigned group, int64_t step) const {
  for (auto [committed, token] : llvm::reverse(commits[group]))
    if (committed <= step)
      return token;
  return {};
}

void TokenHistory::add(unsigned group, int64_t step, Value token) {
  commits[group].push_back({step, token});
}

//===----------------------------------------------------------------------===//
// StepEmitter
//===----------------------------------------------------------------------===//

StepEmitter::StepEmitter(const PlannedLoop &plan, OpBuilder &builder,
                         IndexMath &math, ConstantPool &pool)
    : plan(plan), loop(plan.getLoop()), builder(builder), math(math),
      pool(pool), tokens(plan.getGroups().size()) {}

void StepEmitter::emitWait(ArrayRef<Value> waited, Location loc) {
  if (waited.empty())
    return;
  AsyncWaitOp::create(builder, loc, waited, /*pending=*/IntegerAttr());
  ++numWaits;
}

void StepEmitter::emitWaits(const PlannedStatement &statement, int64_t step) {
  llvm::SmallSetVector<Value, 2> waited;
  for (GroupWait wait : statement.waits)
    if (Value token = tokens.find(wait.group, step - wait.distance))
      waited.insert(token);
  if (waited.empty())
    return;
  closeGuard();
  emitWait(waited.getArrayRef(), statement.op->getLoc());
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

void StepEmitter::openGuard(const StageState &state,
                            const PlannedStatement &statement) {
  if (open.ifOp && open.stage == statement.stage)
    return;
  closeGuard();
  auto ifOp = scf::IfOp::create(builder, statement.op->getLoc(), state.guard,
                                /*withElseRegion=*/false);
  open.ifOp = ifOp;
  open.stage = statement.stage;
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
}

/// A value for a result that nobody uses.
Value StepEmitter::getDefault(Type type, Location loc) {
  if (TypedAttr zero = builder.getZeroAttr(type))
    if (Value value = pool.get(zero, type))
      return value;
  return ub::PoisonOp::create(builder, loc, type);
}

void StepEmitter::closeGuard() {
  if (!open.ifOp)
    return;
  auto ifOp = cast<scf::IfOp>(open.ifOp);
  builder.setInsertionPointAfter(ifOp);
  // Statements of the same iteration outside this guard may use results.
  SmallVector<Value> escaping;
  for (unsigned position : open.positions) {
    const PlannedStatement &statement = plan.getStatements()[position];
    if (statement.lastUse > open.positions.back())
      llvm::append_range(escaping, statement.op->getResults());
  }
  if (!escaping.empty()) {
    auto wider = scf::IfOp::create(
        builder, ifOp.getLoc(), TypeRange(ValueRange(escaping)),
        ifOp.getCondition(), /*addThenBlock=*/true, /*addElseBlock=*/true);
    wider.getThenRegion().takeBody(ifOp.getThenRegion());
    wider.thenBlock()->getTerminator()->erase();
    SmallVector<Value> yielded;
    builder.setInsertionPointToEnd(wider.thenBlock());
    for (Value value : escaping)
      yielded.push_back(open.scope.lookup(value));
    scf::YieldOp::create(builder, ifOp.getLoc(), yielded);
    builder.setInsertionPointToEnd(wider.elseBlock());
    yielded.clear();
    for (Value value : escaping)
      yielded.push_back(getDefault(value.getType(), ifOp.getLoc()));
    scf::YieldOp::create(builder, ifOp.getLoc(), yielded);
    builder.setInsertionPointAfter(wider);
    for (auto [value, result] : llvm::zip_equal(escaping, wider.getResults()))
      stageScopes[open.stage].map(value, result);
    ifOp.erase();
  }
  open = OpenGuard();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Clones an operation that is replayed; constants stay constants.
void StepEmitter::cloneReplayed(Operation *op, Scope &scope) {
  Operation *clone = builder.clone(*op, scope);
  if (clone->getNumRegions() || !clone->getNumOperands() ||
      !clone->getNumResults() || !isMemoryEffectFree(clone))
    return;
  SmallVector<Attribute> constants;
  for (Value operand : clone->getOperands()) {
    Attribute constant;
    if (!matchPattern(operand, m_Constant(&constant)))
      return;
    constants.push_back(constant);
  }
  SmallVector<OpFoldResult> folded;
  if (failed(clone->fold(constants, folded)) || folded.empty())
    return;
  SmallVector<Value> values;
  for (auto [result, value] : llvm::zip_equal(clone->getResults(), folded)) {
    if (auto existing = dyn_cast<Value>(value))
      values.push_back(existing);
    else
      values.push_back(pool.get(cast<Attribute>(value), result.getType(),
                                clone->getDialect()));
    if (!values.back() || values.back() == result)
      return;
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    scope.map(result, value);
  clone->erase();
}

/// Gives `scope` everything that `op` uses.
void StepEmitter::replay(Operation *op, Scope &scope, const StageState &state,
                         const Scope &results) {
  llvm::SmallSetVector<Operation *, 8> needed;
  auto resolve = [&](Value value) {
    if (scope.contains(value))
      return;
    Operation *definer = value.getDefiningOp();
    if (!definer)
      // iv = lower + number * step
      scope.map(value, math.materialize(math.add(
                           getAsOpFoldResult(loop.getLower()),
                           math.mul(state.number,
                                    getAsOpFoldResult(loop.getStep())))));
    else if (definer == plan.getIteration())
      scope.map(value, math.materialize(state.number));
    else if (plan.isStatement(definer))
      scope.map(value, results.lookup(value));
    else
      needed.insert(definer);
  };
  for (Value value : plan.getCaptures(op))
    resolve(value);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value value : plan.getCaptures(needed[i]))
      resolve(value);
  SmallVector<Operation *> ordered = needed.takeVector();
  llvm::sort(ordered, [&](Operation *a, Operation *b) {
    return plan.getIndex(a) < plan.getIndex(b);
  });
  for (Operation *replayed : ordered)
    cloneReplayed(replayed, scope);
}

void StepEmitter::emit(ArrayRef<StageState> states, int64_t step) {
  stageScopes.clear();
  stageScopes.resize(states.size());
  SmallVector<Value> copies;
  for (auto [position, statement] : llvm::enumerate(plan.getStatements())) {
    const StageState &state = states[statement.stage];
    if (state.activity == StageState::Off)
      continue;
    emitWaits(statement, step);
    Scope &outer = stageScopes[statement.stage];
    bool guarded = state.activity == StageState::Guarded;
    if (guarded)
      openGuard(state, statement);
    else
      closeGuard();
    Scope &scope = guarded ? open.scope : outer;
    replay(statement.op, scope, state, outer);
    Operation *clone = builder.clone(*statement.op, scope);
    if (guarded)
      open.positions.push_back(position);
    else if (auto copy = dyn_cast<AsyncCopyOp>(clone))
      copies.push_back(copy.getToken());
    if (statement.endsGroup < 0)
      continue;
    closeGuard();
    auto commit =
        AsyncCommitOp::create(builder, statement.op->getLoc(),
                              TokenType::get(builder.getContext()), copies);
    tokens.add(statement.endsGroup, step, commit.getGroup());
    copies.clear();
    ++numCommits;
  }
  closeGuard();
}
