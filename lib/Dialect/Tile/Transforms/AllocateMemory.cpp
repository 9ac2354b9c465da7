//===- AllocateMemory.cpp - Offsets of on-chip buffers --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILEALLOCATEMEMORY
#define GEN_PASS_DEF_TILECHECKCAPACITY
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// Registers have no addresses, unless the machine says so.
static bool hasOffsets(MemorySpace space, TargetAttr target) {
  return space != MemorySpace::Fragment || target.getMemory(space);
}

/// The first on-chip buffer whose elements have no size, or null.
static AllocOp findUnsized(Operation *root) {
  AllocOp found;
  root->walk([&](AllocOp alloc) {
    if (getByteSize(alloc.getType()) ||
        getMemorySpace(alloc.getType()) == MemorySpace::Global)
      return WalkResult::advance();
    found = alloc;
    return WalkResult::interrupt();
  });
  return found;
}

/// Offsets without common bytes for all buffers of one memory, if they fit.
static void placeApart(const MemoryPlan &plan, const MemoryUse &use,
                       llvm::DenseMap<Operation *, int64_t> &offsets) {
  llvm::DenseMap<Operation *, int64_t> here;
  int64_t align = use.memory ? use.memory.getAlign() : 16, end = 0;
  for (const PlacedBuffer &buffer : plan.getBuffers()) {
    if (buffer.space != use.space)
      continue;
    int64_t start = llvm::alignTo(end, align);
    here[buffer.alloc] = start;
    end = start + buffer.getBytes();
    if (use.memory && end > use.memory.getCapacity())
      return;
  }
  offsets.insert(here.begin(), here.end());
}

namespace {

struct AllocateMemory : tile::impl::TileAllocateMemoryBase<AllocateMemory> {
  using TileAllocateMemoryBase::TileAllocateMemoryBase;

  /// False if the buffers of `function` do not fit.
  LogicalResult allocate(FunctionOpInterface function) {
    TargetAttr target = getTarget(function);
    MemoryPlan plan(function, target);
    if (failed(checkCapacity(function, plan, target)))
      return failure();
    OpBuilder builder(function.getContext());
    llvm::DenseMap<Operation *, int64_t> apart;
    if (avoidReuse)
      for (const MemoryUse &use : plan.getUses())
        placeApart(plan, use, apart);
    for (const PlacedBuffer &buffer : plan.getBuffers()) {
      if (!hasOffsets(buffer.space, target))
        continue;
      AllocOp alloc = buffer.alloc;
      auto it = apart.find(alloc);
      alloc.setOffsetAttr(builder.getI64IntegerAttr(
          it == apart.end() ? buffer.offset : it->second));
      ++numBuffers;
    }
    for (const MemoryUse &use : plan.getUses()) {
      numBytes += use.bytes;
      numBytesSaved += std::max<int64_t>(use.bytesWithoutReuse - use.bytes, 0);
    }
    return success();
  }

  void runOnOperation() override {
    if (AllocOp alloc = findUnsized(getOperation())) {
      alloc.emitError("cannot place a buffer of elements without a size: ")
          << alloc.getType();
      return signalPassFailure();
    }
    bool failedOnce = false;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          if (!function.isExternal())
            failedOnce |= failed(allocate(function));
          return WalkResult::skip();
        });
    if (failedOnce)
      return signalPassFailure();
  }
};

struct CheckCapacity : tile::impl::TileCheckCapacityBase<CheckCapacity> {
  void runOnOperation() override {
    if (failed(checkCapacity(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
