//===- Capacity.h - Bytes of on-chip memory ---------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the buffers of a function lie in each on-chip memory, and whether they
// fit. The same placement answers before code generation, when `versions` are
// only planned, and after it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_CAPACITY_H
#define TILEPIPE_ANALYSIS_CAPACITY_H

#include "tilepipe/Analysis/Lifetime.h"

namespace tilepipe {

/// The bytes that a buffer takes on chip; elements narrower than a byte take
/// one each. None if the element type has no known size.
std::optional<int64_t> getByteSize(mlir::MemRefType type);

/// One buffer in its memory.
struct PlacedBuffer {
  tile::AllocOp alloc;
  tile::MemorySpace space;
  /// Bytes of one version, and how many versions there are: planned ones, or
  /// the leading dimension of a buffer that is accessed through `tile.slot`.
  int64_t versionBytes;
  int64_t versions;
  Lifetime lifetime;
  int64_t offset = 0;

  /// Bytes with at most `limit` versions.
  int64_t getBytes(int64_t limit = INT64_MAX) const;
};

/// What a function needs of one memory.
struct MemoryUse {
  tile::MemorySpace space;
  /// The description of the memory; null if the target has none.
  tile::MemoryAttr memory;
  /// The highest byte in use, and what it would be without reuse.
  int64_t bytes = 0;
  int64_t bytesWithoutReuse = 0;

  bool fits() const { return !memory || bytes <= memory.getCapacity(); }
};

/// The placement of all on-chip buffers of one function.
class MemoryPlan {
public:
  MemoryPlan(mlir::Operation *function, tile::TargetAttr target);

  /// In the order of the program.
  llvm::ArrayRef<PlacedBuffer> getBuffers() const { return buffers; }
  /// One entry for each memory that is used.
  llvm::ArrayRef<MemoryUse> getUses() const { return uses; }

  /// The largest `n` such that all buffers of `space` fit if none has more than
  /// `n` versions, and the bytes that takes; none if one version is too much.
  std::optional<std::pair<int64_t, int64_t>>
  getLargestDepth(const MemoryUse &use) const;

private:
  friend class Placement;
  llvm::SmallVector<PlacedBuffer> buffers;
  llvm::SmallVector<MemoryUse> uses;
};

/// Emits an error for each memory of each function in `root` that is too small:
/// bytes needed and there, the buffers with their versions, and the largest
/// number of stages that fits.
llvm::LogicalResult checkCapacity(mlir::Operation *root);

/// As above, for a plan that is at hand.
llvm::LogicalResult checkCapacity(mlir::Operation *function,
                                  const MemoryPlan &plan,
                                  tile::TargetAttr target);

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_CAPACITY_H
