//===- PipeModel.h - Which instructions happen before which -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Runs the flags of a function for small numbers: one pass over the program in
// the order in which the scalar stream issues it, with a vector clock for each
// pipe. As queues are in order and the k-th wait on a flag takes the k-th set,
// what happens before what does not depend on timing, so one pass finds every
// race, double set and left-over flag of a control path.
//
// Control flow is run for all small values of what loops and versions depend
// on. Flags depend on a trip count only through comparisons with small
// constants and through its remainder by numbers of versions; both have been
// seen when the trip count has passed the largest constant by the largest
// number of versions. Other conditions, which say whether a part of a tile is
// touched, are tried both ways.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_PIPEMODEL_H
#define TILEPIPE_LIB_TARGET_ASCEND_PIPEMODEL_H

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tilepipe::ascend {

/// A buffer and the version of it that a memref names.
struct BufferView {
  /// The `tile.alloc`, or the argument of the function.
  mlir::Value root;
  /// Index of the version, null for all, and the `tile.slot` that takes it.
  mlir::Value slot;
  mlir::Operation *view = nullptr;
};
BufferView resolveBuffer(mlir::Value memref);

/// True if flags or instructions are in `op`.
bool isRelevant(mlir::Operation *op);

/// Something that is wrong with the flags.
struct Finding {
  enum Kind {
    /// Two accesses of different pipes that nothing orders.
    Race,
    /// Two accesses of one pipe without a barrier between them.
    SamePipe,
    /// A flag is set while it is set, or may be.
    DoubleSet,
    /// A wait that no set comes before.
    NoSet,
    /// A flag that is set at the end.
    Residual,
    /// A slot or control flow that the model cannot follow.
    Unknown
  };
  Kind kind;
  mlir::Operation *op;
  mlir::Operation *other;
  Pipe pipe, otherPipe;
  /// The root of the buffer, where there is one.
  mlir::Value buffer;
  std::string text;
};

/// Emits an error at the operation, with a note at the other one.
mlir::InFlightDiagnostic emitFinding(const Finding &finding);

/// What the model takes besides the program itself.
struct ModelOptions {
  /// Operations that are taken to be absent.
  llvm::DenseSet<mlir::Operation *> ignored;
  /// Barriers that are taken to be right before an operation.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Pipe>> barriers;
  /// Run few choices of sizes, for questions that are asked again in full.
  bool quick = false;
};

/// Follows some operations along the control paths.
struct ModelTrace {
  llvm::DenseSet<mlir::Operation *> watched;
  llvm::function_ref<void(mlir::Operation *, IndexEvaluator)> visit;
  llvm::function_ref<void()> endOfPath;
};

/// The control paths of a function, and what they do.
class PipeModel {
public:
  explicit PipeModel(FuncOp function);

  /// Runs every control path. `report` says whether to go on.
  void run(const ModelOptions &options,
           llvm::function_ref<bool(const Finding &)> report);

  /// Runs every control path without flags.
  void run(const ModelTrace &trace);

  int64_t getNumPaths() const { return numPaths; }
  /// False if the last run took too many steps and was ended early.
  bool isComplete() const { return complete; }

private:
  struct Symbol {
    mlir::Value value;
    llvm::SmallVector<int64_t> domain;
    /// Loops and versions depend on it.
    bool primary;
    /// It says which block or core this is: with a large one there is often
    /// nothing to do.
    bool position = false;
    /// The last value of the domain is that of the last block of the grid.
    bool bounded = false;
  };

  void runAll(const ModelOptions &options, const ModelTrace *trace,
              llvm::function_ref<bool(const Finding &)> report);
  void collectSymbols();
  /// Domains of the symbols found so far that have none.
  void setDomains(bool primary, int64_t versions);
  /// Adds what `value` is computed from as symbols; quotients are symbols
  /// themselves, unless `open`.
  void addSlice(mlir::Value value, bool open);
  bool addLeaf(mlir::Value value);
  bool touchesLoop(mlir::Value value);

  FuncOp function;
  llvm::DenseSet<mlir::Value> workspaces;
  llvm::SmallVector<Symbol> symbols;
  llvm::DenseSet<mlir::Value> visited, leaves;
  llvm::DenseMap<mlir::Value, bool> touches;
  llvm::SmallVector<int64_t> constants;
  int64_t numPaths = 0;
  bool complete = true;
};

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_PIPEMODEL_H
