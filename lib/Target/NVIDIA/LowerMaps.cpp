//===- LowerMaps.cpp - Element-wise regions -------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A thread runs the body of a map for the points it holds. `width` points that
// follow each other in the last dimension are run in lockstep, operation by
// operation, so that their accesses can be one vector; points may not depend on
// each other. Arithmetic on what was loaded as a vector stays one operation:
// that is less for all that follows, and LLVM takes it apart in the end.
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"
#include "LowerToNVVM.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

static constexpr int64_t kMaxBytes = 16;
static constexpr int64_t kMaxWidth = 8;

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

namespace {

/// Points that are run in lockstep. What a value is for them is a vector, or a
/// value for each, or both.
struct Lanes {
  explicit Lanes(int64_t width) : points(width) {}
  int64_t size() const { return points.size(); }

  SmallVector<IRMapping> points;
  DenseMap<Value, Value> vectors;
};

/// Lowers one map.
class MapLowering {
public:
  MapLowering(Lowering &l, Emitter &e, tile::MapOp op)
      : l(l), e(e), op(op), extents(op.getMixedExtents()),
        layout(l.plan.getIterationLayout(op)) {}
  void emit();
  MapDistribution getDistribution();

private:
  void emitPoints(ArrayRef<Value> at, int64_t width);
  void emitBlock(Block &block, Lanes &lanes);
  void emitOp(Operation *op, Lanes &lanes);
  void emitOnce(Operation *op, Lanes &lanes);
  void emitVector(Operation *op, Lanes &lanes);
  void cloneNested(Operation *op, IRMapping &point);
  bool goesOneWay(Value condition, Lanes &lanes);
  void emitBranch(scf::IfOp op, Lanes &lanes);
  void emitAlloc(tile::AllocOp op, Lanes &lanes);
  void emitLoad(memref::LoadOp op, Lanes &lanes);
  void emitStore(memref::StoreOp op, Lanes &lanes);
  Value getVector(Value value, Lanes &lanes);
  void extractOperands(Operation *op, Lanes &lanes);
  int64_t getRegister(const Buffer &buffer, ValueRange indices, int64_t point);
  SmallVector<int64_t> getRegisters(const Buffer &buffer, ValueRange indices,
                                    int64_t count);
  bool isVector(const Buffer &buffer, ValueRange indices, Lanes &lanes);
  int64_t chooseWidth();
  void whenOwner(llvm::function_ref<void()> body) {
    e.when(owner ? owner : e.boolean(true), body);
  }
  static SmallVector<Value> lookUp(const IRMapping &point, ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return point.lookupOrDefault(value); });
  }

  Lowering &l;
  Emitter &e;
  tile::MapOp op;
  SmallVector<OpFoldResult> extents;
  /// How fragments want the points distributed, or null.
  const ThreadLayout *layout;
  /// The first register of the points, if they have a layout.
  int64_t number = -1;
  /// Whether this thread is the one that writes memory; null for yes.
  Value owner;
  /// The buffers of points, for each that runs in lockstep: the points of a
  /// thread use them one after the other.
  DenseMap<Operation *, SmallVector<Value>> ofPoints;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values of points
//===----------------------------------------------------------------------===//

/// True if `value` is one value, the same for all points.
static bool isUniform(Value value, const Lanes &lanes) {
  if (lanes.vectors.contains(value))
    return false;
  Value first = lanes.points.front().lookupOrDefault(value);
  return llvm::all_of(lanes.points, [&](const IRMapping &point) {
    return point.lookupOrDefault(value) == first;
  });
}

/// `value` for all points, as a vector.
Value MapLowering::getVector(Value value, Lanes &lanes) {
  if (Value known = lanes.vectors.lookup(value))
    return known;
  auto type = VectorType::get({lanes.size()}, value.getType());
  Value result;
  if (TypedAttr constant; matchPattern(value, m_Constant(&constant)))
    result = arith::ConstantOp::create(
        e, DenseElementsAttr::get(type, cast<Attribute>(constant)));
  else if (isUniform(value, lanes))
    result = vector::BroadcastOp::create(
        e, type, lanes.points.front().lookupOrDefault(value));
  else
    result = vector::FromElementsOp::create(
        e, type, llvm::map_to_vector(lanes.points, [&](IRMapping &point) {
          return point.lookupOrDefault(value);
        }));
  lanes.vectors[value] = result;
  return result;
}

