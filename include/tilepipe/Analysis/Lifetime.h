//===- Lifetime.h - When on-chip buffers are in use -------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where in the text of a function a buffer may hold data: from its first to its
// last access, all of a loop that it is used around, and on to the wait that
// completes the last asynchronous copy from or to it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_LIFETIME_H
#define TILEPIPE_ANALYSIS_LIFETIME_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"

namespace tilepipe {

/// A range of positions in a function, both ends included; empty if the buffer
/// is never used.
struct Lifetime {
  int64_t begin = 1;
  int64_t end = 0;

  bool isEmpty() const { return begin > end; }
  bool overlaps(const Lifetime &other) const {
    return !isEmpty() && !other.isEmpty() && begin <= other.end &&
           other.begin <= end;
  }
  void extend(const Lifetime &other);
};

class FlightAnalysis;

/// Lifetimes of the buffers of one function.
class LifetimeAnalysis {
public:
  explicit LifetimeAnalysis(mlir::Operation *function);
  ~LifetimeAnalysis();

  /// The lifetime of a buffer that is allocated in the function.
  Lifetime getLifetime(tile::AllocOp alloc) const;

  /// The positions that an operation and its regions take.
  Lifetime getRange(mlir::Operation *op) const { return ranges.lookup(op); }

private:
  /// The range of `op`, and of each operation around it, up to but not
  /// including the owner of `scope`, that may come back to it.
  Lifetime getRangeWithLoops(mlir::Operation *op, mlir::Block *scope) const;
  /// The range in which `copy` may be in flight.
  Lifetime getFlight(tile::AsyncCopyOp copy, FlightAnalysis &flights) const;

  mlir::Operation *function;
  llvm::DenseMap<mlir::Operation *, Lifetime> ranges;
  std::unique_ptr<FlightAnalysis> flights;
};

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_LIFETIME_H
