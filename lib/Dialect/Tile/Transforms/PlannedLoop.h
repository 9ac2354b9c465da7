//===- PlannedLoop.h - What expansion knows about a loop --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a planned loop and decides everything about its expansion that does
// not depend on the form of it: groups of asynchronous copies, and who waits
// for which of them. `LoopExpander` carries it out.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_PLANNEDLOOP_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_PLANNEDLOOP_H

#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tilepipe {
struct AsyncCopies;
} // namespace tilepipe

namespace tilepipe::tile {

/// The group of a wait that was committed `distance` steps before.
struct GroupWait {
  unsigned group;
  int64_t distance;
};

/// One statement, at its place in issue order.
struct PlannedStatement {
  mlir::Operation *op = nullptr;
  int64_t stage = 0;
  int64_t order = 0;
  /// What must be complete before it runs.
  llvm::SmallVector<GroupWait, 1> waits;
  /// The group that ends with this statement, or -1.
  int endsGroup = -1;
  /// The position in issue order of the last statement that uses its results.
  unsigned lastUse = 0;
};

/// Asynchronous copies that are committed together.
struct CopyGroup {
  /// All members have one stage.
  int64_t stage;
  /// The oldest step that a wait names, counted back from its own.
  int64_t maxDistance = 0;
  /// True if each of its instances is waited for by a statement of the loop.
  bool consumed = false;
};

/// Why copies are not asynchronous, and how many are.
struct CopyCounts {
  int64_t async = 0;
  int64_t noPath = 0;
  int64_t conversion = 0;
  int64_t other = 0;
};

/// A planned loop that can be expanded.
class PlannedLoop {
public:
  explicit PlannedLoop(PipelineOp loop) : loop(loop) {}

  /// Checks the plan, turns copies that can be into asynchronous ones, and
  /// fills in the rest. Emits an error where the plan is not complete or not
  /// legal.
  llvm::LogicalResult analyze();

  PipelineOp getLoop() const { return loop; }
  /// Statements in issue order.
  llvm::ArrayRef<PlannedStatement> getStatements() const { return statements; }
  llvm::ArrayRef<CopyGroup> getGroups() const { return groups; }
  int64_t getMaxStage() const { return maxStage; }
  const CopyCounts &getCopyCounts() const { return counts; }
  /// Operations of the body, nested ones included.
  int64_t getNumOps() const { return numOps; }
  /// The iteration number, if anything uses it.
  IterationOp getIteration() const { return iteration; }

  /// True for an operation that runs once in each iteration; others are
  /// replayed.
  bool isStatement(mlir::Operation *op) const { return positions.count(op); }
  /// Position of an operation in the body.
  unsigned getIndex(mlir::Operation *op) const {
    return indices.find(op)->second;
  }
  /// Values that `op`, or an operation in its regions, uses and the body
  /// defines: the induction variable and results of the body's operations.
  llvm::ArrayRef<mlir::Value> getCaptures(mlir::Operation *op) const {
    return captures[getIndex(op)];
  }

private:
  void normalizeBody();
  llvm::LogicalResult collectStatements(const DependenceGraph &graph);
  llvm::LogicalResult checkDependences(const DependenceGraph &graph);
  void makeGroups(const DependenceGraph &graph);
  void makeWaits(const DependenceGraph &graph, llvm::ArrayRef<int> groupOf,
                 llvm::ArrayRef<AsyncCopies> async);
  void makeAsync(llvm::MutableArrayRef<CopyOp> copies);
  void indexBody();

  PipelineOp loop;
  IterationOp iteration;
  llvm::SmallVector<PlannedStatement> statements;
  llvm::SmallVector<CopyGroup> groups;
  /// From the number of a statement in the graph to its position.
  llvm::SmallVector<unsigned> positionOf;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
  std::vector<llvm::SmallVector<mlir::Value, 2>> captures;
  int64_t maxStage = 0;
  int64_t numOps = 0;
  CopyCounts counts;
};

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_PLANNEDLOOP_H