/// Gives each point its own value of what `op`, and what is in it, uses.
void MapLowering::extractOperands(Operation *op, Lanes &lanes) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Value vector = lanes.vectors.lookup(operand);
      if (!vector || lanes.points.front().contains(operand))
        continue;
      for (auto [i, point] : llvm::enumerate(lanes.points))
        point.map(operand,
                  vector::ExtractOp::create(e, vector, int64_t(i)).getResult());
    }
  });
}

/// The register of a fragment that holds what point `point` accesses.
int64_t MapLowering::getRegister(const Buffer &buffer, ValueRange indices,
                                 int64_t point) {
  if (buffer.layout->getNumRegisters() == 1)
    return 0;
  SmallVector<int64_t> offset = layout->getOffset(number + point), at;
  SmallVector<int64_t> dims = *getMapDims(op, indices);
  for (int64_t dim : dims)
    at.push_back(dim < 0 ? 0 : offset[dim]);
  return buffer.layout->getRegister(at);
}

SmallVector<int64_t> MapLowering::getRegisters(const Buffer &buffer,
                                               ValueRange indices,
                                               int64_t count) {
  return llvm::map_to_vector(llvm::seq(count), [&](int64_t point) {
    return getRegister(buffer, indices, point);
  });
}

/// True if the points access neighbours in memory, at an aligned start.
bool MapLowering::isVector(const Buffer &buffer, ValueRange indices,
                           Lanes &lanes) {
  int64_t width = lanes.size();
  if (width == 1 || buffer.type.getRank() == 0 ||
      width * Emitter::getElementBytes(buffer.element()) > kMaxBytes)
    return false;
  Value iv = op.getBody().front().getArguments().back();
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t wanted = dim + 1 == indices.size() ? 1 : 0;
    if (getCoefficient(index, iv) != wanted)
      return false;
  }
  SmallVector<OpFoldResult> at;
  for (Value index : lookUp(lanes.points.front(), indices))
    at.push_back(index);
  Value condition;
  Emitter scratch = e;
  return l.getWidth(scratch, buffer, at, width, /*wholeGroups=*/false,
                    condition) == width &&
         !condition;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void MapLowering::emitAlloc(tile::AllocOp op, Lanes &lanes) {
  SmallVector<Value> &buffers = ofPoints[op];
  Emitter entry = l.atEntry(op.getLoc());
  auto space =
      gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Private);
  auto type =
      MemRefType::get(op.getType().getShape(), op.getType().getElementType(),
                      MemRefLayoutAttrInterface(), space);
  while (buffers.size() < lanes.points.size())
    buffers.push_back(memref::AllocaOp::create(entry, type));
  for (auto [point, buffer] : llvm::zip(lanes.points, buffers))
    point.map(op.getResult(), buffer);
}

void MapLowering::emitLoad(memref::LoadOp op, Lanes &lanes) {
  extractOperands(op, lanes);
  if (isOfPoint(op.getMemRef())) {
    for (IRMapping &point : lanes.points)
      point.map(op.getResult(),
                memref::LoadOp::create(e, point.lookup(op.getMemRef()),
                                       lookUp(point, op.getIndices()))
                    .getResult());
    return;
  }
  Buffer buffer = l.resolve(e, op.getMemRef());
  auto loadEach = [&](llvm::function_ref<Value(IRMapping &, int64_t)> load,
                      bool isSame) {
    Value first;
    for (auto [i, point] : llvm::enumerate(lanes.points)) {
      if (!i || !isSame)
        first = load(point, i);
      point.map(op.getResult(), first);
    }
  };
  if (buffer.isFragment()) {
    SmallVector<int64_t> registers =
        getRegisters(buffer, op.getIndices(), lanes.size());
    bool isSame = llvm::all_equal(registers);
    if (buffer.hasVectors && !isSame)
      lanes.vectors[op.getResult()] = l.loadRegisters(e, buffer, registers);
    else
      loadEach(
          [&](IRMapping &, int64_t i) {
            return l.loadRegister(e, buffer, registers[i]);
          },
          isSame);
    return;
  }
  if (isVector(buffer, op.getIndices(), lanes)) {
    lanes.vectors[op.getResult()] = l.load(
        e, buffer, lookUp(lanes.points.front(), op.getIndices()), lanes.size());
    return;
  }
  loadEach(
      [&](IRMapping &point, int64_t) {
        return l.load(e, buffer, lookUp(point, op.getIndices()));
      },
      llvm::all_of(op.getIndices(),
                   [&](Value index) { return isUniform(index, lanes); }));
}

