//===- IndexFacts.cpp - What is known about an index ----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Expressions are looked into this deep: they may share operands.
static constexpr unsigned kMaxDepth = 12;
static constexpr int64_t kInf = IndexRange::kInfinity;
static constexpr int64_t kMaxDivisor = 64;

static int64_t clampToInfinity(__int128 value) {
  if (value > kInf)
    return kInf;
  return value < -kInf ? -kInf : static_cast<int64_t>(value);
}

static bool isBounded(IndexRange range) {
  return range.min > -kInf && range.max < kInf;
}

namespace {

/// What the conditions of the `scf.if` around a block say of single values.
class Guards {
public:
  explicit Guards(Block *block);
  IndexRange refine(Value value, IndexRange range) const;

private:
  void add(Value condition);

  SmallVector<std::pair<Value, IndexRange>, 2> known;
};

} // namespace

static IndexRange rangeOf(Value value, unsigned depth, const Guards &guards);

Guards::Guards(Block *block) {
  for (; block; block = block->getParentOp() ? block->getParentOp()->getBlock()
                                             : nullptr) {
    auto branch = dyn_cast_or_null<scf::IfOp>(block->getParentOp());
    if (branch && block == branch.thenBlock())
      add(branch.getCondition());
  }
}

void Guards::add(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    add(both.getLhs());
    return add(both.getRhs());
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  IndexRange limit = getRange(compare.getRhs());
  IndexRange below{-kInf, limit.max >= kInf ? kInf : limit.max - 1};
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return known.push_back({compare.getLhs(), below});
  case arith::CmpIPredicate::sle:
    return known.push_back({compare.getLhs(), {-kInf, limit.max}});
  case arith::CmpIPredicate::sgt:
    return known.push_back(
        {compare.getLhs(), {limit.min <= -kInf ? -kInf : limit.min + 1, kInf}});
  case arith::CmpIPredicate::sge:
    return known.push_back({compare.getLhs(), {limit.min, kInf}});
  case arith::CmpIPredicate::ult:
    // A negative value is above all limits that are none themselves.
    if (limit.min >= 0)
      known.push_back({compare.getLhs(), {0, below.max}});
    return;
  default:
    return;
  }
}

IndexRange Guards::refine(Value value, IndexRange range) const {
  for (auto [guarded, limits] : known) {
    if (guarded != value)
      continue;
    range.min = std::max(range.min, limits.min);
    range.max = std::min(range.max, limits.max);
  }
  if (range.max < range.min) // nothing is run
    range.max = range.min;
  return range;
}

static IndexRange rangeOfMul(IndexRange a, IndexRange b) {
  if (a.min >= 0 && b.min >= 0)
    return {clampToInfinity(__int128(a.min) * b.min),
            clampToInfinity(__int128(a.max) * b.max)};
  if (!isBounded(a) || !isBounded(b))
    return {};
  __int128 products[] = {__int128(a.min) * b.min, __int128(a.min) * b.max,
                         __int128(a.max) * b.min, __int128(a.max) * b.max};
  return {clampToInfinity(*llvm::min_element(products)),
          clampToInfinity(*llvm::max_element(products))};
}

static IndexRange rangeOfInduction(scf::ForOp loop, unsigned depth,
                                   const Guards &guards) {
  IndexRange lower = rangeOf(loop.getLowerBound(), depth, guards);
  IndexRange upper = rangeOf(loop.getUpperBound(), depth, guards);
  IndexRange result{lower.min, clampToInfinity(__int128(upper.max) - 1)};
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (first && step && *step > 0 && upper.max < kInf && upper.max > *first)
    result.max = *first + (upper.max - 1 - *first) / *step * *step;
  if (result.max < result.min) // the body never runs
    result.max = result.min;
  return result;
}

