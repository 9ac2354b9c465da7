//===- ScalarCells.h - Values that pass between stages ----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_SCALARCELLS_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_SCALARCELLS_H

#include "mlir/IR/PatternMatch.h"
#include "tilepipe/Analysis/DependenceGraph.h"

namespace tilepipe::tile {

/// The place of a statement in a schedule.
struct Placement {
  mlir::Operation *op;
  int64_t stage;
  int64_t order;
};

/// The buffer of one value.
struct ScalarCell {
  AllocOp buffer;
  /// Versions that the stages of its store and its loads need.
  int64_t versions;
};

/// Null if results of `statement` that other statements use can be stored in a
/// buffer; otherwise one that cannot.
mlir::Value getUnstorableResult(const DependenceGraph &graph,
                                unsigned statement);

/// Puts each value that a statement of one stage computes and a statement of
/// another stage uses into a rank-0 buffer: stored right behind the first,
/// loaded right before the second. `placements` holds one entry for each
/// statement in source order and gets entries for the stores and loads; orders
/// change if there are any.
llvm::SmallVector<ScalarCell>
insertScalarCells(mlir::RewriterBase &rewriter, const DependenceGraph &graph,
                  llvm::SmallVectorImpl<Placement> &placements);

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_SCALARCELLS_H
