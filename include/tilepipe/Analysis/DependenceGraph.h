//===- DependenceGraph.h - What a pipelined loop must respect ---*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one dependence analysis: the planner builds schedules from it, manual
// schedules are checked against it, and expansion places waits by it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_DEPENDENCEGRAPH_H
#define TILEPIPE_ANALYSIS_DEPENDENCEGRAPH_H

#include "tilepipe/Analysis/Regions.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilepipe {

/// Why one statement must come after another.
enum class DependenceKind {
  RAW,   ///< reads what the other writes
  WAR,   ///< overwrites what the other reads
  WAW,   ///< overwrites what the other writes
  Scalar ///< uses a value that the other computes
};

llvm::StringRef stringify(DependenceKind kind);

/// Statement `to` of iteration `i + distance` must come after statement `from`
/// of iteration `i`, for every `i`; `distance` is the least for which they can
/// conflict (larger ones are implied). Statements are numbered in source order.
struct Dependence {
  unsigned from;
  unsigned to;
  DependenceKind kind;
  int64_t distance;
  /// The buffer that carries it; null for `Scalar`.
  mlir::Value buffer;
  /// True for the anti and output dependences between iterations of a buffer
  /// that may have versions: with `v` versions the distance becomes `v`.
  bool removable = false;
};

/// One buffer that is accessed in the loop: the root behind views and slots.
struct BufferInfo {
  mlir::Value root;
  tile::MemorySpace space = tile::MemorySpace::Global;
  /// Statements that may read (write) it, in source order. An atomic update is
  /// in both lists.
  llvm::SmallVector<unsigned> readers;
  llvm::SmallVector<unsigned> writers;
  /// Null if each iteration may have a copy of its own: it is a `tile.alloc`
  /// whose reads see only writes of their own iteration, and its contents are
  /// not needed elsewhere in a way that versions would break. Otherwise the
  /// reason why not, for a person.
  std::string whyNotVersioned;
  /// Where that reason is, if it is an operation.
  mlir::Operation *culprit = nullptr;
  /// Versions that it already has: accesses go through `tile.slot` by iteration
  /// modulo this number; 1 before `--multi-buffer-versioning`.
  int64_t versions = 1;

  bool mayHaveVersions() const { return whyNotVersioned.empty(); }
};

/// The statements of a `tile.pipeline` and the dependences between them.
///
/// A statement is an operation of the body with memory effects, except reads of
/// memory that no statement writes and views, which are replayed at their users.
/// A read of a buffer that the loop writes is a statement even if only its
/// scalar result is used.
class DependenceGraph {
public:
  explicit DependenceGraph(tile::PipelineOp loop);

  tile::PipelineOp getLoop() const { return loop; }
  llvm::ArrayRef<mlir::Operation *> getStatements() const { return statements; }
  llvm::ArrayRef<Dependence> getDependences() const { return dependences; }
  const llvm::MapVector<mlir::Value, BufferInfo> &getBuffers() const {
    return buffers;
  }

  /// The number of a statement, or none for an operation that is replayed.
  std::optional<unsigned> getNumber(mlir::Operation *op) const;

  /// Null if the loop can be pipelined at all; otherwise the operation that
  /// rules it out (unknown effects, asynchronous operations of the user, memory
  /// allocated in the loop, values carried around it), and why. A graph with an
  /// obstacle has no dependences.
  mlir::Operation *getObstacle() const { return obstacle; }
  llvm::StringRef getObstacleReason() const { return obstacleReason; }

  /// Accesses of one statement, nested operations included, in program order.
  llvm::ArrayRef<BufferAccess> getAccesses(unsigned statement) const {
    return accesses[statement];
  }

private:
  void collectStatements();
  void collectBuffers();
  void addScalarDependences();
  void addMemoryDependences();
  void setObstacle(mlir::Operation *op, std::string reason);

  tile::PipelineOp loop;
  llvm::SmallVector<mlir::Operation *> statements;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<llvm::SmallVector<BufferAccess, 0>> accesses;
  llvm::SmallVector<Dependence> dependences;
  llvm::MapVector<mlir::Value, BufferInfo> buffers;
  mlir::Operation *obstacle = nullptr;
  std::string obstacleReason;
};

/// True if `op` itself may write the buffer behind `root`. An operation whose
/// effects are not known may.
bool mayWrite(mlir::Operation *op, mlir::Value root);

/// The pure operations (and reads of unwritten memory) of the body of `loop`
/// that must be replayed to run `statement`, its nested operations included, in
/// source order. Operations that are statements are not in it.
llvm::SmallVector<mlir::Operation *>
getReplayedOps(const DependenceGraph &graph, mlir::Operation *statement);

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_DEPENDENCEGRAPH_H
