//===- IndexMath.cpp - Index arithmetic that folds ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// ConstantPool
//===----------------------------------------------------------------------===//

ConstantPool::ConstantPool(Operation *anchor) : loc(anchor->getLoc()) {
  OpBuilder b(anchor);
  first = last = arith::ConstantIndexOp::create(b, loc, 0);
  values[{b.getIndexAttr(0), b.getIndexType()}] = first->getResult(0);
}

ConstantPool::~ConstantPool() {
  for (auto &[key, value] : values)
    if (value.use_empty())
      value.getDefiningOp()->erase();
}

Value ConstantPool::getIndex(int64_t value) {
  Builder b(loc.getContext());
  return get(b.getIndexAttr(value), b.getIndexType());
}

Value ConstantPool::get(Attribute value, Type type, Dialect *dialect) {
  auto it = values.find({value, type});
  if (it != values.end())
    return it->second;
  OpBuilder b(loc.getContext());
  b.setInsertionPointAfter(last);
  Operation *op = arith::ConstantOp::materialize(b, value, type, loc);
  if (!op && dialect)
    op = dialect->materializeConstant(b, value, type, loc);
  if (!op)
    return {};
  last = op;
  return values[{value, type}] = op->getResult(0);
}

//===----------------------------------------------------------------------===//
// IndexMath
//===----------------------------------------------------------------------===//

/// Both operands if they are constants.
static std::optional<std::pair<uint64_t, uint64_t>>
getConstants(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (!x || !y)
    return std::nullopt;
  return std::pair<uint64_t, uint64_t>(*x, *y);
}

Value IndexMath::materialize(OpFoldResult value) {
  if (auto existing = dyn_cast<Value>(value))
    return existing;
  auto constant = cast<IntegerAttr>(cast<Attribute>(value));
  return pool.get(constant, constant.getType());
}

OpFoldResult IndexMath::add(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return constant(constants->first + constants->second);
  if (isConstantIntValue(a, 0))
    return b;
  if (isConstantIntValue(b, 0))
    return a;
  return arith::AddIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::sub(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return constant(constants->first - constants->second);
  if (isConstantIntValue(b, 0))
    return a;
  return arith::SubIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::mul(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return constant(constants->first * constants->second);
  if (isConstantIntValue(a, 0) || isConstantIntValue(b, 1))
    return a;
  if (isConstantIntValue(b, 0) || isConstantIntValue(a, 1))
    return b;
  return arith::MulIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::maxSigned(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return constant(
        std::max(int64_t(constants->first), int64_t(constants->second)));
  return arith::MaxSIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::div(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return constant(constants->first / constants->second);
  if (isConstantIntValue(b, 1))
    return a;
  return arith::DivUIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::rem(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return constant(constants->first % constants->second);
  if (isConstantIntValue(b, 1))
    return constant(0);
  return arith::RemUIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::less(OpFoldResult a, OpFoldResult b) {
  if (auto constants = getConstants(a, b))
    return builder.getBoolAttr(int64_t(constants->first) <
                               int64_t(constants->second));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::select(OpFoldResult condition, OpFoldResult a,
                               OpFoldResult b) {
  if (std::optional<int64_t> constant = getConstantIntValue(condition))
    return *constant ? a : b;
  if (a == b)
    return a;
  return arith::SelectOp::create(builder, loc, materialize(condition),
                                 materialize(a), materialize(b))
      .getResult();
}

OpFoldResult IndexMath::tripCount(PipelineOp loop, bool clamp) {
  if (std::optional<int64_t> count = loop.getConstantTripCount())
    return constant(*count);
  OpFoldResult lower = getAsOpFoldResult(loop.getLower());
  OpFoldResult upper = getAsOpFoldResult(loop.getUpper());
  OpFoldResult step = getAsOpFoldResult(loop.getStep());
  if (std::optional<int64_t> down = loop.getStaticStep(); down && *down < 0) {
    std::swap(lower, upper);
    step = constant(-uint64_t(*down));
  }
  if (isConstantIntValue(step, 1) && isConstantIntValue(lower, 0))
    return clamp ? maxSigned(upper, constant(0)) : upper;
  // Where lower < upper the distance is right as an unsigned number even if it
  // exceeds int64, and distance - 1 does not wrap.
  OpFoldResult runs = less(lower, upper);
  OpFoldResult distance = sub(upper, lower);
  if (isConstantIntValue(step, 1))
    return select(runs, distance, constant(0));
  OpFoldResult count = add(div(sub(distance, constant(1)), step), constant(1));
  return select(runs, count, constant(0));
}
