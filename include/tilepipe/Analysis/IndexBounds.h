//===- IndexBounds.h - Is an index inside of its buffer? --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proofs of inequalities between indices at a place of a program. They follow
// from the bounds of loops, maps and launches, from the conditions of branches
// around the place and of assertions in front of it, and from the extents of
// buffers. An index is a linear form over values that cannot be taken apart, so
// that `bx * 16 + i` is the same wherever it is computed. What may wrap around
// is not taken apart.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_INDEXBOUNDS_H
#define TILEPIPE_ANALYSIS_INDEXBOUNDS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace tilepipe {

/// What is known of indices whenever an operation is reached.
class IndexBounds {
public:
  explicit IndexBounds(mlir::Operation *at);
  ~IndexBounds();

  /// True if the index is sure to be below the extent of a dimension.
  bool isBelowExtent(mlir::Value index, mlir::Value memref, int64_t dim);
  /// True if the index is sure not to be negative.
  bool isNotNegative(mlir::OpFoldResult index);
  /// True if `size` elements from `offset` on do not reach beyond the extent.
  bool endsInside(mlir::OpFoldResult offset, mlir::OpFoldResult size,
                  mlir::Value memref, int64_t dim);
  /// True if `condition` is sure to hold where `indices` are inside of
  /// `memref`.
  bool holdsInside(mlir::Value condition, mlir::ValueRange indices,
                   mlir::Value memref);

  /// True if the operation is sure not to be reached.
  bool isNeverReached() const;

  /// Bounds, both included; the least and largest int64_t where there are none.
  struct Range {
    int64_t min, max;
    /// Both are reached wherever the loops around run as often as they say.
    bool isExact;
  };
  Range getRange(mlir::Value index);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The first dimension among the arguments of a function whose size has the
/// name of this one (`tile.sizes`); itself if it has no name.
std::pair<mlir::Value, int64_t> getNamedSize(mlir::Value memref, int64_t dim);

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_INDEXBOUNDS_H
