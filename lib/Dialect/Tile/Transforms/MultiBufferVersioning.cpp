//===- MultiBufferVersioning.cpp - Versions of buffers --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"

#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace tilepipe::tile {
#define GEN_PASS_DEF_MULTIBUFFERVERSIONING
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// The planned loop around an operation, or null.
static PipelineOp getPlannedLoop(Operation *op) {
  for (auto loop = op->getParentOfType<PipelineOp>(); loop;
       loop = loop->getParentOfType<PipelineOp>())
    if (loop.getSchedule())
      return loop;
  return {};
}

/// True if `use` names another view of the same memory: what is done through
/// the result is done to the buffer.
static bool isViewOf(OpOperand &use) {
  Operation *op = use.getOwner();
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getViewSource() == use.get();
  auto isMemRef = [](Type type) { return isa<BaseMemRefType>(type); };
  return llvm::count_if(op->getOperandTypes(), isMemRef) == 1 &&
         llvm::any_of(op->getResultTypes(), isMemRef);
}

/// True if `use` passes the buffer on under a name that is not a view of it.
static bool isEscape(OpOperand &use) {
  Operation *op = use.getOwner();
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<RegionBranchOpInterface>(op) ||
         llvm::any_of(op->getResultTypes(),
                      [](Type type) { return isa<BaseMemRefType>(type); });
}

namespace {

/// What the buffers of one planned loop share: the iteration modulo versions.
class LoopSlots {
public:
  explicit LoopSlots(PipelineOp loop) : loop(loop), pool(loop) {}

  /// The slot of `buffer` that iterations of the loop use; valid in the whole
  /// body.
  Value create(Value buffer, int64_t versions) {
    Value &index = indices[versions];
    OpBuilder b = getBuilder();
    if (!iteration)
      last = iteration =
          IterationOp::create(b, loop.getLoc(), loop.getInductionVar());
    b = getBuilder();
    if (!index) {
      last = arith::RemUIOp::create(b, loop.getLoc(), iteration->getResult(0),
                                    pool.getIndex(versions));
      index = last->getResult(0);
    }
    b = getBuilder();
    last = SlotOp::create(b, buffer.getLoc(), buffer, index);
    return last->getResult(0);
  }

private:
  OpBuilder getBuilder() {
    OpBuilder b = OpBuilder::atBlockBegin(loop.getBodyBlock());
    if (last)
      b.setInsertionPointAfter(last);
    return b;
  }

  PipelineOp loop;
  ConstantPool pool;
  Operation *iteration = nullptr;
  Operation *last = nullptr;
  std::map<int64_t, Value> indices;
};

using LoopSlotsMap = llvm::DenseMap<Operation *, std::unique_ptr<LoopSlots>>;

/// Gives one buffer its versions.
class BufferVersioner {
public:
  BufferVersioner(AllocOp alloc, LoopSlotsMap &slots)
      : alloc(alloc), versions(*alloc.getVersions()), slots(slots) {}

  LogicalResult collect();
  void rewrite();

  int64_t getBytesAdded();
  int64_t getNumViews() const { return numViews; }

private:
  /// A view, and the one that it is a view of (-1: the buffer).
  struct View {
    Operation *op;
    int parent;
    unsigned resultNumber;
  };
  /// A use of the buffer, or of a view of it, that is not a view.
  struct Access {
    OpOperand *use;
    int parent;
  };
  /// Code that sees one slot: a planned loop, or what lies between two of them
  /// (loop null, and the number of loops before).
  struct Place {
    Operation *loop = nullptr;
    unsigned before = 0;
    bool operator==(const Place &other) const {
      return loop == other.loop && before == other.before;
    }
  };

  LogicalResult collectUses();
  LogicalResult collectLoops();
  PipelineOp getLoop(Operation *op);
  Place getPlace(Operation *op);
  Value getSlot(Place place);
  OpFoldResult getCurrent(unsigned before);
  Value remake(int view, Place place, OpBuilder &b);