void MapLowering::emitStore(memref::StoreOp op, Lanes &lanes) {
  Value value = op.getValueToStore();
  if (isOfPoint(op.getMemRef())) {
    extractOperands(op, lanes);
    for (IRMapping &point : lanes.points)
      memref::StoreOp::create(e, point.lookupOrDefault(value),
                              point.lookup(op.getMemRef()),
                              lookUp(point, op.getIndices()));
    return;
  }
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (buffer.isFragment()) {
    SmallVector<int64_t> registers =
        getRegisters(buffer, op.getIndices(), lanes.size());
    if (buffer.hasVectors && lanes.size() > 1)
      return l.storeRegisters(e, getVector(value, lanes), buffer, registers);
    extractOperands(op, lanes);
    for (auto [point, number] : llvm::zip(lanes.points, registers))
      l.storeRegister(e, point.lookupOrDefault(value), buffer, number);
    return;
  }
  if (isVector(buffer, op.getIndices(), lanes)) {
    Value vector = getVector(value, lanes);
    return whenOwner([&] {
      l.store(e, vector, buffer, lookUp(lanes.points.front(), op.getIndices()),
              lanes.size());
    });
  }
  extractOperands(op, lanes);
  whenOwner([&] {
    for (IRMapping &point : lanes.points)
      l.store(e, point.lookupOrDefault(value), buffer,
              lookUp(point, op.getIndices()));
  });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// An operation with regions: its operations are lowered inside of the clone.
void MapLowering::cloneNested(Operation *op, IRMapping &point) {
  Operation *clone = op->cloneWithoutRegions(point);
  e.insert(clone);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), clone->getRegions()))
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(e);
      Block *copy = e.createBlock(&to);
      point.map(&block, copy);
      for (BlockArgument argument : block.getArguments())
        point.map(argument,
                  copy->addArgument(argument.getType(), argument.getLoc()));
      e.setInsertionPointToEnd(copy);
      Lanes alone(1);
      alone.points.front() = std::move(point);
      emitBlock(block, alone);
      point = std::move(alone.points.front());
    }
}

/// True for pure arithmetic that does not depend on `iv`.
static bool isIndependent(Value value, Value iv, unsigned depth = 12) {
  if (value == iv || depth == 0)
    return false;
  if (!iv.getParentRegion()->isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentRegion() == iv.getParentRegion();
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isIndependent(operand, iv, depth - 1);
         });
}

/// True if a condition is the same for all points that run in lockstep: it does
/// not depend on which one it is, or compares with a bound that lies between
/// groups of points.
bool MapLowering::goesOneWay(Value condition, Lanes &lanes) {
  Value iv = op.getBody().front().getArguments().back();
  if (isIndependent(condition, iv))
    return true;
  Operation *definition = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(definition))
    return goesOneWay(definition->getOperand(0), lanes) &&
           goesOneWay(definition->getOperand(1), lanes);
  auto compare = dyn_cast_or_null<arith::CmpIOp>(definition);
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  using Predicate = arith::CmpIPredicate;
  Value index = compare.getLhs(), bound = compare.getRhs();
  switch (compare.getPredicate()) {
  case Predicate::slt:
  case Predicate::ult:
  case Predicate::sge:
  case Predicate::uge:
    break;
  case Predicate::sgt:
  case Predicate::ugt:
  case Predicate::sle:
  case Predicate::ule:
    std::swap(index, bound);
    break;
  default:
    return false;
  }
  int64_t width = lanes.size();
  return getCoefficient(index, iv) == 1 && isIndependent(bound, iv) &&
         getDivisor(lanes.points.front().lookupOrDefault(index)) % width == 0 &&
         getDivisor(lanes.points.front().lookupOrDefault(bound)) % width == 0;
}

