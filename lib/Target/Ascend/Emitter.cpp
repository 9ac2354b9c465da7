//===- Emitter.cpp - Index arithmetic and places of elements --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static int64_t clampBound(__int128 value) {
  return int64_t(
      std::clamp<__int128>(value, IndexRange::kMin, IndexRange::kMax));
}

static IndexRange combine(IndexRange a, IndexRange b,
                          function_ref<__int128(__int128, __int128)> op) {
  __int128 corners[] = {op(a.low, b.low), op(a.low, b.high), op(a.high, b.low),
                        op(a.high, b.high)};
  return {
      clampBound(*std::min_element(std::begin(corners), std::end(corners))),
      clampBound(*std::max_element(std::begin(corners), std::end(corners)))};
}

/// What a condition that holds says of a value.
static void refine(IndexRange &range, Value v, Value condition,
                   unsigned depth) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    refine(range, v, both.getLhs(), depth);
    refine(range, v, both.getRhs(), depth);
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getLhs() != v)
    return;
  IndexRange other = getRange(compare.getRhs(), nullptr, depth + 1);
  arith::CmpIPredicate predicate = compare.getPredicate();
  // Below a number that is not negative, without a sign: not negative itself.
  bool isUnsigned = predicate == arith::CmpIPredicate::ult && other.low >= 0;
  if (isUnsigned)
    range.low = std::max<int64_t>(range.low, 0);
  if (isUnsigned || predicate == arith::CmpIPredicate::slt)
    range.high = std::min(range.high, other.high - 1);
  if (predicate == arith::CmpIPredicate::sge)
    range.low = std::max(range.low, other.low);
}

static void refineByBranches(IndexRange &range, Value v, Operation *at,
                             unsigned depth) {
  for (Region *region = at->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto branch = dyn_cast<scf::IfOp>(region->getParentOp()))
      if (region == &branch.getThenRegion())
        refine(range, v, branch.getCondition(), depth);
}

static IndexRange getArgumentRange(BlockArgument argument, unsigned depth) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto launch = dyn_cast_or_null<tile::LaunchOp>(parent)) {
    IndexRange extent =
        getRange(launch.getMixedExtents()[argument.getArgNumber()], nullptr,
                 depth + 1);
    return {0, std::max<int64_t>(extent.high - 1, 0)};
  }
  auto loop = dyn_cast_or_null<scf::ForOp>(parent);
  if (!loop || argument != loop.getInductionVar())
    return {};
  IndexRange upper = getRange(loop.getUpperBound(), nullptr, depth + 1);
  return {getRange(loop.getLowerBound(), nullptr, depth + 1).low,
          std::max(upper.high - 1, IndexRange::kMin)};
}

/// By what computes the value.
static IndexRange getOwnRange(Value v, Operation *at, unsigned depth) {
  if (auto argument = dyn_cast<BlockArgument>(v))
    return getArgumentRange(argument, depth);
  Operation *op = v.getDefiningOp();
  auto operand = [&](unsigned i) {
    return getRange(op->getOperand(i), at, depth + 1);
  };
  if (isa<arith::AddIOp>(op))
    return combine(operand(0), operand(1),
                   [](__int128 a, __int128 b) { return a + b; });
  if (isa<arith::SubIOp>(op))
    return combine(operand(0), operand(1),
                   [](__int128 a, __int128 b) { return a - b; });
  if (isa<arith::MulIOp>(op))
    return combine(operand(0), operand(1),
                   [](__int128 a, __int128 b) { return a * b; });
  if (isa<arith::MinSIOp>(op))
    return combine(operand(0), operand(1),
                   [](__int128 a, __int128 b) { return std::min(a, b); });
  if (isa<arith::MaxSIOp>(op))
    return combine(operand(0), operand(1),
                   [](__int128 a, __int128 b) { return std::max(a, b); });
  if (isa<memref::DimOp, BlockIdxOp, SubBlockIdxOp>(op))
    return {0, IndexRange::kMax};
  if (isa<arith::RemUIOp, arith::RemSIOp, arith::DivUIOp, arith::DivSIOp,
          arith::FloorDivSIOp, arith::CeilDivUIOp, arith::CeilDivSIOp>(op)) {
    IndexRange a = operand(0), b = operand(1);
    if (a.low < 0 || b.low <= 0)
      return {};
    if (isa<arith::RemUIOp, arith::RemSIOp>(op))
      return {0, std::min(a.high, b.high - 1)};
    if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
      return {a.low / b.high, int64_t(llvm::divideCeil(a.high, b.low))};
    return {a.low / b.high, a.high / b.low};
  }
  if (isa<arith::SelectOp>(op)) {
    IndexRange a = operand(1), b = operand(2);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  if (isa<arith::IndexCastOp>(op))
    return operand(0);
  return {};
}

IndexRange ascend::getRange(OpFoldResult value, Operation *at, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {clampBound(*constant), clampBound(*constant)};
  auto v = dyn_cast<Value>(value);
  if (!v || depth > 12)
    return {};
  IndexRange range = getOwnRange(v, at, depth);
  if (at)
    refineByBranches(range, v, at, depth);
  return range;
}

int64_t ascend::getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Emitter
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value Emitter::index(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(*this, getLoc(), value);
}

Value Emitter::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}
Value Emitter::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}
Value Emitter::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(a, b);
}

