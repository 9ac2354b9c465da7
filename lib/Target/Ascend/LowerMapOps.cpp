//===- LowerMapOps.cpp - The operations of a map --------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapLowering.h"

#include "tilepipe/Analysis/Regions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

using Kind = VectorOperand::Kind;

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

FailureOr<MapValue> MapLowering::getValue(Operation *user, Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  if (isInvariant(value)) {
    MapValue result;
    result.type = value.getType();
    result.scalar = hoist(value);
    return result;
  }
  InFlightDiagnostic diag = error(user) << "uses a value that has no vector";
  diag.attachNote(value.getLoc()) << "which is here";
  return diag;
}

void MapLowering::countUses(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto it = values.find(operand);
    if (it == values.end())
      continue;
    unsigned total = std::distance(operand.use_begin(), operand.use_end());
    if (++numUsesSeen[operand] == total)
      release(it->second);
  }
}

void MapLowering::setValue(Operation *op, MapValue value) {
  values[op->getResult(0)] = value;
  if (op->use_empty())
    release(value);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LogicalResult MapLowering::lowerLoad(memref::LoadOp op) {
  // A cell of the scalar stream, or an element that is the same for all points.
  if (getSpace(op.getMemRef()) == tile::MemorySpace::Fragment &&
      op.getIndices().empty()) {
    MapValue value;
    value.type = op.getType();
    value.scalar = memref::LoadOp::create(e, op.getMemRef());
    setValue(op, value);
    return success();
  }
  FailureOr<MapValue> access = getAccess(op, op.getMemRef(), op.getIndices());
  if (failed(access))
    return failure();
  if (access->shape == Shape::Scalar) {
    op.emitRemark("all points read one element, for which the scalar stream "
                  "waits");
    access->scalar = ScalarLoadOp::create(
        e, op.getType(), access->operand.buffer, access->operand.offset);
  }
  setValue(op, *access);
  return success();
}

/// Moves what was read from a buffer, and is used later, out of the way.
void MapLowering::saveBefore(memref::StoreOp op, Value root) {
  for (auto &[loaded, value] : values) {
    if (value.root != root || value.temporary || value.shape == Shape::Scalar)
      continue;
    bool isUsedLater = llvm::any_of(loaded.getUsers(), [&](Operation *user) {
      Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
      return !top || op->isBeforeInBlock(top);
    });
    if (!isUsedLater)
      continue;
    MapValue saved = makeTemporary(value.shape, value.type);
    moveTo(saved.operand, saved.shape, value, {});
    value = saved;
  }
}

void MapLowering::moveTo(VectorOperand target, Shape targetShape,
                         const MapValue &value, BoxCondition box) {
  Domain size = getDomain(targetShape);
  size.liveRows = box.rows;
  size.liveColumns = box.columns;
  target.kind = Kind::Full;
  if (target.pitch == 0)
    target.pitch = size.columns;
  if (value.shape == Shape::Scalar)
    return v.duplicate(size, target, value.scalar);
  SmallVector<MapValue> made;
  VectorOperand source = getOperand(value, targetShape, made);
  v.move(size, target, source);
  for (const MapValue &temporary : made)
    release(temporary);
}

LogicalResult MapLowering::lowerStore(memref::StoreOp op) {
  if (finishedStores.contains(op))
    return success();
  FailureOr<MapValue> target = getAccess(op, op.getMemRef(), op.getIndices());
  FailureOr<MapValue> value = getValue(op, op.getValueToStore());
  if (failed(target) || failed(value))
    return failure();
  bool isMasked = branch.rows || branch.columns;
  if (target->shape == Shape::Scalar) {
    if (value->shape != Shape::Scalar || isMasked)
      return error(op) << "all points store to one element";
    ScalarStoreOp::create(e, value->scalar, target->operand.buffer,
                          target->operand.offset);
    return success();
  }
  if (join(target->shape, value->shape) != target->shape ||
      (isMasked && target->shape != Shape::Full))
    return error(op) << "several points store to one element";
  saveBefore(op, target->root);
  value = getValue(op, op.getValueToStore());
  moveTo(target->operand, target->shape, *value, branch);
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static std::optional<BinaryKind> getBinaryKind(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return BinaryKind::Add;
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return BinaryKind::Sub;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return BinaryKind::Mul;
  if (isa<arith::DivFOp>(op))
    return BinaryKind::Div;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    return BinaryKind::Max;
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op))
    return BinaryKind::Min;
  return std::nullopt;
}

