//===- LowerMap.cpp - Maps as vector instructions -------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation of the body becomes instructions over all points. A value has
// the shape of what it depends on: a scalar, one element for each row, one for
// each column, or one for each point. Results go to tiles of the map, or right
// to where they are stored.
//
//===----------------------------------------------------------------------===//

#include "MapLowering.h"

#include "tilepipe/Analysis/Regions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

using Kind = VectorOperand::Kind;

InFlightDiagnostic MapLowering::error(Operation *op) {
  return op->emitOpError("cannot be vectorised for Ascend: ");
}

//===----------------------------------------------------------------------===//
// Values from outside, and index arithmetic
//===----------------------------------------------------------------------===//

bool MapLowering::isInvariant(Value value) {
  if (!map.getBody().isAncestor(value.getParentRegion()))
    return true;
  if (auto it = values.find(value); it != values.end())
    return it->second.shape == Shape::Scalar;
  // The scalar stream has no exponentials and the like.
  Operation *op = value.getDefiningOp();
  return op && isPure(op) && op->getNumRegions() == 0 &&
         !isa<math::MathDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isInvariant(operand); });
}

Value MapLowering::hoist(Value value) {
  if (!map.getBody().isAncestor(value.getParentRegion()))
    return value;
  if (auto it = values.find(value); it != values.end())
    return it->second.scalar;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, hoist(operand));
  Operation *clone = e.clone(*op, operands);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), clone->getResults()))
    hoisted.map(from, to);
  return hoisted.lookup(value);
}

bool MapLowering::parseIndex(Value value, LinearIndex &result, int64_t sign) {
  if (isInvariant(value)) {
    Value moved = hoist(value);
    if (!moved.getType().isIndex())
      return false;
    result.invariant = sign > 0 ? e.add(result.invariant, moved)
                                : e.sub(result.invariant, moved);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result.factors[argument.getArgNumber()] += sign;
    return true;
  }
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return parseIndex(cast.getIn(), result, sign);
  if (auto add = value.getDefiningOp<arith::AddIOp>())
    return parseIndex(add.getLhs(), result, sign) &&
           parseIndex(add.getRhs(), result, sign);
  if (auto sub = value.getDefiningOp<arith::SubIOp>())
    return parseIndex(sub.getLhs(), result, sign) &&
           parseIndex(sub.getRhs(), result, -sign);
  return false;
}

