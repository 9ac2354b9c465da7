//===- Explain.h - What was decided, for a person ---------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EXPLAIN_EXPLAIN_H
#define TILEPIPE_EXPLAIN_EXPLAIN_H

#include "tilepipe/Analysis/Capacity.h"

namespace tilepipe {

/// One statement of a loop.
struct StatementReport {
  /// What it does, in a few words: `gemm As, Bs into Cl`.
  std::string text;
  mlir::Location loc;
  /// -1 in a loop that stays serial.
  int64_t stage = -1, order = -1;
  /// Whether it has copies that run asynchronously, or why its copies do not.
  bool isAsync = false;
  std::string whyNotAsync = {};
};

/// One buffer of a loop.
struct BufferReport {
  std::string name;
  tile::MemorySpace space;
  int64_t versionBytes, versions;
  /// Why iterations share it, for one that a pipelined loop writes.
  std::string whyNotVersioned;
};

/// One `tile.pipeline`.
struct LoopReport {
  mlir::Location loc;
  /// Iterations in flight, 1 for a loop that stays serial; cycles between
  /// iterations, 0 without a model.
  int64_t depth = 1, interval = 0;
  bool isSerial = true;
  std::optional<int64_t> tripCount = {};
  llvm::SmallVector<StatementReport>
      statements = {}; // by order, else as in the source
  std::vector<BufferReport> buffers = {};
  /// Waits that expansion emits, and the counts of those that relaxation
  /// leaves.
  int64_t waitsBefore = 0;
  llvm::SmallVector<int64_t> waitsAfter = {};
  int64_t commits = 0;
  /// Remarks of the planner.
  std::vector<std::pair<mlir::Location, std::string>> remarks = {};
};

/// What a function needs of one memory.
struct MemoryReport {
  tile::MemorySpace space;
  int64_t bytes;
  std::optional<int64_t> capacity;
};

struct FunctionReport {
  std::string name;
  std::string target;
  std::vector<LoopReport> loops = {}; // in source order
  std::vector<MemoryReport> memories = {};
};

/// Describes the loops of the planned module `planned`, function by function,
/// with the waits that injection gives them. Injects into a clone.
llvm::FailureOr<std::vector<FunctionReport>>
explainPlan(mlir::ModuleOp planned);

/// Prints reports as text.
void print(llvm::ArrayRef<FunctionReport> reports, llvm::raw_ostream &os);

} // namespace tilepipe

#endif // TILEPIPE_EXPLAIN_EXPLAIN_H
