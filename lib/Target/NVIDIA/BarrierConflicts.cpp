//===- BarrierConflicts.cpp - Accesses that no two threads may reorder ----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierAnalysis.h"

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using namespace tilepipe::tile;

/// Thread bits within a warp.
static constexpr unsigned kLaneBits = 5;

namespace {

/// Numbers of iterations, both ends included.
struct Distances {
  int64_t low, high;

  bool isEmpty() const { return low > high; }
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

std::optional<int64_t> nvidia::getLastValue(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0 || *lower >= *upper)
    return std::nullopt;
  return *lower + (*upper - 1 - *lower) / *step * *step;
}

/// Replaces induction variables, of loops with a constant first value, by all
/// they may be.
static Interval widen(Interval interval) {
  llvm::erase_if(interval.start.terms, [&](auto &term) {
    auto induction = dyn_cast<BlockArgument>(term.first);
    auto loop = induction
                    ? dyn_cast<scf::ForOp>(induction.getOwner()->getParentOp())
                    : scf::ForOp();
    if (!loop || loop.getInductionVar() != induction)
      return false;
    std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!first || !step || *step <= 0)
      return false;
    int64_t by = term.second;
    int64_t atFirst = by * *first;
    int64_t atLast = by > 0 ? kMany : -kMany;
    if (std::optional<int64_t> last = getLastValue(loop))
      atLast = by * *last;
    interval.low += std::min(atFirst, atLast);
    interval.high += std::max(atFirst, atLast);
    return true;
  });
  return interval;
}

/// Whether two accesses are apart, whatever iterations they are of.
static bool areApart(const Interval &before, const Interval &now) {
  if (before.any || now.any || !before.start.known || !now.start.known)
    return false;
  Interval a = widen(before), b = widen(now);
  int64_t delta = b.start.constant - a.start.constant;
  return a.start.terms == b.start.terms &&
         (a.high <= delta + b.low || delta + b.high <= a.low);
}

/// The numbers `k` within `range` of iterations between two accesses at which
/// one dimension of them overlaps.
static Distances overlap(const Interval &before, const Interval &now,
                         scf::ForOp loop, Distances range) {
  if (areApart(before, now))
    return {1, 0};
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
  if (range.isEmpty())
    return false;
  if (!before || !now || before->versions != now->versions ||
      !before->expression.known || !now->expression.known ||
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

/// The numbers of iterations that may lie between a touch and the present.
static Distances getDistances(const Touch &before) {
  scf::ForOp loop = before.carriedBy;
  if (!loop)
    return {0, 0};
  int64_t most = kMany;
  if (std::optional<int64_t> last = getLastValue(loop))
    most = (*last - *getConstantIntValue(loop.getLowerBound())) /
           *getConstantIntValue(loop.getStep());
  return {before.age, before.age < kOld ? std::min(before.age, most) : most};
}

/// The bytes of an allocation that has its place, or of the slot of it that is
/// touched, or nothing.
static std::optional<std::pair<int64_t, int64_t>> getBytes(const Touch &touch) {
  auto alloc = touch.access.root.getDefiningOp<AllocOp>();
  if (!alloc || !alloc.getOffset())
    return std::nullopt;
  MemRefType type = alloc.getType();
  int64_t begin = *alloc.getOffset();
  // Of elements that nobody can place, enough to share memory with all.
  int64_t size = getByteSize(type).value_or(
      std::numeric_limits<int64_t>::max() - begin);
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

/// The numbers of iterations in `range` for which the guards of both hold.
static Distances applyGuards(const Touch &before, const Touch &now,
                             Distances range) {
  scf::ForOp loop = before.carriedBy;
  for (const Guard &a : before.guards)
    for (const Guard &b : now.guards) {
      if (a.induction != b.induction)
        continue;
      int64_t low = b.low - a.high, high = b.high - a.low;
      if (!loop || loop.getInductionVar() != a.induction) {
        // The same iteration of that loop.
        if (low > 0 || high < 0)
          return {1, 0};
      } else if (std::optional<int64_t> step =
                     getConstantIntValue(loop.getStep());
                 step && *step > 0) {
        range.low = std::max(range.low, llvm::divideCeilSigned(low, *step));
        range.high = std::min(range.high, llvm::divideFloorSigned(high, *step));
      }
    }
  return range;
}

bool ElementThreads::isSameThread(const ElementThreads &other,
                                  int64_t numThreads) const {
  auto isOne = [&](const ElementThreads &threads) {
    return !threads.all || !threads.layout.getReplicatedThreadMask(numThreads);
  };
  return isOne(*this) && isOne(other) &&
         layout.getRank() == other.layout.getRank() &&
         layout.getThreadBases() == other.layout.getThreadBases();
}

bool ElementThreads::isSameWarp(const ElementThreads &other,
                                int64_t numThreads) const {
  auto isOne = [&](const ElementThreads &threads) {
    return !threads.all ||
           !(threads.layout.getReplicatedThreadMask(numThreads) >> kLaneBits);
  };
  auto getWarpBases = [](const ElementThreads &threads) {
    ArrayRef<LayoutBasis> bases = threads.layout.getThreadBases();
    return bases.drop_front(std::min<size_t>(kLaneBits, bases.size()));
  };
  return isOne(*this) && isOne(other) &&
         layout.getRank() == other.layout.getRank() &&
         getWarpBases(*this) == getWarpBases(other);
}

/// Whether what has been done since orders any two threads that touch the same
/// element.
static bool areOrdered(const Touch &before, const Touch &now,
                       int64_t numThreads) {
  if (before.warpsMet && numThreads == 1 << kLaneBits)
    return true;
  if (before.access.root != now.access.root || !before.threads || !now.threads)
    return false;
  return before.threads->isSameThread(*now.threads, numThreads) ||
         (before.warpsMet &&
          before.threads->isSameWarp(*now.threads, numThreads));
}

bool nvidia::conflicts(const Touch &before, const Touch &now,
                       int64_t numThreads) {
  const BufferAccess &a = before.access, &b = now.access;
  if ((!a.writes() && !b.writes()) || !shareMemory(before, now) ||
      areOrdered(before, now, numThreads))
    return false;
  Distances range = applyGuards(before, now, getDistances(before));
  if (range.isEmpty())
    return false;
  if (a.root != b.root || a.region.size() != b.region.size())
    return true;
  for (auto [x, y] : llvm::zip_equal(a.region, b.region))
    range = overlap(x, y, before.carriedBy, range);
  return mayBeSameSlot(before.slot, now.slot, before.carriedBy, range);
}