FailureOr<LinearIndex> MapLowering::getLinear(Value value) {
  LinearIndex result;
  result.invariant = e.index(int64_t(0));
  result.factors.assign(map.getBody().getNumArguments(), 0);
  if (!parseIndex(value, result, 1))
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

FailureOr<MapValue> MapLowering::getAccess(Operation *op, Value memref,
                                           ValueRange indices) {
  FailureOr<Place> place = getPlace(e, memref, op);
  if (failed(place))
    return failure();
  if (getSpace(place->buffer) != tile::MemorySpace::UB)
    return error(op) << "reaches '"
                     << stringifyMemorySpace(getSpace(place->buffer))
                     << "', vector instructions only reach 'ub'";
  unsigned numDims = map.getBody().getNumArguments();
  Value offset = place->offset;
  SmallVector<int64_t> steps(numDims, 0);
  for (auto [index, stride] : llvm::zip_equal(indices, place->strides)) {
    FailureOr<LinearIndex> linear = getLinear(index);
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (failed(linear) || !step)
      return error(op) << "supported are indices of the form invariant + point";
    offset = e.add(offset, e.mul(linear->invariant, e.index(*step)));
    for (unsigned dim = 0; dim < numDims; ++dim)
      steps[dim] += linear->factors[dim] * *step;
  }
  return classify(op, *place, offset, steps);
}

/// Leading dimensions are rows as long as they follow each other.
FailureOr<MapValue> MapLowering::classify(Operation *op, const Place &place,
                                          Value offset,
                                          ArrayRef<int64_t> steps) {
  MapValue value;
  value.root = getRootBuffer(place.buffer);
  value.type = place.getElementType();
  value.operand = {place.buffer, offset, Kind::Full, 0};
  int64_t column = steps.back(), row = 0, seen = 1;
  for (unsigned dim = steps.size() - 1; dim-- > 0;) {
    if (extents[dim] == 1)
      continue;
    if (seen == 1)
      row = steps[dim];
    else if (steps[dim] != row * seen)
      return error(op) << "leading dimensions do not follow each other";
    seen *= extents[dim];
  }
  if (domain.columns == 1)
    column = row != 0 ? 0 : column;
  if (domain.rows == 1)
    row = 0;
  if (column != 0 && column != 1)
    return error(op) << "points of a row are " << column
                     << " elements apart, not neighbours";
  int64_t c0 = value.operand.getC0();
  if (column == 0 && row == 0) {
    value.shape = domain.size() == 1 ? Shape::Full : Shape::Scalar;
    if (domain.size() == 1)
      value.operand.pitch = 1;
    if (value.shape == Shape::Scalar || isMultipleOf(offset, c0))
      return value;
  }
  if (!isMultipleOf(offset, c0))
    return error(op) << "starts at an element that may not be a multiple of "
                     << kBlockBytes << " bytes";
  if (column == 0) {
    if (row != 1)
      return error(op) << "rows of one element are " << row
                       << " elements apart, not neighbours";
    value.shape = domain.columns == 1 ? Shape::Full : Shape::Column;
    value.operand.pitch = 1;
    return value;
  }
  if (domain.rows > 1 && row == 0) {
    value.shape = Shape::Row;
    value.operand.kind = Kind::Row;
    return value;
  }
  if (row % c0 != 0)
    return error(op) << "rows are " << row << " elements of " << value.type
                     << " apart, supported are multiples of " << kBlockBytes
                     << " bytes";
  value.shape = Shape::Full;
  value.operand.pitch = domain.rows == 1 ? domain.columns : row;
  return value;
}

//===----------------------------------------------------------------------===//
// Tiles of the map
//===----------------------------------------------------------------------===//

Domain MapLowering::getDomain(Shape shape) const {
  switch (shape) {
  case Shape::Scalar:
    return {1, 1, {}, {}};
  case Shape::Column:
    return {1, domain.rows, {}, {}};
  case Shape::Row:
    return {1, domain.columns, {}, {}};
  case Shape::Full:
    break;
  }
  return {domain.rows, domain.columns, {}, {}};
}

MapValue MapLowering::makeTemporary(Shape shape, Type type) {
  Domain size = getDomain(shape);
  int64_t c0 = kBlockBytes / getElementBytes(type);
  // Whole repeats, as comparisons handle nothing less.
  int64_t pitch = llvm::alignTo(size.columns, c0);
  MapValue value;
  value.shape = shape;
  value.type = type;
  value.temporary = true;
  std::string key;
  auto bufferType =
      getBufferType({size.rows, pitch}, type, tile::MemorySpace::UB);
  llvm::raw_string_ostream(key) << bufferType;
  SmallVector<Value> &pool = freeTemporaries[key];
  if (pool.empty())
    value.operand.buffer =
        l.getBuffer("temporary" + std::to_string(numTemporaries++), bufferType);
  else
    value.operand.buffer = pool.pop_back_val();
  value.operand.offset = e.index(int64_t(0));
  value.operand.kind = shape == Shape::Row ? Kind::Row : Kind::Full;
  value.operand.pitch = size.rows == 1 ? size.columns : pitch;
  value.root = value.operand.buffer;
  return value;
}

void MapLowering::release(const MapValue &value) {
  if (!value.temporary)
    return;
  std::string key;
  llvm::raw_string_ostream(key) << value.operand.buffer.getType();
  freeTemporaries[key].push_back(value.operand.buffer);
}

MapValue MapLowering::getTarget(Operation *op, Shape shape) {
  Value result = op->getResult(0);
  Type type = result.getType();
  auto store = result.hasOneUse()
                   ? dyn_cast<memref::StoreOp>(*result.user_begin())
                   : memref::StoreOp();
  if (!store || shape != Shape::Full || store->getBlock() != op->getBlock() ||
      store.getValueToStore() != result)
    return makeTemporary(shape, type);
  Value root = getRootBuffer(store.getMemRef());
  // What was read from there and is used later would be lost.
  for (auto &[loaded, value] : values) {
    if (value.root != root || value.shape == Shape::Scalar)
      continue;
    for (Operation *user : loaded.getUsers()) {
      Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
      bool isLater = !top || op->isBeforeInBlock(top);
      // These write their target before they have read everything.
      bool isHere = top == op && isa<scf::IfOp, arith::SelectOp>(op);
      if (isLater || isHere)
        return makeTemporary(shape, type);
    }
  }
  // Nor may anything between read what is there now.
  for (Operation *next = op->getNextNode(); next && next != store;
       next = next->getNextNode()) {
    WalkResult reads = next->walk([&](memref::LoadOp load) {
      return getRootBuffer(load.getMemRef()) == root ? WalkResult::interrupt()
                                                     : WalkResult::advance();
    });
    if (reads.wasInterrupted())
      return makeTemporary(shape, type);
  }
  FailureOr<MapValue> target =
      getAccess(store, store.getMemRef(), store.getIndices());
  if (failed(target) || target->shape != Shape::Full)
    return makeTemporary(shape, type);
  finishedStores.insert(store);
  return *target;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Shape MapLowering::join(Shape a, Shape b) {
  if (a == b || b == Shape::Scalar)
    return a;
  return a == Shape::Scalar ? b : Shape::Full;
}

/// A vector of `shape`, or one that instructions spread to it.
MapValue MapLowering::materialize(const MapValue &value, Shape shape) {
  if (value.shape != Shape::Scalar)
    return value;
  MapValue vector = makeTemporary(shape, value.type);
  VectorOperand operand = vector.operand;
  operand.kind = Kind::Full;
  v.duplicate(getDomain(shape), operand, value.scalar);
  return vector;
}

/// The elements of a column, a block of 32 bytes each.
MapValue MapLowering::spreadColumn(const MapValue &column) {
  int64_t c0 = column.operand.getC0(), rows = llvm::alignTo(domain.rows, 8);
  VectorOperand source = column.operand;
  MapValue padded;
  if (rows != domain.rows) {
    // The instruction reads eight values; what lies behind the tile is not
    // ours.
    padded.temporary = true;
    padded.operand.buffer = l.getBuffer(
        "column", getBufferType({rows}, column.type, tile::MemorySpace::UB));
    padded.operand.offset = e.index(int64_t(0));
    padded.operand.pitch = rows;
    v.duplicate({1, rows, {}, {}}, padded.operand,
                e.constant(column.type, 0.0));
    v.move({1, domain.rows, {}, {}}, padded.operand, source);
    source = padded.operand;
  }
  MapValue result;
  result.shape = Shape::Full;
  result.type = column.type;
  result.temporary = true;
  auto type = getBufferType({rows, c0}, column.type, tile::MemorySpace::UB);
  std::string key;
  llvm::raw_string_ostream(key) << type;
  SmallVector<Value> &pool = freeTemporaries[key];
  result.operand.buffer =
      pool.empty()
          ? l.getBuffer("blocks" + std::to_string(numTemporaries++), type)
          : pool.pop_back_val();
  result.operand.offset = e.index(int64_t(0));
  result.operand.kind = Kind::Blocks;
  constexpr int64_t most = 255;
  for (int64_t done = 0; done < rows / 8; done += most)
    VBroadcastOp::create(e, result.operand.buffer, e.index(done * 8 * c0),
                         source.buffer, e.add(source.offset, e.index(done * 8)),
                         e.index(std::min(rows / 8 - done, most)));
  return result;
}

/// The operand of an instruction with results of `shape`; new tiles are added
/// to `made`.
VectorOperand MapLowering::getOperand(const MapValue &value, Shape shape,
                                      SmallVectorImpl<MapValue> &made) {
  MapValue result = value;
  if (value.shape == Shape::Scalar) {
    result = materialize(value, shape == Shape::Full ? Shape::Row : shape);
    made.push_back(result);
  }
  if (shape != Shape::Full || domain.rows == 1) {
    result.operand.kind = Kind::Full;
    if (result.operand.pitch == 0)
      result.operand.pitch = domain.columns;
    if (result.shape == Shape::Column && shape == Shape::Full) {
      result = spreadColumn(result);
      made.push_back(result);
    }
    return result.operand;
  }
  if (result.shape == Shape::Column) {
    result = spreadColumn(result);
    made.push_back(result);
  }
  return result.operand;
}
