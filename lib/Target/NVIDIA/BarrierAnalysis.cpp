//===- BarrierAnalysis.cpp - Where threads of a block must meet -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static bool equal(const LinearExpr &a, const LinearExpr &b) {
  return a.constant == b.constant && a.terms == b.terms && a.known == b.known;
}

static bool equal(const Touch &a, const Touch &b) {
  if (a.access.op != b.access.op || a.threads != b.threads ||
      a.guards != b.guards || a.warpsMet != b.warpsMet || a.age != b.age ||
      a.access.root != b.access.root || a.access.kind != b.access.kind ||
      a.carriedBy != b.carriedBy || a.slot.has_value() != b.slot.has_value() ||
      (a.slot && !equal(a.slot->expression, b.slot->expression)))
    return false;
  return llvm::equal(a.access.region, b.access.region,
                     [](const Interval &x, const Interval &y) {
                       return x.any == y.any && equal(x.start, y.start) &&
                              x.low == y.low && x.high == y.high;
                     });
}

static bool equal(const Flight &a, const Flight &b) {
  return a.commits == b.commits &&
         llvm::equal(a.touches, b.touches, [](const Touch &x, const Touch &y) {
           return equal(x, y);
         });
}

template <typename T>
static bool addNew(SmallVectorImpl<T> &to, const T &item) {
  if (llvm::any_of(to, [&](const T &other) { return equal(item, other); }))
    return false;
  to.push_back(item);
  return true;
}

/// Adds what is new in `from`; true if there was anything.
static bool join(BlockState &to, const BlockState &from) {
  bool changed = false;
  for (const Touch &touch : from.touches)
    changed |= addNew(to.touches, touch);
  for (const Flight &flight : from.flights)
    changed |= addNew(to.flights, flight);
  return changed;
}

/// Applies `change` to every touch of the state, in flight or not, and drops
/// those for which it returns false.
static void changeTouches(BlockState &state,
                          llvm::function_ref<bool(Touch &)> change) {
  auto drop = [&](Touch &touch) { return !change(touch); };
  llvm::erase_if(state.touches, drop);
  for (Flight &flight : state.flights)
    llvm::erase_if(flight.touches, drop);
}

/// True if the expression has a value of inside `op` other than `except`.
static bool dependsOnInside(const LinearExpr &expr, Operation *op,
                            Value except) {
  for (auto [value, coefficient] : expr.terms)
    if (value != except &&
        op->isAncestor(value.getParentBlock()->getParentOp()))
      return true;
  return false;
}

/// Values of inside `op` mean something else, or nothing, from here on.
static void forget(Touch &touch, Operation *op, Value except) {
  for (Interval &interval : touch.access.region)
    interval.any |= dependsOnInside(interval.start, op, except);
  if (touch.slot && dependsOnInside(touch.slot->expression, op, except))
    touch.slot.reset();
}

/// The state at the end of an iteration, seen from the next one. What was made
/// before the loop began is in no iteration of it.
static void carry(Touch &touch, scf::ForOp loop) {
  if ((touch.carriedBy && touch.carriedBy != loop) ||
      !loop->isAncestor(touch.access.op))
    return;
  forget(touch, loop, loop.getInductionVar());
  llvm::erase_if(touch.guards, [&](const Guard &guard) {
    Value induction = guard.induction;
    Operation *other = induction.getParentBlock()->getParentOp();
    return other != loop && loop->isAncestor(other);
  });
  touch.age = touch.carriedBy ? std::min(touch.age + 1, kOld) : 1;
  touch.carriedBy = loop;
}

/// Takes the induction variable of `loop` out of an expression and returns its
/// coefficient.
static int64_t takeOut(LinearExpr &expr, scf::ForOp loop) {
  auto *it = llvm::find_if(expr.terms, [&](auto &term) {
    return term.first == loop.getInductionVar();
  });
  if (it == expr.terms.end())
    return 0;
  int64_t coefficient = it->second;
  expr.terms.erase(it);
  return coefficient;
}

/// What the iterations before the last one touch: those from the first one on,
/// if that is a constant.
static void coverEarlier(Interval &interval, scf::ForOp loop, LinearExpr last) {
  int64_t by = takeOut(interval.start, loop);
  if (by == 0)
    return;
  interval.dense = false;
  last.constant -= *getConstantIntValue(loop.getStep());
  int64_t span = kMany;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  if (first && last.terms.empty())
    span = std::abs(by) * std::max<int64_t>(last.constant - *first, 0);
  last *= by;
  interval.start += last;
  (by > 0 ? interval.low : interval.high) += by > 0 ? -span : span;
}

