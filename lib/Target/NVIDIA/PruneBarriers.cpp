//===- PruneBarriers.cpp - Barriers that no two threads need --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierAnalysis.h"
#include "Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Kernels with more barriers than this are taken as they are: each barrier is
/// one run of the analysis.
static constexpr size_t kMaxBarriers = 48;

static std::optional<ThreadLayout> getMapThreads(Lowering &l, tile::MapOp map,
                                                 Operation *access) {
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(access))
    indices = load.getIndices();
  else if (auto store = dyn_cast<memref::StoreOp>(access))
    indices = store.getIndices();
  else
    return std::nullopt;
  std::optional<SmallVector<int64_t>> dims = getMapDims(map, indices);
  MapDistribution distribution = getMapDistribution(l, map);
  // Points that differ in a dimension that is not an index share an element.
  if (!dims || !distribution.layout || llvm::is_contained(*dims, -1) ||
      static_cast<int64_t>(dims->size()) != distribution.layout->getRank())
    return std::nullopt;
  if (!distribution.ownerOnly &&
      distribution.layout->getReplicatedThreadMask(l.numThreads))
    return std::nullopt;
  return distribution.layout->project(*dims);
}

static std::optional<ThreadLayout> getThreads(Lowering &l, Operation *op,
                                              const BufferAccess &access) {
  if (auto map = dyn_cast<tile::MapOp>(op))
    return getMapThreads(l, map, access.op);
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return nvidia::getThreadMap(l, copy, !access.writes());
  if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
    return nvidia::getThreadMap(l, copy, !access.writes());
  auto isOnly = [&](Value buffer, ValueRange others) {
    return getRootBuffer(buffer) == access.root &&
           llvm::none_of(others, [&](Value other) {
             return getRootBuffer(other) == access.root;
           });
  };
  // Threads with the same elements all read them.
  if (auto reduce = dyn_cast<tile::ReduceOp>(op);
      reduce && isOnly(reduce.getSource(), reduce.getTarget())) {
    ThreadLayout layout = getReduceLayout(l, reduce);
    if (!layout.getReplicatedThreadMask(l.numThreads))
      return layout;
  }
  // One of them has the sums.
  if (auto gemm = dyn_cast<tile::GemmOp>(op);
      gemm && isOnly(gemm.getC(), {gemm.getA(), gemm.getB()}))
    return getSumsLayout(l, gemm);
  return std::nullopt;
}

unsigned nvidia::pruneBarriers(Lowering &l) {
  SmallVector<gpu::BarrierOp> barriers;
  l.kernel.walk([&](gpu::BarrierOp barrier) { barriers.push_back(barrier); });
  if (barriers.empty() || barriers.size() > kMaxBarriers)
    return 0;
  DenseMap<std::pair<Operation *, Operation *>, std::optional<ThreadLayout>>
      known;
  auto threads = [&](Operation *op, const BufferAccess &access) {
    // A copy is asked for each of its sides: they are different buffers, or
    // nothing is known.
    if (isa<tile::MapOp>(op)) {
      auto [it, isNew] = known.try_emplace({op, access.op});
      if (isNew)
        it->second = getThreads(l, op, access);
      return it->second;
    }
    Operation *side = access.root.getDefiningOp();
    auto [it, isNew] = known.try_emplace({op, side});
    if (isNew)
      it->second = getThreads(l, op, access);
    return it->second;
  };
  auto hasConflict = [&] {
    BarrierAnalysis analysis([](const BarrierConflict &) { return false; },
                             threads);
    return !analysis.run(l.kernel.getBody());
  };
  // A kernel whose barriers do not suffice is the user's affair.
  if (hasConflict())
    return 0;
  unsigned pruned = 0;
  for (gpu::BarrierOp barrier : llvm::reverse(barriers)) {
    Operation *next = barrier->getNextNode();
    barrier->remove();
    if (hasConflict()) {
      next->getBlock()->getOperations().insert(next->getIterator(), barrier);
      continue;
    }
    barrier->destroy();
    ++pruned;
  }
  return pruned;
}
