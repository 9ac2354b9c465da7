//===- CostModel.h - Cycles of statements under a target --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_MODEL_COSTMODEL_H
#define TILEPIPE_MODEL_COSTMODEL_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

namespace tilepipe {

/// What one execution of an operation takes.
struct Cost {
  /// Name of what it keeps busy: the unit of a transfer, or the kind of a
  /// compute unit.
  std::string resource;
  /// Cycles for which that is busy.
  int64_t occupancy = 1;
  /// Cycles from the start until the results are usable.
  int64_t latency = 1;
};

/// The bytes that one `tile.copy` moves, as far as sizes are known: a dynamic
/// extent counts as the extent of the buffers, or as 1.
int64_t getCopiedBytes(tile::CopyOp copy);

/// The cost of `op` with everything nested in it, by the numbers of `target`.
/// An operation that works on several resources counts for the busiest one.
Cost getCost(mlir::Operation *op, tile::TargetAttr target);

} // namespace tilepipe

#endif // TILEPIPE_MODEL_COSTMODEL_H