/// Replaces the induction variable by its last value, or in accesses of earlier
/// iterations by all other ones, where that is known. Returns false if the last
/// iteration does not make the access.
static bool leave(Touch &touch, scf::ForOp loop,
                  const std::optional<LinearExpr> &last) {
  bool isEarlier = touch.carriedBy == loop;
  bool isMade = true;
  llvm::erase_if(touch.guards, [&](const Guard &guard) {
    if (guard.induction != loop.getInductionVar())
      return false;
    bool isKnown = !isEarlier && last && last->terms.empty();
    isMade &= !isKnown ||
              (guard.low <= last->constant && last->constant <= guard.high);
    return true;
  });
  if (!isMade)
    return false;
  auto substitute = [&](LinearExpr &expr) {
    LinearExpr value = *last;
    value *= takeOut(expr, loop);
    expr += value;
  };
  if (last) {
    for (Interval &interval : touch.access.region)
      if (isEarlier)
        coverEarlier(interval, loop, *last);
      else
        substitute(interval.start);
    // An earlier one has no single slot.
    if (touch.slot && !isEarlier)
      substitute(touch.slot->expression);
  }
  forget(touch, loop, Value());
  if (isEarlier) {
    touch.carriedBy = nullptr;
    touch.age = 0;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

Touch BarrierAnalysis::makeTouch(const BufferAccess &access) {
  Touch touch;
  touch.access = access;
  touch.slot = Slot();
  touch.guards = guards;
  if (!access.slot)
    return touch;
  Value index = access.slot;
  auto root = dyn_cast<MemRefType>(access.root.getType());
  touch.slot.reset();
  if (!root || root.getRank() == 0)
    return touch;
  int64_t versions = root.getDimSize(0);
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    touch.slot = Slot{LinearExpr(), versions};
    touch.slot->expression.constant = *constant;
  } else if (auto rem = index.getDefiningOp<arith::RemUIOp>();
             rem && getConstantIntValue(rem.getRhs()) == versions) {
    touch.slot = Slot{collector.getLinearExpr(rem.getLhs()), versions};
  }
  return touch;
}

/// Registers of a thread need no barrier.
static bool isShared(Value root) {
  auto type = dyn_cast<MemRefType>(root.getType());
  return !type || getMemorySpace(type) != MemorySpace::Fragment;
}

SmallVector<Touch, 0> BarrierAnalysis::getTouches(Operation *op) {
  SmallVector<BufferAccess, 4> accesses;
  if (isa<AsyncCopyOp>(op))
    collector.collectOwn(cast<AccessOpInterface>(op), accesses);
  else
    collector.collect(op, accesses);
  SmallVector<Touch, 0> touches;
  for (const BufferAccess &access : accesses)
    if (isShared(access.root)) {
      touches.push_back(makeTouch(access));
      if (facts)
        touches.back().threads = facts->getThreads(op, access);
    }
  return touches;
}

//===----------------------------------------------------------------------===//
// Transfer
//===----------------------------------------------------------------------===//

bool BarrierAnalysis::run(Region &body) {
  body.walk([&](AsyncWaitOp wait) {
    mostPending = std::max<int64_t>(mostPending, wait.getPending().value_or(0));
  });
  BlockState state;
  return visitBlock(body.front(), state);
}

bool BarrierAnalysis::visitBlock(Block &block, BlockState &state) {
  // A handler puts barriers in front of operations, never behind them.
  for (Operation &op : block)
    if (!visit(&op, state))
      return false;
  return true;
}

bool BarrierAnalysis::visit(Operation *op, BlockState &state) {
  if (isa<gpu::BarrierOp>(op)) {
    state.touches.clear();
    return true;
  }
  if (isa<NVVM::SyncWarpOp>(op)) {
    for (Touch &touch : state.touches)
      touch.warpsMet = true;
    return true;
  }
  if (isa<AsyncCommitOp>(op)) {
    for (Flight &flight : state.flights)
      flight.commits = std::min(flight.commits + 1, mostPending);
    return true;
  }
  if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    int64_t pending = wait.getPending().value_or(0);
    // Each thread now sees its own copies; the others see them behind a
    // barrier.
    llvm::erase_if(state.flights, [&](const Flight &flight) {
      if (flight.commits < pending)
        return false;
      for (Touch touch : flight.touches) {
        touch.access.op = op;
        addNew(state.touches, touch);
      }
      return true;
    });
    return true;
  }
  if (auto conditional = dyn_cast<scf::IfOp>(op))
    return visitIf(conditional, state);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop, state);
  if (isa<MapOp>(op) || op->getNumRegions() == 0)
    return visitStatement(op, state);
  return visitOther(op, state);
}