Value Emitter::min(Value a, Value b) {
  IndexRange x = getRange(a), y = getRange(b);
  if (x.high <= y.low)
    return a;
  if (y.high <= x.low)
    return b;
  return createOrFold<arith::MinSIOp>(a, b);
}

Value Emitter::max(Value a, Value b) {
  IndexRange x = getRange(a), y = getRange(b);
  if (x.low >= y.high)
    return a;
  if (y.low >= x.high)
    return b;
  return createOrFold<arith::MaxSIOp>(a, b);
}

Value Emitter::ceilDiv(Value a, int64_t b) {
  if (std::optional<int64_t> constant = getConstantIntValue(a))
    return index(int64_t(llvm::divideCeil(*constant, b)));
  return createOrFold<arith::DivUIOp>(add(a, index(b - 1)), index(b));
}

Value Emitter::boolean(bool value) {
  return arith::ConstantIntOp::create(*this, value, 1);
}

Value Emitter::less(Value a, Value b) {
  IndexRange x = getRange(a), y = getRange(b);
  if (x.high < y.low)
    return boolean(true);
  if (x.low >= y.high)
    return boolean(false);
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b);
}

Value Emitter::both(Value a, Value b) {
  return createOrFold<arith::AndIOp>(a, b);
}
Value Emitter::either(Value a, Value b) {
  return createOrFold<arith::OrIOp>(a, b);
}

Value Emitter::constant(Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(*this, getFloatAttr(type, value));
  return arith::ConstantOp::create(*this, getIntegerAttr(type, int64_t(value)));
}

void Emitter::when(Value condition, function_ref<void()> body) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known)
      body();
    return;
  }
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
}

void Emitter::repeat(int64_t count, function_ref<void(Value)> body,
                     int64_t unroll) {
  if (count <= unroll) {
    for (int64_t i = 0; i < count; ++i)
      body(index(i));
    return;
  }
  auto loop = scf::ForOp::create(*this, index(int64_t(0)), index(count),
                                 index(int64_t(1)));
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The extents and strides of a memref of identity layout.
static void setIdentity(Emitter &e, Place &place, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  place.shape.clear();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    place.shape.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(e.createOrFold<memref::DimOp>(memref, dim))
            : OpFoldResult(e.getIndexAttr(type.getDimSize(dim))));
  place.strides.assign(type.getRank(), e.getIndexAttr(1));
  Value stride = e.index(int64_t(1));
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim) {
    stride = e.mul(stride, e.index(place.shape[dim + 1]));
    place.strides[dim] = getAsOpFoldResult(stride);
  }
}

static LogicalResult enterSubview(Emitter &e, Place &place,
                                  memref::SubViewOp view) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets(),
                            sizes = view.getMixedSizes(),
                            steps = view.getMixedStrides();
  Place inner;
  inner.buffer = place.buffer;
  inner.offset = place.offset;
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    inner.offset = e.add(inner.offset, e.mul(e.index(offsets[dim]),
                                             e.index(place.strides[dim])));
    if (dropped[dim])
      continue;
    inner.shape.push_back(sizes[dim]);
    inner.strides.push_back(getAsOpFoldResult(
        e.mul(e.index(steps[dim]), e.index(place.strides[dim]))));
  }
  place = inner;
  return success();
}

FailureOr<Place> ascend::getPlace(Emitter &e, Value memref, Operation *op) {
  auto type = cast<MemRefType>(memref.getType());
  if (memref.getDefiningOp<tile::AllocOp>() ||
      memref.getDefiningOp<tile::SlotOp>() || isa<BlockArgument>(memref)) {
    if (!type.getLayout().isIdentity())
      return op->emitOpError("cannot be lowered to Ascend: layout of ")
             << type << " is not the identity";
    Place place{memref, e.index(int64_t(0)), {}, {}};
    setIdentity(e, place, memref);
    return place;
  }
  auto view = memref.getDefiningOp<ViewLikeOpInterface>();
  if (!view)
    return op->emitOpError("cannot be lowered to Ascend: buffer of unknown "
                           "origin of type ")
           << type;
  FailureOr<Place> place = getPlace(e, view.getViewSource(), op);
  if (failed(place))
    return failure();
  if (auto subview = dyn_cast<memref::SubViewOp>(view.getOperation())) {
    if (failed(enterSubview(e, *place, subview)))
      return failure();
    return place;
  }
  if (isa<memref::CastOp>(view.getOperation()))
    return place;
  auto source = cast<MemRefType>(view.getViewSource().getType());
  if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(
          view.getOperation()) &&
      source.getLayout().isIdentity() && type.getLayout().isIdentity() &&
      type.hasStaticShape()) {
    setIdentity(e, *place, memref);
    return place;
  }
  return op->emitOpError("cannot be lowered to Ascend: view '")
         << view->getName() << "' of type " << type << " is not supported";
}
