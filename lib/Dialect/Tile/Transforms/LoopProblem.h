//===- LoopProblem.h - The scheduling problem of a loop ---------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPPROBLEM_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPPROBLEM_H

#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Scheduling/Problem.h"

namespace tilepipe::tile {

/// A loop as numbers, and what the numbers stand for.
struct LoopProblem {
  sched::Problem problem;
  /// The root of each buffer; null for a value that a statement computes.
  llvm::SmallVector<mlir::Value> roots;
};

/// Buffers that have one version in all loops, and why: one loop could not use
/// more.
struct FixedBuffer {
  mlir::Operation *culprit = nullptr;
  std::string reason;
};
using FixedBuffers = llvm::DenseMap<mlir::Value, FixedBuffer>;

/// Builds the problem of `graph`, which has no obstacle. Buffers may have
/// `maxVersions` versions, those in `fixed` only one.
LoopProblem buildLoopProblem(const DependenceGraph &graph, int64_t numStages,
                             int64_t maxVersions, const FixedBuffers &fixed);

/// True for a statement that does nothing but move data from global memory to
/// a tile.
bool isPrefetch(mlir::Operation *statement);

/// Why `edge` ties its statements, for a person, seen from the later one: "it
/// reads 'As', which 'tile.copy' writes in the iteration before".
std::string describeEdge(const DependenceGraph &graph,
                         const LoopProblem &problem, const sched::Edge &edge);

/// Adds a note that says why an allocation is one buffer for all iterations, if
/// it is.
void noteFixedBuffer(mlir::InFlightDiagnostic &diagnostic, mlir::Value root,
                     const FixedBuffers &fixed);

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPPROBLEM_H