static std::optional<ScalarKind> getScalarKind(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return ScalarKind::Adds;
  case BinaryKind::Mul:
    return ScalarKind::Muls;
  case BinaryKind::Max:
    return ScalarKind::Maxs;
  case BinaryKind::Min:
    return ScalarKind::Mins;
  default:
    return std::nullopt;
  }
}

static Value negate(Emitter &e, Value scalar) {
  if (isa<FloatType>(scalar.getType()))
    return e.createOrFold<arith::NegFOp>(scalar);
  return e.sub(e.constant(scalar.getType(), 0.0), scalar);
}

/// An error if the vector core has no arithmetic on the results of `op`.
LogicalResult MapLowering::checkArithmetic(Operation *op) {
  Type type = op->getResult(0).getType();
  if (type.isF16() || type.isF32() || type.isInteger(16) || type.isInteger(32))
    return success();
  return error(op) << "arithmetic on " << type
                   << ", supported is that on f16, f32, i16 and i32";
}

LogicalResult MapLowering::lowerBinary(Operation *op, BinaryKind kind) {
  if (failed(checkArithmetic(op)))
    return failure();
  FailureOr<MapValue> lhs = getValue(op, op->getOperand(0));
  FailureOr<MapValue> rhs = getValue(op, op->getOperand(1));
  if (failed(lhs) || failed(rhs))
    return failure();
  Shape shape = join(lhs->shape, rhs->shape);
  Domain size = getDomain(shape);
  MapValue target = getTarget(op, shape);
  SmallVector<MapValue> made;
  VectorOperand to = target.operand;
  to.kind = Kind::Full;
  if (to.pitch == 0)
    to.pitch = size.columns;
  bool leftScalar = lhs->shape == Shape::Scalar;
  Value scalar = leftScalar ? lhs->scalar : rhs->scalar;
  if (scalar && kind != BinaryKind::Div) {
    VectorOperand from = getOperand(leftScalar ? *rhs : *lhs, shape, made);
    if (kind == BinaryKind::Sub && leftScalar) {
      // s - x is s + (-x), exactly
      v.scalar(ScalarKind::Muls, size, to, from, e.constant(target.type, -1.0));
      v.scalar(ScalarKind::Adds, size, to, to, scalar);
    } else if (kind == BinaryKind::Sub) {
      v.scalar(ScalarKind::Adds, size, to, from, negate(e, scalar));
    } else {
      v.scalar(*getScalarKind(kind), size, to, from, scalar);
    }
  } else {
    VectorOperand a = getOperand(*lhs, shape, made);
    VectorOperand b = getOperand(*rhs, shape, made);
    v.binary(kind, size, to, a, b);
  }
  for (const MapValue &temporary : made)
    release(temporary);
  setValue(op, target);
  return success();
}

LogicalResult MapLowering::lowerUnary(Operation *op) {
  if (failed(checkArithmetic(op)))
    return failure();
  FailureOr<MapValue> source = getValue(op, op->getOperand(0));
  if (failed(source))
    return failure();
  Shape shape = source->shape;
  if (shape == Shape::Scalar)
    shape = domain.rows > 1 ? Shape::Row : Shape::Full;
  SmallVector<MapValue> made;
  MapValue target = getTarget(op, shape);
  VectorOperand from = getOperand(*source, shape, made), to = target.operand;
  Domain size = getDomain(shape);
  to.kind = Kind::Full;
  if (to.pitch == 0)
    to.pitch = size.columns;
  Type type = target.type;
  if (isa<math::ExpOp>(op)) {
    v.unary(UnaryKind::Exp, size, to, from);
  } else if (isa<math::Exp2Op>(op)) {
    v.scalar(ScalarKind::Muls, size, to, from, e.constant(type, std::log(2.0)));
    v.unary(UnaryKind::Exp, size, to, to);
  } else if (isa<math::LogOp>(op)) {
    v.unary(UnaryKind::Ln, size, to, from);
  } else if (isa<math::Log2Op>(op)) {
    v.unary(UnaryKind::Ln, size, to, from);
    v.scalar(ScalarKind::Muls, size, to, to,
             e.constant(type, 1 / std::log(2.0)));
  } else if (isa<math::SqrtOp>(op)) {
    v.unary(UnaryKind::Sqrt, size, to, from);
  } else if (isa<math::RsqrtOp>(op)) {
    // The machine's own reciprocal root is an approximation.
    v.unary(UnaryKind::Sqrt, size, to, from);
    MapValue one;
    one.type = type;
    one.scalar = e.constant(type, 1.0);
    VectorOperand ones = getOperand(one, shape, made);
    v.binary(BinaryKind::Div, size, to, ones, to);
  } else if (isa<math::AbsFOp>(op)) {
    v.unary(UnaryKind::Abs, size, to, from);
  } else { // arith.negf
    v.scalar(ScalarKind::Muls, size, to, from, e.constant(type, -1.0));
  }
  for (const MapValue &temporary : made)
    release(temporary);
  setValue(op, target);
  return success();
}

