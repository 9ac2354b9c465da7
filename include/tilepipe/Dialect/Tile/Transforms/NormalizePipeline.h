//===- NormalizePipeline.h - One form for loops before planning -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_NORMALIZEPIPELINE_H
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_NORMALIZEPIPELINE_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/PatternMatch.h"

namespace tilepipe::tile {

/// Brings a loop into the form that planning expects, without changing what it
/// computes, and returns it (it may be another operation now):
/// * `tile.alloc`s of the body move before the loop;
/// * an `scf.if` without results and `else` becomes one guarded statement for
///   each of its statements: a copy takes the condition as its guard, others
///   keep an `scf.if` of their own;
/// * views of allocations that are made before the loop are made in the body;
/// * values carried around the loop go through a rank-0 `fragment` buffer, if
///   they are integers, floats or indices. Entries for the loads and stores of
///   that buffer are added to a manual schedule.
PipelineOp normalizePipeline(mlir::RewriterBase &rewriter, PipelineOp loop);

} // namespace tilepipe::tile

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_NORMALIZEPIPELINE_H
