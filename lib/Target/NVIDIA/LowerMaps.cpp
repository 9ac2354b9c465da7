//===- LowerMaps.cpp - Element-wise regions and single elements -----------===//
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
// each other.
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

static constexpr int64_t kMaxBytes = 16;
static constexpr int64_t kMaxWidth = 8;

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static arith::AtomicRMWKind getAtomicKind(tile::AtomicKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case tile::AtomicKind::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case tile::AtomicKind::Max:
    return isFloat ? arith::AtomicRMWKind::maxnumf : arith::AtomicRMWKind::maxs;
  case tile::AtomicKind::Min:
    return isFloat ? arith::AtomicRMWKind::minnumf : arith::AtomicRMWKind::mins;
  case tile::AtomicKind::And:
    return arith::AtomicRMWKind::andi;
  case tile::AtomicKind::Or:
    return arith::AtomicRMWKind::ori;
  case tile::AtomicKind::Xor:
    return arith::AtomicRMWKind::xori;
  case tile::AtomicKind::Exchange:
    return arith::AtomicRMWKind::assign;
  }
  llvm_unreachable("unknown kind");
}

static void emitAtomic(Lowering &l, Emitter &e, tile::AtomicOp op, Value value,
                       ValueRange indices) {
  Buffer buffer = l.resolve(e, op.getTarget());
  SmallVector<Value> at(indices);
  if (buffer.isShared())
    at = {l.linearize(e, buffer, indices)};
  memref::AtomicRMWOp::create(e, value.getType(),
                              getAtomicKind(op.getKind(), value.getType()),
                              value, buffer.memref, at);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

namespace {

class MapLowering {
public:
  MapLowering(Lowering &l, Emitter &e, tile::MapOp op)
      : l(l), e(e), op(op), extents(op.getMixedExtents()),
        layout(l.plan.getIterationLayout(op)) {}
  void emit();
  MapDistribution getDistribution();

private:
  using Points = MutableArrayRef<IRMapping>;

  void emitPoints(ArrayRef<Value> at, int64_t width);
  void emitBlock(Block &block, Points points);
  void emitOp(Operation *op, Points points);
  void cloneNested(Operation *op, IRMapping &point);
  bool isUniform(Value value, Points points);
  void emitUniform(scf::IfOp op, Points points);
  void emitAlloc(tile::AllocOp op, Points points);
  void emitLoad(memref::LoadOp op, Points points);
  void emitStore(memref::StoreOp op, Points points);
  int64_t getRegister(const Buffer &buffer, ValueRange indices, int64_t point);
  bool isVector(const Buffer &buffer, ValueRange indices, Points points);
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

/// True if the points access neighbours in memory, at an aligned start.
bool MapLowering::isVector(const Buffer &buffer, ValueRange indices,
                           Points points) {
  int64_t width = points.size();
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
  for (Value index : lookUp(points.front(), indices))
    at.push_back(index);
  Value condition;
  Emitter scratch = e;
  return l.getWidth(scratch, buffer, at, width, /*wholeGroups=*/false,
                    condition) == width &&
         !condition;
}

void MapLowering::emitAlloc(tile::AllocOp op, Points points) {
  SmallVector<Value> &buffers = ofPoints[op];
  Emitter entry = l.atEntry(op.getLoc());
  auto space =
      gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Private);
  auto type =
      MemRefType::get(op.getType().getShape(), op.getType().getElementType(),
                      MemRefLayoutAttrInterface(), space);
  while (buffers.size() < points.size())
    buffers.push_back(memref::AllocaOp::create(entry, type));
  for (auto [point, buffer] : llvm::zip(points, buffers))
    point.map(op.getResult(), buffer);
}

void MapLowering::emitLoad(memref::LoadOp op, Points points) {
  if (isOfPoint(op.getMemRef())) {
    for (IRMapping &point : points)
      point.map(op.getResult(),
                memref::LoadOp::create(e, point.lookup(op.getMemRef()),
                                       lookUp(point, op.getIndices()))
                    .getResult());
    return;
  }
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (!buffer.isFragment() && isVector(buffer, op.getIndices(), points)) {
    Value loaded = l.load(e, buffer, lookUp(points.front(), op.getIndices()),
                          points.size());
    for (auto [i, point] : llvm::enumerate(points))
      point.map(op.getResult(),
                vector::ExtractOp::create(e, loaded, static_cast<int64_t>(i))
                    .getResult());
    return;
  }
  for (auto [i, point] : llvm::enumerate(points))
    point.map(
        op.getResult(),
        buffer.isFragment()
            ? l.loadRegister(e, buffer, getRegister(buffer, op.getIndices(), i))
            : l.load(e, buffer, lookUp(point, op.getIndices())));
}

void MapLowering::emitStore(memref::StoreOp op, Points points) {
  if (isOfPoint(op.getMemRef())) {
    for (IRMapping &point : points)
      memref::StoreOp::create(e, point.lookupOrDefault(op.getValueToStore()),
                              point.lookup(op.getMemRef()),
                              lookUp(point, op.getIndices()));
    return;
  }
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (buffer.isFragment()) {
    for (auto [i, point] : llvm::enumerate(points))
      l.storeRegister(e, point.lookupOrDefault(op.getValueToStore()), buffer,
                      getRegister(buffer, op.getIndices(), i));
    return;
  }
  if (isVector(buffer, op.getIndices(), points)) {
    SmallVector<Value> values;
    for (IRMapping &point : points)
      values.push_back(point.lookupOrDefault(op.getValueToStore()));
    auto type = VectorType::get({static_cast<int64_t>(points.size())},
                                buffer.element());
    return whenOwner([&] {
      l.store(e, vector::FromElementsOp::create(e, type, values), buffer,
              lookUp(points.front(), op.getIndices()), points.size());
    });
  }
  whenOwner([&] {
    for (IRMapping &point : points)
      l.store(e, point.lookupOrDefault(op.getValueToStore()), buffer,
              lookUp(point, op.getIndices()));
  });
}

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
      emitBlock(block, MutableArrayRef<IRMapping>(point));
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
bool MapLowering::isUniform(Value condition, Points points) {
  Value iv = op.getBody().front().getArguments().back();
  if (isIndependent(condition, iv))
    return true;
  Operation *definition = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(definition))
    return isUniform(definition->getOperand(0), points) &&
           isUniform(definition->getOperand(1), points);
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
  int64_t width = points.size();
  return getCoefficient(index, iv) == 1 && isIndependent(bound, iv) &&
         getDivisor(points.front().lookupOrDefault(index)) % width == 0 &&
         getDivisor(points.front().lookupOrDefault(bound)) % width == 0;
}

/// A branch that all points take or none: they go on in lockstep.
void MapLowering::emitUniform(scf::IfOp op, Points points) {
  SmallVector<Type> types;
  for (size_t i = 0; i < points.size(); ++i)
    llvm::append_range(types, op.getResultTypes());
  auto branch = scf::IfOp::create(
      e, types, points.front().lookupOrDefault(op.getCondition()),
      /*withElseRegion=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(e);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    if (!to.front().empty())
      to.front().back().erase();
    e.setInsertionPointToEnd(&to.front());
    for (Operation &inner : from.front().without_terminator()) {
      e.setLoc(inner.getLoc());
      emitOp(&inner, points);
    }
    SmallVector<Value> results;
    for (IRMapping &point : points)
      llvm::append_range(results,
                         lookUp(point, from.front().back().getOperands()));
    scf::YieldOp::create(e, results);
  }
  unsigned next = 0;
  for (IRMapping &point : points)
    for (Value result : op.getResults())
      point.map(result, branch.getResult(next++));
}

void MapLowering::emitOp(Operation *op, Points points) {
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && points.size() > 1 && isUniform(branch.getCondition(), points))
    return emitUniform(branch, points);
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return emitAlloc(alloc, points);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return emitLoad(load, points);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return emitStore(store, points);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return whenOwner([&] {
      for (IRMapping &point : points)
        emitAtomic(l, e, atomic, point.lookupOrDefault(atomic.getValue()),
                   lookUp(point, atomic.getIndices()));
    });
  for (auto [i, point] : llvm::enumerate(points)) {
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

void MapLowering::emitBlock(Block &block, Points points) {
  Location loc = e.getLoc();
  for (Operation &inner : block) {
    if (isa<tile::YieldOp>(inner))
      continue;
    e.setLoc(inner.getLoc());
    emitOp(&inner, points);
  }
  e.setLoc(loc);
}

/// Runs the body for `width` points from `at` on, those that are inside.
void MapLowering::emitPoints(ArrayRef<Value> at, int64_t width) {
  Value inside = e.boolean(true);
  for (auto [i, extent] : llvm::zip_equal(at, extents))
    inside = e.both(inside, e.isInside(i, e.index(extent)));
  e.when(inside, [&] {
    SmallVector<IRMapping> points(width);
    for (auto [i, point] : llvm::enumerate(points)) {
      point.map(op.getBody().front().getArguments(), at);
      if (i)
        point.map(op.getBody().front().getArguments().back(),
                  e.add(at.back(), e.index(int64_t(i))));
    }
    emitBlock(op.getBody().front(), points);
  });
}

/// The widest vector that an access to memory may be; 1 if there is none.
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
    if (!memref || getFragment(memref) || isOfPoint(memref))
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
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  return MapLowering(l, e, op).getDistribution();
}

LogicalResult nvidia::lower(Lowering &l, tile::MapOp op) {
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  MapLowering(l, e, op).emit();
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Single elements, outside of maps
//===----------------------------------------------------------------------===//

LogicalResult nvidia::lower(Lowering &l, tile::AtomicOp op) {
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  e.when(l.getFirstThread(),
         [&] { emitAtomic(l, e, op, op.getValue(), op.getIndices()); });
  op.erase();
  return success();
}

LogicalResult nvidia::lower(Lowering &l, memref::LoadOp op) {
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (buffer.kind == Buffer::Kind::Global)
    return success();
  op.getResult().replaceAllUsesWith(buffer.isFragment()
                                        ? l.loadRegister(e, buffer, 0)
                                        : l.load(e, buffer, op.getIndices()));
  op.erase();
  return success();
}

LogicalResult nvidia::lower(Lowering &l, memref::StoreOp op) {
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (buffer.isFragment())
    l.storeRegister(e, op.getValueToStore(), buffer, 0);
  else
    e.when(l.getFirstThread(),
           [&] { l.store(e, op.getValueToStore(), buffer, op.getIndices()); });
  op.erase();
  return success();
}
