//===- PruneBarriers.cpp - Barriers that no two threads need --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierAnalysis.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <deque>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Kernels with more barriers than this are taken as they are: each barrier is
/// one run of the analysis.
static constexpr size_t kMaxBarriers = 48;

static std::optional<ElementThreads> getMapThreads(Lowering &l, tile::MapOp map,
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
  // One of the threads that have the same point stores.
  bool all = !distribution.ownerOnly && isa<memref::LoadOp>(access);
  return ElementThreads{distribution.layout->project(*dims), all};
}

/// Each thread reads the rows and columns of the sums that it has; what tensor
/// cores read, all lanes of a warp do.
static std::optional<ElementThreads>
getOperandThreads(Lowering &l, tile::GemmOp gemm, bool isA) {
  tile::AllocOp sums = getFragment(gemm.getC());
  const ThreadLayout *known = sums ? l.plan.getLayout(sums) : nullptr;
  ThreadLayout layout = known ? *known : getSumsLayout(l, gemm);
  bool isTransposed = isA ? gemm.getTransposeA() : gemm.getTransposeB();
  SmallVector<int64_t> dims{isA ? 0 : -1, isA ? -1 : 1};
  if (isTransposed)
    std::swap(dims[0], dims[1]);
  return ElementThreads{layout.project(dims), /*all=*/true};
}

static std::optional<ElementThreads>
getGemmThreads(Lowering &l, tile::GemmOp gemm, Value root) {
  bool isA = getRootBuffer(gemm.getA()) == root;
  bool isB = getRootBuffer(gemm.getB()) == root;
  bool isC = getRootBuffer(gemm.getC()) == root;
  if (isA + isB + isC != 1)
    return std::nullopt;
  if (!isC)
    return getOperandThreads(l, gemm, isA);
  // One of the threads with the same sums has them.
  return ElementThreads{getSumsLayout(l, gemm)};
}

static std::optional<ElementThreads> getThreads(Lowering &l, Operation *op,
                                                const BufferAccess &access) {
  if (auto map = dyn_cast<tile::MapOp>(op))
    return getMapThreads(l, map, access.op);
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return nvidia::getThreadMap(l, copy, !access.writes());
  if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
    return nvidia::getThreadMap(l, copy, !access.writes());
  if (auto fill = dyn_cast<tile::FillOp>(op))
    return nvidia::getThreadMap(l, fill);
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return getGemmThreads(l, gemm, access.root);
  // Threads with the same elements all read them.
  if (auto reduce = dyn_cast<tile::ReduceOp>(op);
      reduce && getRootBuffer(reduce.getSource()) == access.root &&
      getRootBuffer(reduce.getTarget()) != access.root)
    return ElementThreads{getReduceLayout(l, reduce), /*all=*/true};
  return std::nullopt;
}

namespace {

/// Answers are kept: the analysis runs once for each barrier.
class KnownFacts : public LoweringFacts {
public:
  explicit KnownFacts(Lowering &l) : l(l) {}

  const ElementThreads *getThreads(Operation *op,
                                   const BufferAccess &access) override {
    // A copy is asked for each of its sides: they are different buffers, or
    // nothing is known.
    Operation *part =
        isa<tile::MapOp>(op) ? access.op : access.root.getDefiningOp();
    auto [it, isNew] = threads.try_emplace({op, part});
    if (isNew)
      if (std::optional<ElementThreads> found = ::getThreads(l, op, access))
        it->second = intern(*found);
    return it->second;
  }

  bool completesAtOnce(tile::AsyncCopyOp copy) override {
    auto [it, isNew] = atOnce.try_emplace(copy);
    if (isNew)
      it->second = nvidia::completesAtOnce(l, copy);
    return it->second;
  }

private:
  const ElementThreads *intern(const ElementThreads &threads) {
    auto known = llvm::find(distinct, threads);
    return known != distinct.end() ? &*known : &distinct.emplace_back(threads);
  }

  Lowering &l;
  std::deque<ElementThreads> distinct;
  DenseMap<std::pair<Operation *, Operation *>, const ElementThreads *> threads;
  DenseMap<Operation *, bool> atOnce;
};

} // namespace

/// Puts a barrier of the threads of each warp in the place of one of all.
static NVVM::SyncWarpOp createWarpBarrier(gpu::BarrierOp barrier) {
  OpBuilder b(barrier);
  Value all =
      arith::ConstantOp::create(b, barrier.getLoc(), b.getI32IntegerAttr(-1));
  return NVVM::SyncWarpOp::create(b, barrier.getLoc(), all);
}

unsigned nvidia::pruneBarriers(Lowering &l) {
  SmallVector<gpu::BarrierOp> barriers;
  l.kernel.walk([&](gpu::BarrierOp barrier) { barriers.push_back(barrier); });
  if (barriers.empty() || barriers.size() > kMaxBarriers)
    return 0;
  KnownFacts facts(l);
  auto hasConflict = [&] {
    BarrierAnalysis analysis([](const BarrierConflict &) { return false; },
                             l.numThreads, &facts);
    return !analysis.run(l.kernel.getBody());
  };
  // A kernel whose barriers do not suffice is the user's affair.
  if (hasConflict())
    return 0;
  unsigned pruned = 0;
  for (gpu::BarrierOp barrier : llvm::reverse(barriers)) {
    Operation *next = barrier->getNextNode();
    auto putBack = [&] {
      next->getBlock()->getOperations().insert(next->getIterator(), barrier);
    };
    barrier->remove();
    if (hasConflict()) {
      putBack();
      // A mask names lanes that must be there.
      if (l.numThreads % 32)
        continue;
      NVVM::SyncWarpOp warps = createWarpBarrier(barrier);
      barrier->remove();
      if (hasConflict()) {
        putBack();
        Operation *mask = warps.getMask().getDefiningOp();
        warps->erase();
        mask->erase();
        continue;
      }
    }
    barrier->destroy();
    ++pruned;
  }
  return pruned;
}