/// A branch that all points take or none: they go on in lockstep.
void MapLowering::emitBranch(scf::IfOp op, Lanes &lanes) {
  // Results are vectors, or one after the other a value for each point.
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    if (isVectorElement(type))
      types.push_back(VectorType::get({lanes.size()}, type));
    else
      types.append(lanes.size(), type);
  auto branch = scf::IfOp::create(
      e, types, lanes.points.front().lookupOrDefault(op.getCondition()),
      /*withElseRegion=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(e);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    if (!to.front().empty())
      to.front().back().erase();
    e.setInsertionPointToEnd(&to.front());
    // What is made in here is not known outside.
    Lanes inner = lanes;
    for (Operation &op : from.front().without_terminator()) {
      e.setLoc(op.getLoc());
      emitOp(&op, inner);
    }
    SmallVector<Value> results;
    Operation *yield = from.front().getTerminator();
    for (Value value : yield->getOperands()) {
      if (isVectorElement(value.getType())) {
        results.push_back(getVector(value, inner));
        continue;
      }
      extractOperands(yield, inner);
      for (IRMapping &point : inner.points)
        results.push_back(point.lookupOrDefault(value));
    }
    scf::YieldOp::create(e, results);
  }
  unsigned next = 0;
  for (Value result : op.getResults())
    if (isVectorElement(result.getType()))
      lanes.vectors[result] = branch.getResult(next++);
    else
      for (IRMapping &point : lanes.points)
        point.map(result, branch.getResult(next++));
}

/// True if `op` gives the same for all points, and may be run just once.
static bool isUniform(Operation *op, const Lanes &lanes) {
  return lanes.size() > 1 && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value value) { return isUniform(value, lanes); });
}

void MapLowering::emitOnce(Operation *op, Lanes &lanes) {
  Operation *clone = e.clone(*op, lanes.points.front());
  for (IRMapping &point : MutableArrayRef<IRMapping>(lanes.points).drop_front())
    point.map(op->getResults(), clone->getResults());
}

/// True if one operation on vectors does what `op` does for each point, with
/// the same instructions in the end.
static bool isVectorizable(Operation *op, const Lanes &lanes) {
  if (lanes.size() == 1 || op->getNumRegions() != 0 ||
      op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op) ||
      llvm::none_of(op->getOperands(),
                    [&](Value value) { return lanes.vectors.contains(value); }))
    return false;
  if (isa<math::MathDialect>(op->getDialect()) && !isVectorMath(op))
    return false;
  // Arithmetic on halves depends on what the chip has.
  bool converts = isa<arith::ExtFOp, arith::TruncFOp>(op);
  auto suits = [&](Type type) {
    return isVectorElement(type) &&
           (converts || type.getIntOrFloatBitWidth() >= 32);
  };
  return llvm::all_of(op->getOperandTypes(), suits) &&
         suits(op->getResult(0).getType());
}

void MapLowering::emitVector(Operation *op, Lanes &lanes) {
  OperationState state(e.getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(getVector(operand, lanes));
  state.addTypes(VectorType::get({lanes.size()}, op->getResult(0).getType()));
  state.attributes = op->getDiscardableAttrDictionary();
  state.propertiesAttr = op->getPropertiesAsAttribute();
  lanes.vectors[op->getResult(0)] = e.create(state)->getResult(0);
}

void MapLowering::emitOp(Operation *op, Lanes &lanes) {
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && lanes.size() > 1 && goesOneWay(branch.getCondition(), lanes))
    return emitBranch(branch, lanes);
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return emitAlloc(alloc, lanes);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return emitLoad(load, lanes);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return emitStore(store, lanes);
  if (isUniform(op, lanes))
    return emitOnce(op, lanes);
  if (isVectorizable(op, lanes))
    return emitVector(op, lanes);
  extractOperands(op, lanes);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return whenOwner([&] {
      for (IRMapping &point : lanes.points)
        emitAtomic(l, e, atomic, point.lookupOrDefault(atomic.getValue()),
                   lookUp(point, atomic.getIndices()));
    });
  for (auto [i, point] : llvm::enumerate(lanes.points)) {
    if (op->getNumRegions() == 0) {
      e.clone(*op, point);
      continue;
    }
    // Within it this is the only point.
    int64_t first = number;
    if (number >= 0)
      number += i;
    cloneNested(op, point);
    number = first;
  }
}

void MapLowering::emitBlock(Block &block, Lanes &lanes) {
  Location loc = e.getLoc();
  for (Operation &inner : block) {
    if (isa<tile::YieldOp>(inner))
      continue;
    e.setLoc(inner.getLoc());
    emitOp(&inner, lanes);
  }
  e.setLoc(loc);
}

/// Runs the body for `width` points from `at` on, those that are inside.
void MapLowering::emitPoints(ArrayRef<Value> at, int64_t width) {
  Value inside = e.boolean(true);
  for (auto [i, extent] : llvm::zip_equal(at, extents))
    inside = e.both(inside, e.isInside(i, e.index(extent)));
  e.when(inside, [&] {
    Lanes lanes(width);
    for (auto [i, point] : llvm::enumerate(lanes.points)) {
      point.map(op.getBody().front().getArguments(), at);
      if (i)
        point.map(op.getBody().front().getArguments().back(),
                  e.add(at.back(), e.index(int64_t(i))));
    }
    emitBlock(op.getBody().front(), lanes);
  });
}

/// The widest vector that an access may be; 1 if none is one.
int64_t MapLowering::chooseWidth() {
  std::optional<int64_t> extent = getConstantIntValue(extents.back());
  if (!extent)
    return 1;
  int64_t bytes = kMaxBytes;
  bool accesses = false;
  op.walk([&](Operation *inner) {
    Value memref;
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      memref = load.getMemRef();
    else if (auto store = dyn_cast<memref::StoreOp>(inner))
      memref = store.getMemRef();
    if (!memref || isOfPoint(memref) ||
        (getFragment(memref) && !l.resolve(e, memref).hasVectors))
      return;
    accesses = true;
    bytes = std::min(
        bytes,
        kMaxBytes / Emitter::getElementBytes(
                        cast<MemRefType>(memref.getType()).getElementType()));
  });
  if (!accesses)
    return 1;
  int64_t width =
      std::min({kMaxWidth, std::max<int64_t>(bytes, 1), getDivisor(*extent)});
  return layout ? std::min(width, layout->getContiguity()) : width;
}

MapDistribution MapLowering::getDistribution() {
  MapDistribution result;
  if (layout) {
    result.layout = *layout;
    result.width = chooseWidth();
    // Threads that hold the same elements all need what goes to fragments.
    result.ownerOnly = !storesFragment(op);
    return result;
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult extent : extents)
    shape.push_back(getConstantIntValue(extent).value_or(ShapedType::kDynamic));
  if (ShapedType::isDynamicShape(shape))
    return result;
  result.width = chooseWidth();
  // No wider than leaves work for every thread.
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  while (result.width > 1 && total / result.width < l.numThreads)
    result.width /= 2;
  shape.back() /= result.width;
  result.layout =
      ThreadLayout::getBlocked(shape, l.numThreads, 1).widen(result.width);
  return result;
}

void MapLowering::emit() {
  MapDistribution distribution = getDistribution();
  int64_t width = distribution.width;
  if (layout) {
    owner = l.getOwner(*layout);
    Value runs = owner && distribution.ownerOnly ? owner : e.boolean(true);
    return e.when(runs, [&] {
      if (!e.isTrue(runs))
        owner = nullptr;
      l.distribute(e, *layout, width, /*maxUnrolled=*/0,
                   [&](int64_t first, ArrayRef<Value> at) {
                     number = first;
                     emitPoints(at, width);
                   });
    });
  }
  if (!distribution.layout)
    return l.distributeDynamic(e, extents,
                               [&](ArrayRef<Value> at) { emitPoints(at, 1); });
  Value writes = l.getOwner(*distribution.layout);
  e.when(writes ? writes : e.boolean(true), [&] {
    l.distribute(e, *distribution.layout, width, kMaxUnrolled,
                 [&](int64_t, ArrayRef<Value> at) { emitPoints(at, width); });
  });
}

MapDistribution nvidia::getMapDistribution(Lowering &l, tile::MapOp op) {
  Emitter e = l.at(op);
  return MapLowering(l, e, op).getDistribution();
}

LogicalResult nvidia::lower(Lowering &l, tile::MapOp op) {
  Emitter e = l.at(op);
  MapLowering(l, e, op).emit();
  op.erase();
  return success();
}