static IndexRange rangeOfOp(Operation *op, unsigned depth,
                            const Guards &guards) {
  auto operand = [&](unsigned i) {
    return rangeOf(op->getOperand(i), depth, guards);
  };
  auto constant = [&](unsigned i) {
    return getConstantIntValue(op->getOperand(i));
  };
  auto fromHardware = [](std::optional<APInt> bound) {
    return IndexRange{0, bound ? bound->getSExtValue() - 1
                               : std::numeric_limits<int32_t>::max()};
  };
  return TypeSwitch<Operation *, IndexRange>(op)
      .Case<gpu::ThreadIdOp, gpu::BlockIdOp>(
          [&](auto id) { return fromHardware(id.getUpperBound()); })
      .Case([&](memref::DimOp) { return IndexRange{0, kInf}; })
      .Case([&](arith::AddIOp) {
        IndexRange a = operand(0), b = operand(1);
        return IndexRange{
            a.min <= -kInf || b.min <= -kInf ? -kInf
                                             : clampToInfinity(a.min + b.min),
            a.max >= kInf || b.max >= kInf ? kInf
                                           : clampToInfinity(a.max + b.max)};
      })
      .Case([&](arith::SubIOp) {
        IndexRange a = operand(0), b = operand(1);
        return IndexRange{
            a.min <= -kInf || b.max >= kInf ? -kInf
                                            : clampToInfinity(a.min - b.max),
            a.max >= kInf || b.min <= -kInf ? kInf
                                            : clampToInfinity(a.max - b.min)};
      })
      .Case([&](arith::MulIOp) { return rangeOfMul(operand(0), operand(1)); })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> by = constant(1);
        if (!by || *by < 0 || *by > 30)
          return IndexRange();
        return rangeOfMul(operand(0), {int64_t(1) << *by, int64_t(1) << *by});
      })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
            arith::ShRUIOp>([&](Operation *op) {
        IndexRange a = operand(0);
        std::optional<int64_t> by = constant(1);
        if (by && isa<arith::ShRUIOp>(op))
          by = *by >= 0 && *by < 40 ? int64_t(1) << *by : 0;
        if (a.min < 0 || !by || *by <= 0)
          return IndexRange();
        return IndexRange{a.min / *by, a.max >= kInf ? kInf : a.max / *by};
      })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](Operation *) {
        IndexRange a = operand(0);
        std::optional<int64_t> by = constant(1);
        if (a.min < 0 || !by || *by <= 0)
          return IndexRange();
        return IndexRange{
            int64_t(llvm::divideCeil(a.min, *by)),
            a.max >= kInf ? kInf : int64_t(llvm::divideCeil(a.max, *by))};
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](Operation *op) {
        std::optional<int64_t> by = constant(1);
        if (!by || *by <= 0 || (isa<arith::RemSIOp>(op) && operand(0).min < 0))
          return IndexRange();
        return IndexRange{0, *by - 1};
      })
      .Case([&](arith::AndIOp) {
        for (unsigned i : {0, 1})
          if (std::optional<int64_t> mask = constant(i); mask && *mask >= 0)
            return IndexRange{0, *mask};
        return IndexRange();
      })
      .Case([&](arith::MinSIOp) {
        IndexRange a = operand(0), b = operand(1);
        return IndexRange{std::min(a.min, b.min), std::min(a.max, b.max)};
      })
      .Case([&](arith::MaxSIOp) {
        IndexRange a = operand(0), b = operand(1);
        return IndexRange{std::max(a.min, b.min), std::max(a.max, b.max)};
      })
      .Case([&](arith::SelectOp) {
        IndexRange a = operand(1), b = operand(2);
        return IndexRange{std::min(a.min, b.min), std::max(a.max, b.max)};
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>(
          [&](Operation *) { return operand(0); })
      .Default([](Operation *) { return IndexRange(); });
}

static IndexRange rangeOf(Value value, unsigned depth, const Guards &guards) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {*constant, *constant};
  IndexRange result;
  if (depth != 0) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument == loop.getInductionVar())
        result = rangeOfInduction(loop, depth - 1, guards);
    } else {
      result = rangeOfOp(value.getDefiningOp(), depth - 1, guards);
    }
  }
  // What does not fit into the type may have wrapped around.
  if (auto type = dyn_cast<IntegerType>(value.getType());
      type && type.getWidth() < 48 && type.getWidth() > 0) {
    int64_t half = int64_t(1) << (type.getWidth() - 1);
    if (result.min < -half || result.max >= half)
      result = {-half, half - 1};
  }
  return guards.refine(value, result);
}

IndexRange nvidia::getRange(Value value, Block *block) {
  return rangeOf(value, kMaxDepth, Guards(block));
}

IndexRange nvidia::getRange(OpFoldResult value, Block *block) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {*constant, *constant};
  return getRange(cast<Value>(value), block);
}

int64_t nvidia::getDivisor(int64_t value) {
  if (value == 0)
    return kMaxDivisor;
  return std::min<int64_t>(int64_t(1) << llvm::countr_zero(uint64_t(value)),
                           kMaxDivisor);
}

static int64_t divisorOf(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return nvidia::getDivisor(*constant);
  if (depth == 0)
    return 1;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return 1;
    return std::min(divisorOf(loop.getLowerBound(), depth - 1),
                    divisorOf(loop.getStep(), depth - 1));
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) {
    return divisorOf(op->getOperand(i), depth - 1);
  };
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp>(
          [&](auto) { return std::min(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) {
        return std::min(operand(0) * operand(1), kMaxDivisor);
      })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
        if (!by || *by < 0)
          return operand(0);
        return std::min(operand(0) << std::min<int64_t>(*by, 6), kMaxDivisor);
      })
      .Case([&](arith::AndIOp) { return std::max(operand(0), operand(1)); })
      .Case<arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return std::min(operand(0), operand(1)); })
      .Case<arith::SelectOp>(
          [&](auto) { return std::min(operand(1), operand(2)); })
      .Case<arith::IndexCastOp, arith::ExtSIOp>(
          [&](auto) { return operand(0); })
      .Default([](Operation *) { return int64_t(1); });
}

int64_t nvidia::getDivisor(Value value) { return divisorOf(value, kMaxDepth); }

static std::optional<int64_t> coefficientOf(Value value, Value iv,
                                            unsigned depth) {
  if (value == iv)
    return 1;
  Region *body = iv.getParentRegion();
  if (!body->isAncestor(value.getParentRegion()))
    return 0;
  if (isa<BlockArgument>(value))
    return value.getParentRegion() == body ? std::optional<int64_t>(0)
                                           : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (op->getNumOperands() == 0)
    return 0;
  if (depth == 0)
    return std::nullopt;
  SmallVector<std::optional<int64_t>> operands;
  bool depends = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(coefficientOf(operand, iv, depth - 1));
    depends |= operands.back() != 0;
  }
  if (!depends)
    return op->getNumRegions() == 0 ? std::optional<int64_t>(0) : std::nullopt;
  if (llvm::is_contained(operands, std::nullopt))
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return *operands[0] + *operands[1]; })
      .Case([&](arith::SubIOp) { return *operands[0] - *operands[1]; })
      .Case([&](arith::MulIOp mul) -> std::optional<int64_t> {
        for (unsigned i : {0, 1})
          if (std::optional<int64_t> factor =
                  getConstantIntValue(mul->getOperand(i)))
            return *operands[1 - i] * *factor;
        return std::nullopt;
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>(
          [&](auto) { return operands[0]; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> nvidia::getCoefficient(Value value, Value iv) {
  return coefficientOf(value, iv, kMaxDepth);
}
