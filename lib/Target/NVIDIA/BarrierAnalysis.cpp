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
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using namespace tilepipe::tile;

/// More iterations than this are as good as any number.
static constexpr int64_t kMany = int64_t(1) << 40;

/// Groups that are still not waited for after so many others are all alike; it
/// ends the count of a loop that never waits.
static constexpr int64_t kManyCommits = 64;

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of iterations, both ends included.
struct Distances {
  int64_t low, high;
};

} // namespace

/// How `expr` grows from one iteration of `loop` to the next, if that is known.
static std::optional<int64_t> getGrowth(const LinearExpr &expr,
                                        scf::ForOp loop) {
  for (auto [value, coefficient] : expr.terms)
    if (value == loop.getInductionVar()) {
      std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      if (!step)
        return std::nullopt;
      return coefficient * *step;
    }
  return 0;
}

/// The numbers `k` within `range` of iterations between two accesses at which
/// one dimension of them overlaps.
static Distances overlap(const Interval &before, const Interval &now,
                     scf::ForOp loop, Distances range) {
  if (before.any || now.any || !before.start.known || !now.start.known ||
      before.start.terms != now.start.terms)
    return range;
  int64_t delta = now.start.constant - before.start.constant;
  std::optional<int64_t> growth =
      loop ? getGrowth(now.start, loop) : std::optional<int64_t>(0);
  if (!growth)
    return range;
  // before.low < delta + growth * k + now.high and
  // delta + growth * k + now.low < before.high
  int64_t above = before.low - now.high - delta;
  int64_t below = before.high - now.low - delta;
  if (*growth == 0)
    return above < 0 && 0 < below ? range : Distances{1, 0};
  int64_t by = *growth;
  if (by < 0) {
    std::swap(above, below);
    above = -above;
    below = -below;
    by = -by;
  }
  return {std::max(range.low, llvm::divideFloorSigned(above, by) + 1),
          std::min(range.high, llvm::divideCeilSigned(below, by) - 1)};
}

/// Whether there is a `k` in `range` at which both name the same slot.
static bool mayBeSameSlot(const std::optional<Slot> &before,
                          const std::optional<Slot> &now, scf::ForOp loop,
                          Distances range) {
  if (range.low > range.high)
    return false;
  if (!before || !now || before->versions != now->versions ||
      before->expression.terms != now->expression.terms)
    return true;
  int64_t growth = 0;
  if (loop) {
    std::optional<int64_t> known = getGrowth(now->expression, loop);
    if (!known)
      return true;
    growth = *known;
  }
  int64_t delta = now->expression.constant - before->expression.constant;
  int64_t last = std::min(range.high, range.low + now->versions - 1);
  for (int64_t k = range.low; k <= last; ++k)
    if ((delta + growth * k) % now->versions == 0)
      return true;
  return false;
}

/// The induction variable in the last iteration, where bounds and step are
/// constants and there is an iteration.
static std::optional<int64_t> getLastValue(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0 || *lower >= *upper)
    return std::nullopt;
  return *lower + (*upper - 1 - *lower) / *step * *step;
}

/// The numbers of iterations that may lie between two iterations of `loop`.
static Distances getDistances(scf::ForOp loop) {
  if (!loop)
    return {0, 0};
  std::optional<int64_t> last = getLastValue(loop);
  if (!last)
    return {1, kMany};
  return {1, (*last - *getConstantIntValue(loop.getLowerBound())) /
                 *getConstantIntValue(loop.getStep())};
}

/// The bytes of an allocation that has its place, or of the slot of it that is
/// touched, or nothing.
static std::optional<std::pair<int64_t, int64_t>> getBytes(const Touch &touch) {
  auto alloc = touch.access.root.getDefiningOp<AllocOp>();
  if (!alloc || !alloc.getOffset())
    return std::nullopt;
  MemRefType type = alloc.getType();
  int64_t begin = *alloc.getOffset();
  int64_t size = llvm::divideCeil(
      type.getNumElements() * type.getElementTypeBitWidth(), 8);
  const std::optional<Slot> &slot = touch.slot;
  if (slot && slot->versions > 1 && slot->expression.known &&
      slot->expression.terms.empty() && !touch.carriedBy) {
    size /= slot->versions;
    begin += size * (slot->expression.constant % slot->versions);
  }
  return std::pair(begin, begin + size);
}

/// Whether two accesses may have bytes in common. Buffers whose contents are
/// never needed at the same time may have been put in the same place.
static bool shareMemory(const Touch &a, const Touch &b) {
  if (mayAlias(a.access.root, b.access.root))
    return true;
  auto x = getBytes(a), y = getBytes(b);
  return x && y && x->first < y->second && y->first < x->second;
}

