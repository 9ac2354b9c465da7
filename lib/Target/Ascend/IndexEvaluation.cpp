//===- IndexEvaluation.cpp - Numbers of index operations --------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexEvaluation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;

bool ascend::canEvaluate(Operation *op) {
  return isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
             arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::CmpIOp, arith::SelectOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp, arith::IndexCastOp, arith::IndexCastUIOp,
             arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::ShLIOp,
             arith::ShRUIOp, arith::ShRSIOp>(op);
}

/// 1-bit values are 0 and 1.
static int64_t narrow(Type type, int64_t value) {
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && integer.getWidth() < 64) {
    unsigned drop = 64 - integer.getWidth();
    if (integer.getWidth() == 1)
      return value & 1;
    return int64_t(uint64_t(value) << drop) >> drop;
  }
  return value;
}

static std::optional<int64_t> divide(Operation *op, int64_t a, int64_t b) {
  uint64_t ua = a, ub = b;
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::DivUIOp) { return ua / ub; })
      .Case([&](arith::DivSIOp) { return a / b; })
      .Case([&](arith::RemUIOp) { return ua % ub; })
      .Case([&](arith::RemSIOp) { return a % b; })
      .Case([&](arith::CeilDivUIOp) { return ua / ub + (ua % ub != 0); })
      .Case([&](arith::CeilDivSIOp) {
        return a / b + (a % b != 0 && (a > 0) == (b > 0));
      })
      .Case([&](arith::FloorDivSIOp) {
        return a / b - (a % b != 0 && (a > 0) != (b > 0));
      })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<int64_t> binary(Operation *op, int64_t a, int64_t b) {
  uint64_t ua = a, ub = b;
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return int64_t(ua + ub); })
      .Case([&](arith::SubIOp) { return int64_t(ua - ub); })
      .Case([&](arith::MulIOp) { return int64_t(ua * ub); })
      .Case([&](arith::MinSIOp) { return std::min(a, b); })
      .Case([&](arith::MaxSIOp) { return std::max(a, b); })
      .Case([&](arith::MinUIOp) { return int64_t(std::min(ua, ub)); })
      .Case([&](arith::MaxUIOp) { return int64_t(std::max(ua, ub)); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::ShLIOp) -> std::optional<int64_t> {
        return ub < 64 ? std::optional<int64_t>(ua << ub) : std::nullopt;
      })
      .Case([&](arith::ShRUIOp) -> std::optional<int64_t> {
        return ub < 64 ? std::optional<int64_t>(ua >> ub) : std::nullopt;
      })
      .Case([&](arith::ShRSIOp) -> std::optional<int64_t> {
        return ub < 64 ? std::optional<int64_t>(a >> ub) : std::nullopt;
      })
      .Default([&](Operation *) { return divide(op, a, b); });
}

std::optional<int64_t> ascend::evaluateIndexOp(Operation *op,
                                               IndexEvaluator evaluate) {
  if (!canEvaluate(op) || op->getNumResults() != 1)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto attr = dyn_cast<IntegerAttr>(constant.getValue());
    if (!attr || !attr.getValue().isSignedIntN(64))
      return std::nullopt;
    return narrow(type, attr.getValue().getSExtValue());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<int64_t> condition = evaluate(select.getCondition());
    if (!condition)
      return std::nullopt;
    return evaluate(*condition & 1 ? select.getTrueValue()
                                   : select.getFalseValue());
  }
  std::optional<int64_t> a = evaluate(op->getOperand(0));
  if (!a)
    return std::nullopt;
  if (auto ext = dyn_cast<arith::ExtSIOp>(op))
    return ext.getIn().getType().isInteger(1) ? -(*a & 1) : *a;
  if (auto ext = dyn_cast<arith::ExtUIOp>(op)) {
    unsigned width = ext.getIn().getType().getIntOrFloatBitWidth();
    return width < 64 ? *a & ((int64_t(1) << width) - 1) : *a;
  }
  if (op->getNumOperands() == 1)
    return narrow(type, *a);
  std::optional<int64_t> b = evaluate(op->getOperand(1));
  if (!b)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, *a, true),
                                    APInt(64, *b, true));
  std::optional<int64_t> result = binary(op, *a, *b);
  return result ? std::optional<int64_t>(narrow(type, *result)) : std::nullopt;
}
