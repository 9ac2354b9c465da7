//===- AsyncCopies.h - Which copies can be asynchronous ---------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_ASYNCCOPIES_H
#define TILEPIPE_ANALYSIS_ASYNCCOPIES_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

namespace tilepipe {

/// The copies of one statement of a pipelined loop, if the statement may run
/// asynchronously as a whole.
struct AsyncCopies {
  /// The `tile.copy` operations, in source order: the statement itself, or
  /// copies nested in its `scf.for` and `scf.if`. Empty if it cannot.
  llvm::SmallVector<tile::CopyOp> copies;
  /// Why a statement that has copies is not asynchronous; empty for one that is,
  /// or that has no copies at all.
  std::string whyNot;
  /// The operation that is the reason.
  mlir::Operation *culprit = nullptr;

  bool isAsync() const { return !copies.empty(); }
};

/// Looks at one statement of `loop`. `target` says which paths are asynchronous.
AsyncCopies getAsyncCopies(mlir::Operation *statement, tile::PipelineOp loop,
                           tile::TargetAttr target);

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_ASYNCCOPIES_H
