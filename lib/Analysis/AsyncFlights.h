//===- AsyncFlights.h - Until when copies are in flight ---------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_ANALYSIS_ASYNCFLIGHTS_H
#define TILEPIPE_LIB_ANALYSIS_ASYNCFLIGHTS_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"

namespace tilepipe {

/// What is known of a copy after its start, whichever way control went: at
/// least `newer` groups were committed after its own, -1 while that is still
/// open.
struct Flight {
  int64_t newer = -1;
  /// The operation at whose end the copy is certainly complete, if it is.
  mlir::Operation *landed = nullptr;
};

/// Follows copies through blocks, in time that is logarithmic in their length
/// once a block has been looked at.
class FlightAnalysis {
public:
  /// Follows a flight from behind `op` to the end of its block.
  Flight advance(mlir::Operation *op, Flight flight);

private:
  /// What an operation does to flights: one with `newer >= threshold` lands,
  /// another one gets `commits` newer groups.
  struct Passage {
    int64_t commits = 0;
    int64_t threshold = kNever;
  };
  struct Event {
    mlir::Operation *op;
    int64_t commitsBefore;
    int64_t threshold;
  };
  struct BlockSummary {
    llvm::SmallVector<Event> events;
    Passage whole;
    /// Maximum of `commitsBefore - threshold`, as a binary tree over events.
    llvm::SmallVector<int64_t> tree;
    size_t leaves = 1;
  };
  static constexpr int64_t kNever = int64_t(1) << 60;

  const BlockSummary &summarize(mlir::Block &block);
  Passage summarize(mlir::Operation *op);
  static int64_t
  getThreshold(tile::AsyncWaitOp wait, int64_t commits,
               const llvm::DenseMap<mlir::Value, int64_t> &commitsAt);
  static size_t findFirst(const BlockSummary &summary, size_t from,
                          int64_t atLeast);

  llvm::DenseMap<mlir::Block *, std::unique_ptr<BlockSummary>> summaries;
};

/// True if each region of `op` runs at most once whenever `op` does.
bool runsRegionsOnce(mlir::Operation *op);

} // namespace tilepipe

#endif // TILEPIPE_LIB_ANALYSIS_ASYNCFLIGHTS_H
