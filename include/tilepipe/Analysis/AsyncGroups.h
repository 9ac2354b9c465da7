//===- AsyncGroups.h - Groups of asynchronous copies in flight --*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups complete in the order of their commits, so all that a count-based wait
// needs is how many groups are newer than the one that is waited for. Both
// analyses here bound such numbers over all control-flow paths in time linear
// in the size of the IR (and n log n in the number of tokens).
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_ASYNCGROUPS_H
#define TILEPIPE_ANALYSIS_ASYNCGROUPS_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace tilepipe {

/// Lower bounds: the least number of groups that are newer than a token's. A token
/// that a dominating wait has named is complete.
class NewerGroups {
public:
  /// Analyses everything below `root`. A wait with a count is taken to complete
  /// its tokens only with `trustCounts`.
  explicit NewerGroups(mlir::Operation *root, bool trustCounts = false);

  /// The largest `n` such that whichever way control comes to `at`, `n` groups
  /// were committed after the group of `token`. None if the token is complete
  /// on every path; -1 if it is of a copy that may not be in a group yet.
  std::optional<int64_t> get(mlir::Value token, mlir::Operation *at) const;

private:
  int64_t numberBlock(mlir::Block &block, int64_t start);
  int64_t numberOp(mlir::Operation *op, int64_t start);
  int64_t getDistance(mlir::Value token, mlir::Operation *at) const;
  void propagate(mlir::Operation *root);
  using CompleteTokens = llvm::ScopedHashTable<mlir::Value, bool>;
  void findComplete(mlir::Operation *op, bool trustCounts,
                    CompleteTokens &complete);

  /// The least number of commits from the entry of the root to the op (to its
  /// end), where entering a region costs nothing and a loop may run 0 times.
  llvm::DenseMap<mlir::Operation *, int64_t> before, after;
  llvm::DenseMap<mlir::Block *, int64_t> blockStart;
  /// Operations and those of their operands that are complete there.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> completeAt;
  /// For each token that is not complete: newer groups where it is defined.
  llvm::DenseMap<mlir::Value, int64_t> atDefinition;
};

/// Upper bounds: the largest number of groups that may be incomplete.
class OutstandingGroups {
public:
  /// Analyses everything below `root`. Waits without a count bound nothing.
  explicit OutstandingGroups(mlir::Operation *root);

  /// The number of most recent groups of the function of `wait` that may be
  /// incomplete right before it; none if there is no bound.
  std::optional<int64_t> getBefore(tile::AsyncWaitOp wait) const;

private:
  /// The function `u -> min(max(u + add, low), high)`. Such functions are
  /// closed under composition, and their maximum is bounded by one of them.
  struct Transfer {
    int64_t add, low, high;
    bool isIdentity() const;
    Transfer then(const Transfer &next) const;
    Transfer max(const Transfer &other) const;
    /// Any number of repetitions, none included.
    Transfer star() const;
    int64_t operator()(int64_t outstanding) const;
  };

  Transfer summarizeBlock(mlir::Block &block);
  Transfer summarizeOp(mlir::Operation *op);
  int64_t walkBlock(mlir::Block &block, int64_t outstanding);
  int64_t walkOp(mlir::Operation *op, int64_t outstanding);

  llvm::DenseMap<mlir::Operation *, Transfer> bodySummary, opSummary;
  llvm::DenseMap<mlir::Operation *, int64_t> beforeWait;
};

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_ASYNCGROUPS_H