/// The rounding of a conversion that the machine has, or none.
static std::optional<RoundMode> getRound(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op) && (from.isF16() || from.isBF16()) && to.isF32())
    return RoundMode::None;
  if (isa<arith::TruncFOp>(op) && from.isF32() && (to.isF16() || to.isBF16()))
    return RoundMode::Rint;
  if (isa<arith::SIToFPOp>(op) && from.isInteger(32) && to.isF32())
    return RoundMode::None;
  if (isa<arith::FPToSIOp>(op) && from.isF32() && to.isInteger(32))
    return RoundMode::Trunc;
  return std::nullopt;
}

LogicalResult MapLowering::lowerConvert(Operation *op) {
  FailureOr<MapValue> source = getValue(op, op->getOperand(0));
  if (failed(source))
    return failure();
  std::optional<RoundMode> round = getRound(op);
  if (!round)
    return error(op) << "no conversion from " << op->getOperand(0).getType()
                     << " to " << op->getResult(0).getType();
  SmallVector<MapValue> made;
  MapValue target = getTarget(op, source->shape);
  VectorOperand from = getOperand(*source, source->shape, made),
                to = target.operand;
  Domain size = getDomain(source->shape);
  to.kind = Kind::Full;
  if (to.pitch == 0)
    to.pitch = size.columns;
  v.convert(*round, size, to, from);
  setValue(op, target);
  return success();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static Value intersect(Emitter &e, Value a, Value b) {
  return !a ? b : !b ? a : e.min(a, b);
}

FailureOr<BoxCondition> MapLowering::getBox(Value condition) {
  if (isInvariant(condition)) {
    BoxCondition box;
    box.rows = e.createOrFold<arith::SelectOp>(
        hoist(condition), e.index(domain.rows), e.index(int64_t(0)));
    return box;
  }
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    FailureOr<BoxCondition> a = getBox(both.getLhs()),
                            b = getBox(both.getRhs());
    if (failed(a) || failed(b) || a->negated || b->negated)
      return failure();
    return BoxCondition{intersect(e, a->rows, b->rows),
                        intersect(e, a->columns, b->columns), false};
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return failure();
  LinearIndex difference;
  difference.invariant = e.index(int64_t(0));
  difference.factors.assign(extents.size(), 0);
  if (!parseIndex(compare.getLhs(), difference, 1) ||
      !parseIndex(compare.getRhs(), difference, -1))
    return failure();
  // One dimension only, the last one or the only other one that is not 1.
  std::optional<unsigned> dim;
  for (auto [i, factor] : llvm::enumerate(difference.factors)) {
    if (factor == 0)
      continue;
    if (dim || std::abs(factor) != 1)
      return failure();
    dim = i;
  }
  bool isColumn = dim && *dim + 1 == extents.size();
  if (!dim || (!isColumn && extents[*dim] != domain.rows))
    return failure();
  using Predicate = arith::CmpIPredicate;
  bool negated = false, orEqual = false;
  switch (compare.getPredicate()) {
  case Predicate::slt:
    break;
  case Predicate::sle:
    orEqual = true;
    break;
  case Predicate::sgt:
    negated = orEqual = true;
    break;
  case Predicate::sge:
    negated = true;
    break;
  default:
    return failure();
  }
  // difference < 0 (or <= 0) for point + invariant, or invariant - point
  Value zero = e.index(int64_t(0)), one = e.index(int64_t(1));
  Value limit;
  if (difference.factors[*dim] > 0) {
    limit = e.sub(zero, difference.invariant);
    limit = orEqual ? e.add(limit, one) : limit;
  } else {
    limit = orEqual ? difference.invariant : e.add(difference.invariant, one);
    negated = !negated;
  }
  limit = e.max(limit, zero);
  BoxCondition box;
  (isColumn ? box.columns : box.rows) = limit;
  box.negated = negated;
  return box;
}

LogicalResult MapLowering::selectByData(Operation *op, arith::CmpFOp compare,
                                        Value yes, Value no) {
  using Predicate = arith::CmpFPredicate;
  std::optional<CompareKind> kind;
  switch (compare.getPredicate()) {
  case Predicate::OLT:
    kind = CompareKind::LT;
    break;
  case Predicate::OLE:
    kind = CompareKind::LE;
    break;
  case Predicate::OGT:
    kind = CompareKind::GT;
    break;
  case Predicate::OGE:
    kind = CompareKind::GE;
    break;
  case Predicate::OEQ:
    kind = CompareKind::EQ;
    break;
  case Predicate::UNE:
    kind = CompareKind::NE;
    break;
  default:
    return error(op) << "comparison '"
                     << stringifyCmpFPredicate(compare.getPredicate())
                     << "' of elements is not supported";
  }
  Type type = op->getResult(0).getType();
  int64_t bytes = domain.size() * getElementBytes(type);
  if (bytes % kRepeatBytes != 0 ||
      domain.columns % (kBlockBytes / getElementBytes(type)) != 0 ||
      compare.getLhs().getType() != type)
    return error(op) << "elements are chosen by comparison for multiples of "
                     << kRepeatBytes << " bytes of the compared type, not for "
                     << domain.size() << " elements of " << type;
  Value operands[] = {compare.getLhs(), compare.getRhs(), yes, no};
  SmallVector<VectorOperand> vectors;
  SmallVector<MapValue> made;
  for (Value operand : operands) {
    FailureOr<MapValue> value = getValue(op, operand);
    if (failed(value))
      return failure();
    if (value->shape != Shape::Full || value->operand.kind != Kind::Full ||
        (domain.rows > 1 && value->operand.pitch != domain.columns)) {
      MapValue full = makeTemporary(Shape::Full, type);
      moveTo(full.operand, Shape::Full, *value, {});
      made.push_back(full);
      value = full;
    }
    vectors.push_back(value->operand);
  }
  Value bits = l.getBuffer(
      "bits", getBufferType({int64_t(llvm::alignTo(domain.size() / 8, 32))},
                            e.getI8Type(), tile::MemorySpace::UB));
  MapValue target = makeTemporary(Shape::Full, type);
  constexpr int64_t most = 248;
  int64_t repeats = bytes / kRepeatBytes,
          perRepeat = kRepeatBytes / getElementBytes(type);
  for (int64_t done = 0; done < repeats; done += most) {
    Value now = e.index(std::min(repeats - done, most));
    auto at = [&](const VectorOperand &operand) {
      return e.add(operand.offset, e.index(done * perRepeat));
    };
    Value bit = e.index(done * perRepeat / 8);
    VCompareOp::create(e, *kind, bits, bit, vectors[0].buffer, at(vectors[0]),
                       vectors[1].buffer, at(vectors[1]), now);
    VSelectOp::create(e, target.operand.buffer, at(target.operand), bits, bit,
                      vectors[2].buffer, at(vectors[2]), vectors[3].buffer,
                      at(vectors[3]), now);
  }
  for (const MapValue &temporary : made)
    release(temporary);
  setValue(op, target);
  return success();
}

LogicalResult MapLowering::lowerSelect(Operation *op, Value condition,
                                       Value yes, Value no) {
  FailureOr<BoxCondition> box = getBox(condition);
  if (failed(box)) {
    if (auto compare = condition.getDefiningOp<arith::CmpFOp>())
      return selectByData(op, compare, yes, no);
    return error(op) << "supported conditions are comparisons of elements, and "
                        "of one point index with an invariant";
  }
  if (box->negated)
    std::swap(yes, no);
  FailureOr<MapValue> inside = getValue(op, yes), outside = getValue(op, no);
  if (failed(inside) || failed(outside))
    return failure();
  MapValue target = getTarget(op, Shape::Full);
  moveTo(target.operand, Shape::Full, *outside, {});
  moveTo(target.operand, Shape::Full, *inside,
         {box->rows, box->columns, false});
  setValue(op, target);
  return success();
}

LogicalResult MapLowering::lowerIf(scf::IfOp op) {
  BoxCondition outer = branch;
  if (op.getNumResults() == 0) {
    FailureOr<BoxCondition> box = getBox(op.getCondition());
    if (failed(box) || box->negated ||
        (op.elseBlock() && !op.elseBlock()->without_terminator().empty()))
      return error(op) << "supported is a branch without 'else' for the first "
                          "rows or columns";
    branch = {intersect(e, outer.rows, box->rows),
              intersect(e, outer.columns, box->columns), false};
  } else if (op.getNumResults() > 1) {
    return error(op) << "branches with " << op.getNumResults() << " results";
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block.without_terminator()) {
        if (op.getNumResults() != 0 && isa<memref::StoreOp>(inner))
          return error(&inner) << "stores in a branch that has results";
        if (failed(lowerOp(&inner)))
          return failure();
        countUses(&inner);
      }
  branch = outer;
  if (op.getNumResults() == 0)
    return success();
  scf::YieldOp yes = op.thenYield(), no = op.elseYield();
  LogicalResult result =
      lowerSelect(op, op.getCondition(), yes.getOperand(0), no.getOperand(0));
  countUses(yes);
  countUses(no);
  return result;
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

LogicalResult MapLowering::lowerOp(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return lowerStore(store);
  if (auto branchOp = dyn_cast<scf::IfOp>(op))
    return lowerIf(branchOp);
  // Indices and conditions are looked at where they are used.
  bool isIndexMath = llvm::all_of(op->getResultTypes(), [](Type type) {
    return type.isIndex() || type.isInteger(1);
  });
  if (isPure(op) && op->getNumRegions() == 0 &&
      (isIndexMath || isa<arith::IndexCastOp>(op) ||
       (op->getNumResults() == 1 && isInvariant(op->getResult(0)))))
    return success();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return lowerSelect(op, select.getCondition(), select.getTrueValue(),
                       select.getFalseValue());
  if (std::optional<BinaryKind> kind = getBinaryKind(op))
    return lowerBinary(op, *kind);
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp,
          math::RsqrtOp, math::AbsFOp, arith::NegFOp>(op))
    return lowerUnary(op);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp>(op))
    return lowerConvert(op);
  return error(op) << "supported are add, sub, mul, div, max, min, abs, neg, "
                      "exp, log, sqrt, rsqrt, conversions and choices";
}