bool BarrierAnalysis::visitStatement(Operation *op, BlockState &state) {
  if (isMemoryEffectFree(op))
    return true;
  SmallVector<Touch, 0> touches = getTouches(op);
  BarrierConflict conflict{{}, op};
  for (const Touch &before : state.touches)
    if (llvm::any_of(touches, [&](const Touch &touch) {
          return conflicts(before, touch, numThreads);
        }))
      conflict.first.push_back(before.access.op);
  if (!conflict.first.empty()) {
    if (!onConflict(conflict))
      return false;
    state.touches.clear();
  }
  for (const Touch &touch : touches)
    addNew(state.touches, touch);
  if (auto copy = dyn_cast<AsyncCopyOp>(op);
      copy && !(facts && facts->completesAtOnce(copy))) {
    Flight flight;
    flight.touches.assign(touches.begin(), touches.end());
    addNew(state.flights, flight);
  }
  return true;
}

/// `induction + constant` between 0 and a constant, or several of these, as the
/// guards of predicated loops are. Whatever is negative is large without a
/// sign.
void BarrierAnalysis::addGuards(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    addGuards(both.getLhs());
    return addGuards(both.getRhs());
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult ||
      !compare.getLhs().getType().isIndex())
    return;
  std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
  LinearExpr expr = collector.getLinearExpr(compare.getLhs());
  if (!bound || *bound < 0 || !expr.known || expr.terms.size() != 1 ||
      expr.terms.front().second != 1)
    return;
  auto induction = dyn_cast<BlockArgument>(expr.terms.front().first);
  if (!induction)
    return;
  auto loop = dyn_cast<scf::ForOp>(induction.getOwner()->getParentOp());
  if (loop && loop.getInductionVar() == induction)
    guards.push_back({induction, -expr.constant, *bound - 1 - expr.constant});
}

bool BarrierAnalysis::visitIf(scf::IfOp op, BlockState &state) {
  BlockState other = state;
  size_t outer = guards.size();
  addGuards(op.getCondition());
  bool isDone = visitBlock(*op.thenBlock(), state);
  guards.truncate(outer);
  if (!isDone)
    return false;
  if (op.elseBlock() && !visitBlock(*op.elseBlock(), other))
    return false;
  auto forgetInside = [&](Touch &touch) {
    forget(touch, op, Value());
    return true;
  };
  changeTouches(state, forgetInside);
  changeTouches(other, forgetInside);
  join(state, other);
  return true;
}

bool BarrierAnalysis::visitFor(scf::ForOp op, BlockState &state) {
  std::optional<int64_t> lower = getConstantIntValue(op.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(op.getUpperBound());
  if (lower && upper && *lower >= *upper)
    return true;
  std::optional<int64_t> last = getLastValue(op);
  BlockState end;
  for (BlockState entry = state;;) {
    end = entry;
    if (!visitBlock(*op.getBody(), end))
      return false;
    BlockState next = end;
    changeTouches(next, [&](Touch &touch) {
      carry(touch, op);
      return true;
    });
    if (!join(entry, next))
      break;
  }
  std::optional<LinearExpr> lastExpr;
  if (last) {
    lastExpr.emplace().constant = *last;
  } else if (isConstantIntValue(op.getStep(), 1)) {
    lastExpr = collector.getLinearExpr(op.getUpperBound());
    lastExpr->constant -= 1;
    if (!lastExpr->known)
      lastExpr.reset();
  }
  changeTouches(end, [&](Touch &touch) { return leave(touch, op, lastExpr); });
  // A loop that surely runs is left at the end of its body only.
  if (last)
    state = std::move(end);
  else
    join(state, end);
  return true;
}

/// Other operations with regions: any region may run, in any order and number.
bool BarrierAnalysis::visitOther(Operation *op, BlockState &state) {
  auto forgetInside = [&](Touch &touch) {
    forget(touch, op, Value());
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        BlockState end = state;
        if (!visitBlock(block, end))
          return false;
        changeTouches(end, forgetInside);
        changed |= join(state, end);
      }
  }
  return true;
}
