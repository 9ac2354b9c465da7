//===- Transforms.h - Transformations that are not passes -------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_TRANSFORMS_H
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_TRANSFORMS_H

#include "mlir/Support/LLVM.h"

namespace tilepipe::tile {

/// Turns each `scf.for` below `root` that asks to be pipelined (`tile.num_stages`,
/// `tile.stages`, `tile.orders`) into a `tile.pipeline`, and copies of other
/// dialects in loops that ask for it into `tile.copy`. A loop that cannot be
/// turned stays as it is, with a remark. Fails, with an error, for a manual
/// schedule that is malformed.
mlir::LogicalResult raiseSCFLoops(mlir::Operation *root);

/// Fails, with an error for each, where an access to an element of an on-chip
/// buffer below `root` is sure to leave it.
mlir::LogicalResult checkBounds(mlir::Operation *root);

} // namespace tilepipe::tile

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_TRANSFORMS_H
