//===- StageGlobals.cpp - Element accesses of global memory ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageGlobals.h"

#include "tilepipe/Analysis/IndexBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

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

//===----------------------------------------------------------------------===//
// Guards of the user
//===----------------------------------------------------------------------===//

/// Adds the parts of a conjunction that do not follow from the indices being
/// inside of the buffer.
static void collectOpen(IndexBounds &bounds, Value condition,
                        ValueRange indices, Value memref,
                        llvm::SmallSetVector<Value, 4> &open) {
  if (bounds.holdsInside(condition, indices, memref))
    return;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both) {
    open.insert(condition);
    return;
  }
  collectOpen(bounds, both.getLhs(), indices, memref, open);
  collectOpen(bounds, both.getRhs(), indices, memref, open);
}

static bool isProvenInside(IndexBounds &bounds, memref::LoadOp load) {
  for (auto [dim, index] : llvm::enumerate(load.getIndices()))
    if (!bounds.isNotNegative(index) ||
        !bounds.isBelowExtent(index, load.getMemRef(), dim))
      return false;
  return true;
}

/// True if the operations, which may run where they did not before, do nothing
/// but read what exists and write to global memory.
static bool isHarmless(IndexBounds &bounds, Block &block,
                       SmallVectorImpl<memref::StoreOp> &stores) {
  for (Operation &op : block.without_terminator()) {
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && isGlobal(store.getMemRef())) {
      stores.push_back(store);
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      // Global memory has zeros where it does not exist.
      if (!isGlobal(load.getMemRef()) && !isProvenInside(bounds, load))
        return false;
      continue;
    }
    if (!isPure(&op) || op.getNumRegions() != 0)
      return false;
  }
  return true;
}

static void moveInFront(Block &block, Operation *op) {
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations(), block.begin(),
                                         std::prev(block.end()));
}

/// An `if` around stores that says no more than that their elements exist; what
/// else it says stays. `tile.copy` leaves out the others by itself.
static void dropStoreGuard(scf::IfOp branch) {
  IndexBounds bounds(branch);
  SmallVector<memref::StoreOp> stores;
  if (!isHarmless(bounds, *branch.thenBlock(), stores) || stores.empty() ||
      (branch.elseBlock() && !branch.elseBlock()->without_terminator().empty()))
    return;
  llvm::SmallSetVector<Value, 4> open;
  for (memref::StoreOp store : stores)
    collectOpen(bounds, branch.getCondition(), store.getIndices(),
                store.getMemRef(), open);
  if (open.empty()) {
    moveInFront(*branch.thenBlock(), branch);
    branch.erase();
    return;
  }
  OpBuilder b(branch);
  Value rest = open.front();
  for (Value part : ArrayRef(open.getArrayRef()).drop_front())
    rest = arith::AndIOp::create(b, branch.getLoc(), rest, part);
  branch.getConditionMutable().set(rest);
}

/// `X[i] if i < n else 0`, where n is the extent.
static void dropLoadGuard(scf::IfOp branch) {
  auto load = branch.thenYield().getOperand(0).getDefiningOp<memref::LoadOp>();
  if (!load || load->getParentOp() != branch || !isGlobal(load.getMemRef()) ||
      !branch.elseBlock()->without_terminator().empty())
    return;
  Value otherwise = branch.elseYield().getOperand(0);
  IndexBounds bounds(branch);
  SmallVector<memref::StoreOp> stores;
  if ((!matchPattern(otherwise, m_Zero()) &&
       !matchPattern(otherwise, m_PosZeroFloat())) ||
      !isHarmless(bounds, *branch.thenBlock(), stores) || !stores.empty() ||
      !bounds.holdsInside(branch.getCondition(), load.getIndices(),
                          load.getMemRef()))
    return;
  branch.getResult(0).replaceAllUsesWith(load.getResult());
  moveInFront(*branch.thenBlock(), branch);
  branch.erase();
}

/// Takes out what guards of the user say a second time.
static void dropGuards(MapOp map) {
  SmallVector<scf::IfOp> branches;
  map.getBody().walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    if (branch.getNumResults() == 0)
      dropStoreGuard(branch);
    else if (branch.getNumResults() == 1)
      dropLoadGuard(branch);
  }
  // Conditions that nobody asks any more.
  IRRewriter rewriter(map.getContext());
  SmallVector<Operation *> ops;
  map.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op->getParentOp() == map && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

LogicalResult ascend::stageGlobalAccesses(LaunchOp launch) {
  SmallVector<MapOp> maps;
  launch.walk([&](MapOp map) { maps.push_back(map); });
  llvm::for_each(maps, dropGuards);
  for (MapOp map : maps)
    if (failed(Stager(map).run()))
      return failure();
  return success();
}