LogicalResult MapLowering::run() {
  // Of one byte each, which is the most that any memory on the chip holds.
  constexpr int64_t most = 1 << 20;
  int64_t points = 1;
  for (int64_t extent : map.getStaticExtents())
    if (!ShapedType::isDynamic(extent) && extent > 0 &&
        (llvm::MulOverflow(points, extent, points) || points > most))
      return error(map) << "has more points than any memory on the chip has "
                           "elements";
  for (OpFoldResult extent : map.getMixedExtents()) {
    std::optional<int64_t> size = getConstantIntValue(extent);
    if (!size)
      return error(map) << "has an extent that is not constant";
    extents.push_back(*size);
    domain.rows *= *size;
  }
  if (domain.rows == 0)
    return success();
  domain.columns = extents.back();
  domain.rows /= domain.columns;
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (failed(lowerOp(&op)))
      return failure();
    countUses(&op);
  }
  return success();
}

LogicalResult ascend::lower(Lowering &l, tile::MapOp op) {
  // FIX clamps sums on their way out.
  bool isClamp = false;
  op.getBody().walk([&](memref::StoreOp store) {
    isClamp |= l.clampedSums.contains(store.getMemRef().getDefiningOp());
  });
  return isClamp ? success() : MapLowering(l, op).run();
}
