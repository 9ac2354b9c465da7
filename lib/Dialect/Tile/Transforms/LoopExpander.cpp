//===- LoopExpander.cpp - Emit the steps of a planned loop ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExpander.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

LoopExpander::LoopExpander(const PlannedLoop &plan, ExpansionForm form,
                           int64_t maxPeeledOps)
    : plan(plan), loop(plan.getLoop()), form(form), maxPeeledOps(maxPeeledOps),
      maxStage(plan.getMaxStage()), pool(loop), builder(loop),
      math(builder, loop.getLoc(), pool), steps(plan, builder, math, pool) {
  llvm::SmallBitVector used(maxStage + 1);
  for (const PlannedStatement &statement : plan.getStatements())
    used.set(statement.stage);
  for (unsigned stage : used.set_bits())
    usedStages.push_back(stage);
}

SmallVector<StageState> LoopExpander::makeStates(
    function_ref<void(int64_t stage, StageState &state)> fill) {
  SmallVector<StageState> states(maxStage + 1);
  for (int64_t stage : usedStages)
    fill(stage, states[stage]);
  return states;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopExpander::emitLoop(OpFoldResult lower, OpFoldResult upper,
                            int64_t step, function_ref<void(Value)> body) {
  TokenHistory &tokens = steps.getTokens();
  // Entry k of a group is its commit of k + 1 steps before.
  SmallVector<int64_t> windows;
  SmallVector<Value> inits;
  Value none;
  for (auto [group, info] : llvm::enumerate(plan.getGroups())) {
    windows.push_back(
        std::max<int64_t>(info.maxDistance, info.consumed ? 0 : 1));
    for (int64_t k = 1; k <= windows.back(); ++k) {
      Value token = tokens.find(group, step - k);
      if (!token && !none)
        none = AsyncNoneOp::create(builder, loop.getLoc());
      inits.push_back(token ? token : none);
    }
  }
  Value first = math.materialize(lower), last = math.materialize(upper);
  auto kernel = scf::ForOp::create(builder, loop.getLoc(), first, last,
                                   pool.getIndex(1), inits);
  auto rename = [&](ValueRange values) {
    for (auto [group, window] : llvm::enumerate(windows)) {
      tokens.clear(group);
      for (int64_t k = window; k >= 1; --k)
        tokens.add(group, step - k, values[k - 1]);
      values = values.drop_front(window);
    }
  };
  rename(kernel.getRegionIterArgs());
  if (inits.empty())
    builder.setInsertionPoint(kernel.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(kernel.getBody());
  body(kernel.getInductionVar());
  if (!inits.empty()) {
    SmallVector<Value> yielded;
    for (auto [group, window] : llvm::enumerate(windows))
      for (int64_t k = 1; k <= window; ++k)
        yielded.push_back(tokens.find(group, step + 1 - k));
    scf::YieldOp::create(builder, loop.getLoc(), yielded);
  }
  rename(kernel.getResults());
  builder.setInsertionPointAfter(kernel);
}

void LoopExpander::emitKernel(OpFoldResult lower, OpFoldResult upper,
                              int64_t step) {
  emitLoop(lower, upper, step, [&](Value iv) {
    SmallVector<StageState> states =
        makeStates([&](int64_t stage, StageState &state) {
          state.activity = StageState::On;
          state.number = math.sub(iv, math.constant(stage));
        });
    steps.emit(states, step);
    for (int64_t stage : usedStages)
      if (auto number = cast<Value>(states[stage].number);
          number != iv && number.use_empty())
        number.getDefiningOp()->erase();
  });
}

/// Waits for groups that no statement of the loop waits for.
void LoopExpander::drain() {
  SmallVector<Value> waited;
  for (auto [group, info] : llvm::enumerate(plan.getGroups()))
    if (!info.consumed)
      if (Value token = steps.getTokens().find(
              group, std::numeric_limits<int64_t>::max()))
        waited.push_back(token);
  steps.emitWait(waited, loop.getLoc());
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void LoopExpander::emitStraight(int64_t first, int64_t end, int64_t count,
                                int64_t shift) {
  for (int64_t t = first; t < end; ++t)
    steps.emit(makeStates([&](int64_t stage, StageState &state) {
                 if (t < stage || t - stage >= count)
                   return;
                 state.activity = StageState::On;
                 state.number = math.constant(t - stage);
               }),
               t - shift);
}

SmallVector<Value> LoopExpander::getExistence(OpFoldResult count) {
  SmallVector<Value> exists;
  for (int64_t i = 0; i < maxStage; ++i)
    exists.push_back(math.materialize(math.less(math.constant(i), count)));
  return exists;
}

void LoopExpander::emitGuardedPrologue(ArrayRef<Value> exists) {
  for (int64_t t = 0; t < maxStage; ++t)
    steps.emit(makeStates([&](int64_t stage, StageState &state) {
                 if (stage > t)
                   return;
                 state = {StageState::Guarded, exists[t - stage],
                          math.constant(t - stage)};
               }),
               t);
}

/// Static trip count: straight-line prologue and epilogue without guards.
void LoopExpander::runStatic(int64_t count) {
  emitStraight(0, maxStage, count, /*shift=*/0);
  emitKernel(math.constant(maxStage), math.constant(count), maxStage);
  emitStraight(count, count + maxStage, count, /*shift=*/count - maxStage);
}

void LoopExpander::runPeeled() {
  OpFoldResult count = math.tripCount(loop, /*clamp=*/false);
  // Whether iteration i < S exists decides for each peeled statement:
  // in prologue step t stage s runs iteration t - s, and in epilogue step
  // max(n, S) + e it runs max(n, S) + e - s < n, which for s > e holds exactly
  // where iteration S + e - s exists.
  SmallVector<Value> exists = getExistence(count);
  OpFoldResult tail =
      maxStage ? math.maxSigned(count, math.constant(maxStage)) : count;
  emitGuardedPrologue(exists);
  emitKernel(math.constant(maxStage), count, maxStage);
  std::map<int64_t, OpFoldResult> numbers;
  for (int64_t e = 0; e < maxStage; ++e)
    steps.emit(makeStates([&](int64_t stage, StageState &state) {
                 if (stage <= e)
                   return;
                 OpFoldResult &number = numbers[stage - e];
                 if (!number)
                   number = math.sub(tail, math.constant(stage - e));
                 state = {StageState::Guarded, exists[maxStage + e - stage],
                          number};
               }),
               maxStage + e);
  for (auto &[back, number] : numbers)
    if (auto value = dyn_cast<Value>(number); value && value.use_empty())
      value.getDefiningOp()->erase();
}

void LoopExpander::runPrologue() {
  OpFoldResult count = math.tripCount(loop, /*clamp=*/false);
  if (std::optional<int64_t> constant = loop.getConstantTripCount())
    emitStraight(0, maxStage, *constant, /*shift=*/0);
  else
    emitGuardedPrologue(getExistence(count));
  // Stage s is done after step n + s.
  SmallVector<Value> ends(maxStage + 1);
  for (int64_t stage : usedStages)
    ends[stage] = math.materialize(math.add(count, math.constant(stage)));
  emitLoop(math.constant(maxStage), ends.back(), maxStage, [&](Value iv) {
    SmallVector<StageState> states =
        makeStates([&](int64_t stage, StageState &state) {
          state.activity = StageState::On;
          if (stage != maxStage)
            state = {StageState::Guarded,
                     arith::CmpIOp::create(builder, loop.getLoc(),
                                           arith::CmpIPredicate::ult, iv,
                                           ends[stage]),
                     OpFoldResult()};
          state.number = math.sub(iv, math.constant(stage));
        });
    steps.emit(states, maxStage);
    for (int64_t stage : usedStages)
      if (auto number = cast<Value>(states[stage].number);
          number != iv && number.use_empty())
        number.getDefiningOp()->erase();
  });
}

void LoopExpander::runPredicated() {
  OpFoldResult count = math.tripCount(loop, /*clamp=*/true);
  OpFoldResult end = math.add(count, math.constant(maxStage));
  emitLoop(math.constant(0), end, /*step=*/0, [&](Value iv) {
    SmallVector<StageState> states =
        makeStates([&](int64_t stage, StageState &state) {
          OpFoldResult number = math.sub(iv, math.constant(stage));
          // As an unsigned number, what is below 0 is above all counts.
          Value guard = arith::CmpIOp::create(
              builder, loop.getLoc(), arith::CmpIPredicate::ult,
              math.materialize(number), math.materialize(count));
          state = {StageState::Guarded, guard, number};
        });
    steps.emit(states, /*step=*/0);
  });
}

/// Peeling repeats the body once for each stage; it must not explode.
bool LoopExpander::isPeeled() {
  if (maxStage == 0)
    return true;
  if (form == ExpansionForm::Predicated)
    return false;
  int64_t copies = maxStage;
  if (std::optional<int64_t> count = loop.getConstantTripCount())
    copies = std::min(copies, *count);
  return llvm::SaturatingMultiply<uint64_t>(copies, plan.getNumOps()) <=
         uint64_t(maxPeeledOps);
}

void LoopExpander::emitSteps(std::optional<int64_t> count) {
  if (!isPeeled())
    return runPredicated();
  // A loop of one trip is a step like any other.
  if (count && *count <= maxStage + 1)
    return emitStraight(0, *count + maxStage, *count, /*shift=*/0);
  if (form == ExpansionForm::Prologue && maxStage > 0)
    return runPrologue();
  return count ? runStatic(*count) : runPeeled();
}

void LoopExpander::run() {
  std::optional<int64_t> count = loop.getConstantTripCount();
  if (count != 0 && !plan.getStatements().empty())
    emitSteps(count);
  drain();
  loop.erase();
}