  AllocOp alloc;
  int64_t versions;
  LoopSlotsMap &slots;
  AllocOp buffer;
  SmallVector<View> views;
  SmallVector<Access> accesses;
  SmallVector<OpOperand *> deallocs;
  /// Planned loops that write the buffer.
  llvm::SmallPtrSet<Operation *, 4> writingLoops;
  /// Planned loops in the block of the alloc, in program order, if code outside
  /// needs to know the current version.
  SmallVector<PipelineOp> loops;
  llvm::DenseMap<Operation *, Value> loopSlot;
  llvm::SmallDenseMap<unsigned, Value> currentSlot;
  SmallVector<OpFoldResult> current;
  std::unique_ptr<ConstantPool> pool;
  int64_t numViews = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

LogicalResult BufferVersioner::collectUses() {
  SmallVector<std::pair<Value, int>> worklist{{alloc.getResult(), -1}};
  while (!worklist.empty()) {
    auto [value, parent] = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      if (isa<memref::DeallocOp>(op)) {
        deallocs.push_back(&use);
        continue;
      }
      if (isViewOf(use)) {
        for (OpResult result : op->getResults())
          if (isa<BaseMemRefType>(result.getType())) {
            worklist.push_back({result, int(views.size())});
            views.push_back({op, parent, result.getResultNumber()});
          }
        continue;
      }
      if (isEscape(use)) {
        InFlightDiagnostic diagnostic = op->emitOpError("passes on buffer '")
                                        << getBufferName(alloc.getResult())
                                        << "', whose " << versions
                                        << " versions cannot be followed there";
        diagnostic.attachNote(alloc.getLoc()) << "buffer allocated here";
        return diagnostic;
      }
      accesses.push_back({&use, parent});
      if (PipelineOp loop = getPlannedLoop(op);
          loop && mayWrite(op, alloc.getResult()))
        writingLoops.insert(loop);
    }
  }
  return success();
}

/// The planned loop around `op` whose iterations have versions of the buffer. A
/// loop that only reads it sees the current one, like code between loops.
PipelineOp BufferVersioner::getLoop(Operation *op) {
  PipelineOp loop = getPlannedLoop(op);
  return loop && writingLoops.contains(loop) ? loop : PipelineOp();
}

/// Finds the planned loops that the current version depends on, and checks that
/// they run in a row.
LogicalResult BufferVersioner::collectLoops() {
  llvm::SetVector<Operation *> planned;
  Operation *outside = nullptr;
  for (Access &access : accesses) {
    if (PipelineOp loop = getLoop(access.use->getOwner()))
      planned.insert(loop);
    else
      outside = access.use->getOwner();
  }
  if (!outside || planned.empty())
    return success();
  Block *block = alloc->getBlock();
  for (Operation *loop : planned) {
    if (loop->getBlock() != block) {
      InFlightDiagnostic diagnostic =
          outside->emitOpError("needs the current one of the ")
          << versions << " versions of buffer '"
          << getBufferName(alloc.getResult())
          << "', which a nested planned loop decides";
      diagnostic.attachNote(loop->getLoc()) << "planned loop is here";
      return diagnostic;
    }
    loops.push_back(cast<PipelineOp>(loop));
  }
  llvm::sort(loops,
             [](PipelineOp a, PipelineOp b) { return a->isBeforeInBlock(b); });
  for (Access &access : accesses) {
    Operation *op = access.use->getOwner();
    if (block->findAncestorOpInBlock(*op))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError("needs the current one of the ")
        << versions << " versions of buffer '"
        << getBufferName(alloc.getResult())
        << "', but is in another block than its allocation";
    diagnostic.attachNote(alloc.getLoc()) << "buffer allocated here";
    return diagnostic;
  }
  return success();
}

LogicalResult BufferVersioner::collect() {
  if (PipelineOp loop = getPlannedLoop(alloc)) {
    InFlightDiagnostic diagnostic =
        alloc.emitOpError("has ")
        << versions << " versions but is allocated inside a planned loop";
    diagnostic.attachNote(loop.getLoc()) << "planned loop is here";
    return diagnostic;
  }
  if (failed(collectUses()))
    return failure();
  return collectLoops();
}

int64_t BufferVersioner::getBytesAdded() {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return 0;
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(type.getNumElements() * bits, 8) * (versions - 1);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

BufferVersioner::Place BufferVersioner::getPlace(Operation *op) {
  if (PipelineOp loop = getLoop(op))
    return {loop, 0};
  if (loops.empty())
    return {};
  Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*op);
  auto *it = llvm::partition_point(
      loops, [&](PipelineOp loop) { return loop->isBeforeInBlock(ancestor); });
  return {nullptr, unsigned(it - loops.begin())};
}

/// The number of the current version after the first `before` loops.
OpFoldResult BufferVersioner::getCurrent(unsigned before) {
  while (current.size() <= before) {
    if (current.empty()) {
      current.push_back(Builder(alloc.getContext()).getIndexAttr(0));
      continue;
    }
    PipelineOp loop = loops[current.size() - 1];
    OpBuilder b(alloc.getContext());
    b.setInsertionPointAfter(loop);
    IndexMath math(b, loop.getLoc(), *pool);
    OpFoldResult count = math.tripCount(loop, /*clamp=*/false);
    OpFoldResult runs = math.less(math.constant(0), count);
    OpFoldResult last =
        math.rem(math.sub(count, math.constant(1)), math.constant(versions));
    current.push_back(math.select(runs, last, current.back()));
  }
  return current[before];
}

Value BufferVersioner::getSlot(Place place) {
  if (place.loop) {
    Value &slot = loopSlot[place.loop];
    if (!slot) {
      std::unique_ptr<LoopSlots> &shared = slots[place.loop];
      if (!shared)
        shared = std::make_unique<LoopSlots>(cast<PipelineOp>(place.loop));
      slot = shared->create(buffer.getResult(), versions);
    }
    return slot;
  }
  Value &slot = currentSlot[place.before];
  if (!slot) {
    OpFoldResult index = getCurrent(place.before);
    OpBuilder b(buffer.getContext());
    if (place.before == 0)
      b.setInsertionPointAfter(buffer);
    else if (auto value = dyn_cast<Value>(index);
             value && value.getDefiningOp())
      b.setInsertionPointAfterValue(value);
    else
      b.setInsertionPointAfter(loops[place.before - 1]);
    IndexMath math(b, buffer.getLoc(), *pool);
    slot = SlotOp::create(b, buffer.getLoc(), buffer.getResult(),
                          math.materialize(index));
  }
  return slot;
}

/// Makes a view again, from the slot of `place`.
Value BufferVersioner::remake(int view, Place place, OpBuilder &b) {
  SmallVector<int> chain;
  for (int it = view; it >= 0; it = views[it].parent)
    chain.push_back(it);
  Value value = getSlot(place);
  Value source = alloc.getResult();
  for (int it : llvm::reverse(chain)) {
    IRMapping map;
    map.map(source, value);
    value = b.clone(*views[it].op, map)->getResult(views[it].resultNumber);
    source = views[it].op->getResult(views[it].resultNumber);
    ++numViews;
  }
  return value;
}

void BufferVersioner::rewrite() {
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape{versions};
  llvm::append_range(shape, type.getShape());
  OpBuilder b(alloc);
  auto versioned =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  buffer = AllocOp::create(b, alloc.getLoc(), versioned, alloc.getNameAttr(),
                           /*versions=*/IntegerAttr(), alloc.getOffsetAttr());
  buffer->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  pool = std::make_unique<ConstantPool>(buffer);

  for (OpOperand *use : deallocs)
    use->set(buffer.getResult());
  for (Access &access : accesses) {
    Operation *op = access.use->getOwner();
    Place place = getPlace(op);
    bool samePlace = true;
    for (int it = access.parent; it >= 0 && samePlace; it = views[it].parent)
      samePlace = getPlace(views[it].op) == place;
    if (access.parent < 0) {
      access.use->set(getSlot(place));
    } else if (!samePlace) {
      b.setInsertionPoint(op);
      access.use->set(remake(access.parent, place, b));
    }
  }
  // Views of a view come after it.
  llvm::SetVector<Operation *> viewOps;
  for (View &view : views)
    viewOps.insert(view.op);
  for (Operation *op : llvm::reverse(viewOps)) {
    if (isOpTriviallyDead(op))
      op->erase();
    else
      op->replaceUsesOfWith(alloc.getResult(), getSlot(getPlace(op)));
  }
  alloc->erase();
  pool.reset();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct MultiBufferVersioningPass
    : tile::impl::MultiBufferVersioningBase<MultiBufferVersioningPass> {
  void runOnOperation() override {
    SmallVector<AllocOp> allocs;
    getOperation()->walk([&](AllocOp alloc) {
      if (int64_t(alloc.getVersions().value_or(1)) > 1)
        allocs.push_back(alloc);
      else
        alloc.removeVersionsAttr();
    });
    LoopSlotsMap slots;
    for (AllocOp alloc : allocs) {
      BufferVersioner versioner(alloc, slots);
      if (failed(versioner.collect()))
        return signalPassFailure();
      numBytes += versioner.getBytesAdded();
      versioner.rewrite();
      ++numBuffers;
      numViews += versioner.getNumViews();
    }
  }
};

} // namespace
