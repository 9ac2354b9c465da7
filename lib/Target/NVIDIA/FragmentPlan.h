//===- FragmentPlan.h - Where fragments live ------------------ -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A fragment is distributed over the registers of the threads if one layout
// suits all its uses; buffers that are used element by element together, and a
// reduction and its result, must agree. What does not agree, or is not indexed
// by the points of a map, lives in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_FRAGMENTPLAN_H
#define TILEPIPE_LIB_TARGET_NVIDIA_FRAGMENTPLAN_H

#include "ThreadLayout.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/MapVector.h"

namespace tilepipe::nvidia {

/// How a gemm is done by tensor cores.
struct MmaShape {
  int64_t warpsM, warpsN;
  int64_t m, n, k;
};

/// The grid of warps for `op`, or none, with the reason, if tensor cores cannot
/// do it: fp16 or bf16 tiles in shared memory, fp32 sums, extents that are
/// multiples of 16.
std::optional<MmaShape> getMmaShape(tile::GemmOp op, int64_t numThreads,
                                    std::string *whyNot = nullptr);

/// The dimension of the points of `map` that each index of an access in its
/// body is: -1 for the constant 0; none if an index is anything else, or a
/// dimension is used twice.
std::optional<llvm::SmallVector<int64_t>> getMapDims(tile::MapOp map,
                                                     mlir::ValueRange indices);

/// The allocation of a fragment that a memref is, without views; else null, also
/// for one of a point.
tile::AllocOp getFragment(mlir::Value memref);

/// True for an allocation in a map: each point has its own, in its thread.
bool isOfPoint(mlir::Value memref);

/// True if the body of a map stores to a fragment.
bool storesFragment(tile::MapOp map);

/// True for a fragment that is one element, which every thread holds.
bool isCell(tile::AllocOp alloc);

/// Elements of one buffer that a thread may hold in registers.
inline constexpr int64_t kMaxRegisters = 256;

/// Threads of a block (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr int64_t kMaxThreads = 1024;

/// An error where a launch has too many threads, or elements of types that the
/// target does not know. Everything here takes that for granted.
mlir::LogicalResult checkLimits(tile::LaunchOp launch);

class FragmentPlan {
public:
  /// Decides for all fragments of a launch.
  static FragmentPlan compute(tile::LaunchOp launch);

  struct Demotion {
    tile::AllocOp alloc;
    /// Why, for a person, and the use that is the reason.
    std::string reason;
    mlir::Operation *culprit;
  };
  /// The fragments that live in shared memory.
  llvm::ArrayRef<Demotion> getDemotions() const { return demotions; }
  /// The layout of a fragment, or null if it lives in shared memory.
  const ThreadLayout *getLayout(tile::AllocOp alloc) const {
    return find(alloc);
  }
  /// How the points of a map, or the source of a reduction, that touches
  /// fragments are distributed; null if it touches none.
  const ThreadLayout *getIterationLayout(mlir::Operation *op) const {
    return find(op);
  }

private:
  explicit FragmentPlan(tile::LaunchOp launch);

  const ThreadLayout *find(mlir::Operation *op) const {
    auto it = layouts.find(op);
    return it == layouts.end() ? nullptr : &it->second;
  }
  void demote(tile::AllocOp alloc, mlir::Operation *culprit,
              llvm::StringRef reason);
  bool isLive(tile::AllocOp alloc) const {
    return alloc && !demoted.contains(alloc);
  }
  void checkUses(tile::AllocOp alloc);
  std::string checkUse(tile::AllocOp alloc, mlir::OpOperand &use);
  void checkMaps();
  void checkUpdates(tile::MapOp map);
  bool storesCell(tile::MapOp map) const;
  void seed();
  bool propagate();
  bool propagate(tile::MapOp map);
  bool propagate(tile::ReduceOp reduce);
  bool propagate(tile::CopyOp copy);
  bool choose();
  /// Gives `alloc` a layout that `op` needs; demotes it if it has another one.
  /// True if anything changed.
  bool assign(tile::AllocOp alloc, const ThreadLayout &layout,
              mlir::Operation *op);
  bool setIteration(mlir::Operation *op, ThreadLayout layout);

  tile::LaunchOp launch;
  int64_t numThreads;
  llvm::SmallVector<mlir::Operation *> ops; ///< maps, reductions, copies
  llvm::SmallVector<tile::AllocOp> allocs;
  llvm::SmallVector<Demotion> demotions;
  llvm::DenseSet<mlir::Operation *> demoted;
  llvm::MapVector<mlir::Operation *, ThreadLayout> layouts;
  bool restart = false;
};

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_FRAGMENTPLAN_H
