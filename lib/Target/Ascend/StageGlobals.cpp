//===- StageGlobals.cpp - Element accesses of global memory ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageGlobals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

/// One index of an access: `sum(invariants) + point`.
struct StagedIndex {
  SmallVector<Value, 2> invariants;
  /// The dimension of the map that runs along it, or none.
  std::optional<unsigned> dim;
};

/// Stages the accesses of one map.
class Stager {
public:
  explicit Stager(MapOp map)
      : map(map), extents(map.getMixedExtents()), before(map.getLoc(), map),
        after(map.getLoc(), map->getContext()) {
    after.setInsertionPointAfter(map);
  }

  LogicalResult run();

private:
  bool isInvariant(Value value) {
    return map.getBody().isAncestor(value.getParentRegion())
               ? isInvariantOp(value.getDefiningOp())
               : true;
  }
  /// True for pure arithmetic on values from outside the map.
  bool isInvariantOp(Operation *op) {
    return op && isPure(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isInvariant(operand); });
  }
  /// The value, computed in front of the map.
  Value hoist(Value value);
  bool decompose(Value index, StagedIndex &result);
  /// Replaces the access by one of a tile; null if that is not possible.
  template <typename AccessT> Value stage(AccessT access, OpBuilder &copyAt);
  Value makeTile(Value global, ArrayRef<StagedIndex> indices,
                 SmallVectorImpl<OpFoldResult> &offsets,
                 SmallVectorImpl<int64_t> &dims);

  MapOp map;
  SmallVector<OpFoldResult> extents;
  ImplicitLocOpBuilder before, after;
  IRMapping hoisted;
};

} // namespace

static bool isGlobal(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return type.getRank() > 0 && getMemorySpace(type) == MemorySpace::Global;
}

Value Stager::hoist(Value value) {
  if (!map.getBody().isAncestor(value.getParentRegion()))
    return value;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    if (Value moved = hoist(operand); moved != operand)
      hoisted.map(operand, moved);
  before.clone(*op, hoisted);
  return hoisted.lookup(value);
}

bool Stager::decompose(Value index, StagedIndex &result) {
  if (isInvariant(index)) {
    result.invariants.push_back(index);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(index);
      argument && argument.getOwner() == &map.getBody().front()) {
    if (result.dim)
      return false;
    result.dim = argument.getArgNumber();
    return true;
  }
  auto add = index.getDefiningOp<arith::AddIOp>();
  return add && decompose(add.getLhs(), result) &&
         decompose(add.getRhs(), result);
}

Value Stager::makeTile(Value global, ArrayRef<StagedIndex> indices,
                       SmallVectorImpl<OpFoldResult> &offsets,
                       SmallVectorImpl<int64_t> &dims) {
  SmallVector<int64_t> shape;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value offset;
    for (Value invariant : index.invariants) {
      Value moved = hoist(invariant);
      offset = offset ? arith::AddIOp::create(before, offset, moved).getResult()
                      : moved;
    }
    offsets.push_back(offset ? getAsOpFoldResult(offset)
                             : OpFoldResult(before.getIndexAttr(0)));
    if (!index.dim)
      continue;
    std::optional<int64_t> extent = getConstantIntValue(extents[*index.dim]);
    if (!extent)
      return {};
    shape.push_back(*extent);
    dims.push_back(dim);
  }
  if (shape.empty()) {
    shape.push_back(1);
    dims.push_back(indices.size() - 1);
  }
  auto type = MemRefType::get(
      shape, cast<MemRefType>(global.getType()).getElementType(),
      MemRefLayoutAttrInterface(),
      SpaceAttr::get(map.getContext(), MemorySpace::UB));
  return AllocOp::create(before, type, getBufferName(global) + "_ub");
}

template <typename AccessT>
Value Stager::stage(AccessT access, OpBuilder &copyAt) {
  Value global = access.getMemRef();
  SmallVector<StagedIndex> indices;
  llvm::SmallDenseSet<unsigned> used;
  for (Value index : access.getIndices()) {
    StagedIndex &staged = indices.emplace_back();
    if (!decompose(index, staged) ||
        (staged.dim && !used.insert(*staged.dim).second))
      return {};
  }
  constexpr bool isStore = std::is_same_v<AccessT, memref::StoreOp>;
  // A store that not every point makes, or all points make, is no rectangle.
  if (isStore &&
      (access->getParentOp() != map || used.size() != extents.size()))
    return {};
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> dims;
  Value tile = makeTile(global, indices, offsets, dims);
  if (!tile)
    return {};
  auto type = cast<MemRefType>(tile.getType());
  SmallVector<OpFoldResult> start(type.getRank(), copyAt.getIndexAttr(0));
  for (int64_t size : type.getShape())
    sizes.push_back(copyAt.getIndexAttr(size));
  if (type.getRank() == int64_t(offsets.size()))
    dims.clear();
  if (isStore)
    CopyOp::create(copyAt, access.getLoc(), tile, start, global, offsets, sizes,
                   dims);
  else
    CopyOp::create(copyAt, access.getLoc(), global, offsets, tile, start, sizes,
                   dims);
  OpBuilder b(access);
  SmallVector<Value> point;
  for (StagedIndex &index : indices)
    if (index.dim)
      point.push_back(map.getBody().getArgument(*index.dim));
  if (point.empty())
    point.push_back(arith::ConstantIndexOp::create(b, access.getLoc(), 0));
  access.getMemrefMutable().set(tile);
  access.getIndicesMutable().assign(point);
  return tile;
}

LogicalResult Stager::run() {
  SmallVector<Operation *> accesses;
  map.getBody().walk([&](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp>(op))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    bool done = true;
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && isGlobal(load.getMemRef()))
      done = bool(stage(load, before));
    else if (auto store = dyn_cast<memref::StoreOp>(op);
             store && isGlobal(store.getMemRef()))
      done = bool(stage(store, after));
    if (!done)
      return op->emitOpError(
          "cannot reach global memory from vector code: supported are indices "
          "of the form invariant + point over a static extent, and stores that "
          "each point makes");
  }
  return success();
}

LogicalResult ascend::stageGlobalAccesses(LaunchOp launch) {
  SmallVector<MapOp> maps;
  launch.walk([&](MapOp map) { maps.push_back(map); });
  for (MapOp map : maps)
    if (failed(Stager(map).run()))
      return failure();
  return success();
}
