//===- FragmentPlan.cpp - Where fragments live ----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentPlan.h"

#include "Emitter.h"

#include "tilepipe/Analysis/Regions.h"
#include "tilepipe/Dialect/Tile/Transforms/ConvertElement.h"
#include "tilepipe/Dialect/Tile/Transforms/ExpandFloat8.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using tile::MemorySpace;

/// Whether there is an instruction, or a loop that stands for one.
static bool hasAtomics(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<FloatType>(type) && !isFloat8(type);
}

static LogicalResult checkElements(Operation *op) {
  auto error = [&] { return op->emitOpError("cannot be lowered to NVIDIA: "); };
  for (Value value : op->getOperands()) {
    auto memref = dyn_cast<MemRefType>(value.getType());
    if (!memref)
      continue;
    Type element = memref.getElementType();
    if (!tile::isSupportedElement(element))
      return error() << "elements of type " << element << " are not supported";
    if (isa<tile::AtomicOp>(op) && !hasAtomics(element))
      return error() << "there are no atomics of elements of type " << element;
  }
  return success();
}

LogicalResult nvidia::checkLimits(tile::LaunchOp launch) {
  if (uint64_t(launch.getThreads()) > uint64_t(kMaxThreads))
    return launch.emitOpError("cannot be lowered to NVIDIA: ")
           << launch.getThreads() << " threads, but a block has at most "
           << kMaxThreads;
  WalkResult result = launch.walk([](Operation *op) -> WalkResult {
    if (auto alloc = dyn_cast<tile::AllocOp>(op);
        alloc && !tile::isSupportedElement(alloc.getType().getElementType()))
      return op->emitOpError("cannot be lowered to NVIDIA: elements of type ")
             << alloc.getType().getElementType() << " are not supported";
    if (isa_and_nonnull<tile::TileDialect, memref::MemRefDialect>(
            op->getDialect()))
      return checkElements(op);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

tile::AllocOp nvidia::getFragment(Value memref) {
  auto alloc = memref.getDefiningOp<tile::AllocOp>();
  if (alloc && tile::getMemorySpace(alloc.getType()) == MemorySpace::Fragment &&
      !isOfPoint(memref))
    return alloc;
  return nullptr;
}

bool nvidia::isOfPoint(Value memref) {
  auto alloc = memref.getDefiningOp<tile::AllocOp>();
  return alloc && alloc->getParentOfType<tile::MapOp>();
}

bool nvidia::isCell(tile::AllocOp alloc) {
  return alloc.getType().getNumElements() == 1;
}

bool nvidia::storesFragment(tile::MapOp map) {
  return map
      .walk([](memref::StoreOp store) {
        return getFragment(store.getMemRef()) ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True for a map of one point.
static bool isSinglePoint(tile::MapOp map) {
  return llvm::all_of(map.getMixedExtents(), [](OpFoldResult extent) {
    return getConstantIntValue(extent) == 1;
  });
}

std::optional<SmallVector<int64_t>> nvidia::getMapDims(tile::MapOp map,
                                                       ValueRange indices) {
  SmallVector<int64_t> dims;
  for (Value index : indices) {
    auto argument = dyn_cast<BlockArgument>(index);
    if (argument && argument.getOwner() == &map.getBody().front()) {
      if (llvm::is_contained(dims, argument.getArgNumber()))
        return std::nullopt;
      dims.push_back(argument.getArgNumber());
      continue;
    }
    if (getConstantIntValue(index) != 0)
      return std::nullopt;
    dims.push_back(-1);
  }
  return dims;
}

/// True if the region of a copy is static on its fragment side, and inside.
static bool hasStaticRegion(tile::CopyOp copy, bool isSource) {
  auto type = isSource ? copy.getSourceType() : copy.getTargetType();
  SmallVector<OpFoldResult> offsets =
      isSource ? copy.getMixedSourceOffsets() : copy.getMixedTargetOffsets();
  SmallVector<int64_t> dims =
      isSource ? copy.getSourceDims() : copy.getTargetDims();
  SmallVector<int64_t> ends;
  for (OpFoldResult offset : offsets) {
    std::optional<int64_t> start = getConstantIntValue(offset);
    if (!start || *start < 0)
      return false;
    ends.push_back(*start + 1);
  }
  for (auto [dim, size] : llvm::zip_equal(dims, copy.getMixedSizes())) {
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent)
      return false;
    ends[dim] += *extent - 1;
  }
  for (auto [end, extent] : llvm::zip_equal(ends, type.getShape()))
    if (end > extent)
      return false;
  return true;
}

/// Null if a use can be served from registers; else why not.
std::string FragmentPlan::checkUse(tile::AllocOp alloc, OpOperand &use) {
  Operation *op = use.getOwner();
  auto access = [&](ValueRange indices) -> std::string {
    auto map = op->getParentOfType<tile::MapOp>();
    if (isCell(alloc))
      // Every thread has it, but a point is run by some.
      return map && isa<memref::StoreOp>(op) && !isSinglePoint(map)
                 ? "one point of a tile.map stores to it"
                 : "";
    if (!map)
      return "an element is accessed outside of a tile.map";
    if (!getMapDims(map, indices))
      return "an index is not a coordinate of the tile.map";
    return "";
  };
  return TypeSwitch<Operation *, std::string>(op)
      .Case([&](memref::LoadOp load) { return access(load.getIndices()); })
      .Case([&](memref::StoreOp store) { return access(store.getIndices()); })
      .Case([&](tile::FillOp) { return ""; })
      .Case([&](tile::ReduceOp reduce) {
        return isCell(alloc) && use.get() == reduce.getSource()
                   ? "it is one element that is reduced"
                   : "";
      })
      .Case([&](tile::CopyOp copy) {
        Value other =
            use.get() == copy.getSource() ? copy.getTarget() : copy.getSource();
        if (!getFragment(other))
          return hasStaticRegion(copy, use.get() == copy.getSource())
                     ? ""
                     : "a region that is not known is copied";
        auto type = cast<MemRefType>(other.getType());
        bool whole = type.getShape() == alloc.getType().getShape();
        whole &= llvm::all_of(copy.getMixedSourceOffsets(), isZeroInteger) &&
                 llvm::all_of(copy.getMixedTargetOffsets(), isZeroInteger) &&
                 hasStaticRegion(copy, true);
        return whole ? "" : "a part is copied to or from another fragment";
      })
      .Case([&](tile::GemmOp gemm) {
        if (use.get() == gemm.getC() && use.get() != gemm.getA() &&
            use.get() != gemm.getB())
          return "";
        return "it is multiplied by a gemm";
      })
      .Case([&](tile::AtomicOp) { return "it is updated atomically"; })
      .Case([&](tile::SlotOp) { return "it has versions"; })
      .Default([&](Operation *) { return "it is used by another operation"; });
}

void FragmentPlan::checkUses(tile::AllocOp alloc) {
  for (OpOperand &use : alloc->getUses())
    if (std::string why = checkUse(alloc, use); !why.empty())
      return demote(alloc, use.getOwner(), why);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void FragmentPlan::demote(tile::AllocOp alloc, Operation *culprit,
                          StringRef reason) {
  if (!demoted.insert(alloc).second)
    return;
  demotions.push_back({alloc, reason.str(), culprit});
  restart = true;
}

bool FragmentPlan::assign(tile::AllocOp alloc, const ThreadLayout &layout,
                          Operation *op) {
  if (const ThreadLayout *present = find(alloc)) {
    if (*present == layout)
      return false;
    demote(alloc, op, "its uses need different distributions over the threads");
    return true;
  }
  for (auto [dim, extent] : llvm::enumerate(alloc.getType().getShape()))
    if (layout.getExtent(dim) < extent) {
      demote(alloc, op, "only a part of it is visited");
      return true;
    }
  if (layout.getNumRegisters() > kMaxRegisters) {
    demote(alloc, op, "it takes too many registers of a thread");
    return true;
  }
  layouts[alloc] = layout;
  return true;
}

bool FragmentPlan::setIteration(Operation *op, ThreadLayout layout) {
  layouts[op] = std::move(layout);
  return true;
}

bool FragmentPlan::storesCell(tile::MapOp map) const {
  return map
      .walk([&](memref::StoreOp store) {
        tile::AllocOp alloc = getFragment(store.getMemRef());
        return isLive(alloc) && isCell(alloc) ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Accumulators first: they cannot choose.
void FragmentPlan::seed() {
  launch.walk([&](tile::GemmOp gemm) {
    tile::AllocOp alloc = getFragment(gemm.getC());
    if (!isLive(alloc))
      return;
    std::optional<MmaShape> mma = getMmaShape(gemm, numThreads);
    assign(alloc,
           mma ? ThreadLayout::getMma(mma->m, mma->n, numThreads, mma->warpsM,
                                      mma->warpsN)
               : ThreadLayout::getBlocked(alloc.getType().getShape(),
                                          numThreads, 4),
           gemm);
  });
  for (tile::AllocOp alloc : allocs)
    if (isLive(alloc) && isCell(alloc))
      layouts[alloc] =
          ThreadLayout::getBlocked(alloc.getType().getShape(), numThreads, 1);
  // What is stored to an element that every thread holds, every thread computes.
  for (Operation *op : ops)
    if (auto map = dyn_cast<tile::MapOp>(op); map && storesCell(map))
      setIteration(map, ThreadLayout::getBlocked(map.getStaticExtents(),
                                                 numThreads, 1));
}

/// Calls `body` with each access of a map to a live fragment with elements.
static void forEachAccess(
    tile::MapOp map,
    llvm::function_ref<void(Operation *, tile::AllocOp, ArrayRef<int64_t>)>
        body) {
  map.walk([&](Operation *op) {
    Value memref;
    ValueRange indices;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      memref = load.getMemRef();
      indices = load.getIndices();
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      memref = store.getMemRef();
      indices = store.getIndices();
    } else {
      return;
    }
    tile::AllocOp alloc = getFragment(memref);
    if (!alloc || isCell(alloc))
      return;
    if (std::optional<SmallVector<int64_t>> dims = getMapDims(map, indices))
      body(op, alloc, *dims);
  });
}

bool FragmentPlan::propagate(tile::MapOp map) {
  bool changed = false;
  int64_t rank = map.getMixedExtents().size();
  forEachAccess(map, [&](Operation *op, tile::AllocOp alloc,
                         ArrayRef<int64_t> dims) {
    if (!isLive(alloc))
      return;
    // Each point of the map is one element of a fragment of full rank.
    if (const ThreadLayout *layout = find(alloc);
        layout && !find(map) &&
        llvm::count_if(dims, [](int64_t dim) { return dim >= 0; }) == rank) {
      SmallVector<int64_t> inverse(rank);
      for (auto [i, dim] : llvm::enumerate(dims))
        if (dim >= 0)
          inverse[dim] = i;
      changed |= setIteration(map, layout->project(inverse));
    }
    if (const ThreadLayout *iteration = find(map))
      changed |= assign(alloc, iteration->project(dims), op);
  });
  return changed;
}

/// The dimensions of the source that the dimensions of the target are.
static SmallVector<int64_t> getReduceDims(tile::ReduceOp op) {
  int64_t sourceRank = cast<MemRefType>(op.getSource().getType()).getRank();
  int64_t targetRank = cast<MemRefType>(op.getTarget().getType()).getRank();
  int64_t dimension = op.getDimension();
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < sourceRank; ++dim) {
    if (dim != dimension)
      dims.push_back(dim);
    else if (targetRank == sourceRank)
      dims.push_back(-1);
  }
  return dims;
}

bool FragmentPlan::propagate(tile::ReduceOp op) {
  tile::AllocOp source = getFragment(op.getSource());
  tile::AllocOp target = getFragment(op.getTarget());
  bool changed = false;
  if (isLive(source)) {
    const ThreadLayout *layout = find(source);
    if (layout && !find(op))
      changed |= setIteration(op, ThreadLayout(*layout));
    if (!layout && find(op))
      changed |= assign(source, ThreadLayout(*find(op)), op);
  }
  if (isLive(target) && !isCell(target) && find(op))
    changed |= assign(target, find(op)->project(getReduceDims(op)), op);
  return changed;
}

bool FragmentPlan::propagate(tile::CopyOp op) {
  tile::AllocOp source = getFragment(op.getSource());
  tile::AllocOp target = getFragment(op.getTarget());
  if (!isLive(source) || !isLive(target) || isCell(target))
    return false;
  bool changed = false;
  if (const ThreadLayout *layout = find(source))
    changed |= assign(target, ThreadLayout(*layout), op);
  else if (const ThreadLayout *layout = find(target))
    changed |= assign(source, ThreadLayout(*layout), op);
  return changed;
}

bool FragmentPlan::propagate() {
  bool changed = false;
  for (Operation *op : ops) {
    TypeSwitch<Operation *>(op).Case<tile::MapOp, tile::ReduceOp, tile::CopyOp>(
        [&](auto concrete) { changed |= propagate(concrete); });
    if (restart)
      return false;
  }
  return changed;
}

/// Gives the undecided fragment or operation of the highest rank the blocked
/// layout. Layouts of vectors follow from those of the tiles they go with.
bool FragmentPlan::choose() {
  Operation *best = nullptr;
  int64_t bestRank = -1;
  SmallVector<int64_t> bestShape;
  auto offer = [&](Operation *op, ArrayRef<int64_t> shape) {
    int64_t rank = shape.size();
    if (find(op) || rank <= bestRank || ShapedType::isDynamicShape(shape))
      return;
    best = op;
    bestRank = rank;
    bestShape.assign(shape.begin(), shape.end());
  };
  for (tile::AllocOp alloc : allocs)
    if (isLive(alloc))
      offer(alloc, alloc.getType().getShape());
  for (Operation *op : ops) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      if (isLive(getFragment(reduce.getTarget())))
        offer(op, cast<MemRefType>(reduce.getSource().getType()).getShape());
      continue;
    }
    auto map = dyn_cast<tile::MapOp>(op);
    if (!map)
      continue;
    bool touches = false;
    forEachAccess(map, [&](Operation *, tile::AllocOp alloc,
                           ArrayRef<int64_t>) { touches |= isLive(alloc); });
    if (touches)
      offer(op, map.getStaticExtents());
  }
  if (!best)
    return false;
  // Vectors of 16 bytes; of narrow elements only as many as accesses take.
  auto alloc = dyn_cast<tile::AllocOp>(best);
  bool isNarrow =
      alloc && Emitter::getElementBytes(alloc.getType().getElementType()) <= 2;
  ThreadLayout layout =
      ThreadLayout::getBlocked(bestShape, numThreads, isNarrow ? 8 : 4);
  if (alloc)
    return assign(alloc, layout, alloc);
  return setIteration(best, layout);
}

FragmentPlan::FragmentPlan(tile::LaunchOp launch)
    : launch(launch), numThreads(launch.getThreads()) {
  launch.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto alloc = dyn_cast<tile::AllocOp>(op); alloc && getFragment(alloc))
      allocs.push_back(alloc);
    if (isa<tile::MapOp, tile::ReduceOp, tile::CopyOp>(op))
      ops.push_back(op);
  });
}

/// Threads that hold the same elements run a map together: one that is late
/// must not read from memory what another one has updated in it already.
void FragmentPlan::checkUpdates(tile::MapOp map) {
  if (!find(map) || !find(map)->getReplicatedThreadMask(numThreads))
    return;
  DenseSet<Value> loaded;
  map.walk([&](memref::LoadOp load) {
    if (!getFragment(load.getMemRef()) && !isOfPoint(load.getMemRef()))
      loaded.insert(getRootBuffer(load.getMemRef()));
  });
  bool updates = false;
  map.walk([&](memref::StoreOp store) {
    updates |= loaded.contains(getRootBuffer(store.getMemRef()));
  });
  if (!updates)
    return;
  map.walk([&](memref::StoreOp store) {
    if (tile::AllocOp alloc = getFragment(store.getMemRef()); isLive(alloc))
      demote(alloc, store, "it is computed from memory that is updated along");
  });
}

/// A map whose points have no layout (dynamic extents) and that no fragment
/// gave one cannot touch registers.
void FragmentPlan::checkMaps() {
  for (Operation *op : ops) {
    auto map = dyn_cast<tile::MapOp>(op);
    if (!map)
      continue;
    checkUpdates(map);
    if (!find(map))
      forEachAccess(
          map, [&](Operation *access, tile::AllocOp alloc, ArrayRef<int64_t>) {
            if (isLive(alloc))
              demote(alloc, access, "the extents of the tile.map are dynamic");
          });
  }
}

FragmentPlan FragmentPlan::compute(tile::LaunchOp launch) {
  FragmentPlan plan(launch);
  for (tile::AllocOp alloc : plan.allocs)
    plan.checkUses(alloc);
  // Each round settles everything or demotes one more fragment.
  do {
    plan.restart = false;
    plan.layouts.clear();
    plan.seed();
    while (!plan.restart && (plan.propagate() || plan.restart || plan.choose()))
      ;
    if (!plan.restart)
      plan.checkMaps();
  } while (plan.restart);
  return plan;
}