static bool conflicts(const Touch &before, const Touch &now) {
  const BufferAccess &a = before.access, &b = now.access;
  if ((!a.writes() && !b.writes()) || !shareMemory(before, now))
    return false;
  if (a.root != b.root)
    return true;
  if (before.threads && before.threads == now.threads)
    return false;
  if (a.region.size() != b.region.size())
    return true;
  Distances range = getDistances(before.carriedBy);
  for (auto [x, y] : llvm::zip_equal(a.region, b.region))
    range = overlap(x, y, before.carriedBy, range);
  return mayBeSameSlot(before.slot, now.slot, before.carriedBy, range);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static bool equal(const LinearExpr &a, const LinearExpr &b) {
  return a.constant == b.constant && a.terms == b.terms && a.known == b.known;
}

static bool equal(const Touch &a, const Touch &b) {
  if (a.access.op != b.access.op || a.threads != b.threads ||
      a.access.root != b.access.root ||
      a.access.kind != b.access.kind || a.carriedBy != b.carriedBy ||
      a.slot.has_value() != b.slot.has_value() ||
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

/// Applies `change` to every touch of the state, in flight or not.
static void forEachTouch(BlockState &state,
                         llvm::function_ref<void(Touch &)> change) {
  for (Touch &touch : state.touches)
    change(touch);
  for (Flight &flight : state.flights)
    for (Touch &touch : flight.touches)
      change(touch);
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

/// The state at the end of an iteration, seen from the next one.
static void carry(Touch &touch, scf::ForOp loop) {
  forget(touch, loop, loop.getInductionVar());
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

/// What the iterations before the last one touch, where bounds are constants.
static void coverEarlier(Interval &interval, scf::ForOp loop, int64_t last) {
  int64_t first = *getConstantIntValue(loop.getLowerBound());
  int64_t beforeLast = last - *getConstantIntValue(loop.getStep());
  int64_t by = takeOut(interval.start, loop);
  int64_t span = std::abs(by) * (beforeLast - first);
  if (span < 0)
    return;
  interval.start.constant += by * (by < 0 ? beforeLast : first);
  interval.high += span;
  interval.dense = false;
}

/// Replaces the induction variable by its last value, or in accesses of earlier
/// iterations by all other ones, where that is known.
static void leave(Touch &touch, scf::ForOp loop, std::optional<int64_t> last) {
  bool isEarlier = touch.carriedBy == loop;
  auto substitute = [&](LinearExpr &expr) {
    expr.constant += takeOut(expr, loop) * *last;
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
  if (isEarlier)
    touch.carriedBy = nullptr;
}

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

Touch BarrierAnalysis::makeTouch(const BufferAccess &access) {
  Touch touch{access, Slot(), nullptr, std::nullopt};
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
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    collector.collectOwn(cast<AccessOpInterface>(op), accesses);
  else
    collector.collect(op, accesses);
  SmallVector<Touch, 0> touches;
  for (const BufferAccess &access : accesses)
    if (isShared(access.root)) {
      touches.push_back(makeTouch(access));
      if (threadMap)
        touches.back().threads = threadMap(op, access);
    }
  return touches;
}

//===----------------------------------------------------------------------===//
// Transfer
//===----------------------------------------------------------------------===//

bool BarrierAnalysis::run(Region &body) {
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
  if (isa<AsyncCommitOp>(op)) {
    for (Flight &flight : state.flights)
      flight.commits = std::min(flight.commits + 1, kManyCommits);
    return true;
  }
  if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    int64_t pending = wait.getPending().value_or(0);
    // Each thread now sees its own copies; the others see them behind a barrier.
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
  for (const Touch &touch : touches) {
    auto *before = llvm::find_if(state.touches, [&](const Touch &other) {
      return conflicts(other, touch);
    });
    if (before == state.touches.end())
      continue;
    if (!onConflict({before->access.op, op}))
      return false;
    state.touches.clear();
    break;
  }
  for (const Touch &touch : touches)
    addNew(state.touches, touch);
  if (isa<AsyncCopyOp>(op)) {
    Flight flight;
    flight.touches.assign(touches.begin(), touches.end());
    addNew(state.flights, flight);
  }
  return true;
}

bool BarrierAnalysis::visitIf(scf::IfOp op, BlockState &state) {
  BlockState other = state;
  if (!visitBlock(*op.thenBlock(), state))
    return false;
  if (op.elseBlock() && !visitBlock(*op.elseBlock(), other))
    return false;
  forEachTouch(state, [&](Touch &touch) { forget(touch, op, Value()); });
  forEachTouch(other, [&](Touch &touch) { forget(touch, op, Value()); });
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
    forEachTouch(next, [&](Touch &touch) { carry(touch, op); });
    if (!join(entry, next))
      break;
  }
  forEachTouch(end, [&](Touch &touch) { leave(touch, op, last); });
  // A loop that surely runs is left at the end of its body only.
  if (last)
    state = std::move(end);
  else
    join(state, end);
  return true;
}

/// Other operations with regions: any region may run, in any order and number.
bool BarrierAnalysis::visitOther(Operation *op, BlockState &state) {
  auto forgetInside = [&](Touch &touch) { forget(touch, op, Value()); };
  for (bool changed = true; changed;) {
    changed = false;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        BlockState end = state;
        if (!visitBlock(block, end))
          return false;
        forEachTouch(end, forgetInside);
        changed |= join(state, end);
      }
  }
  return true;
}
