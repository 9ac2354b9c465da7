//===- BarrierAnalysis.h - Where threads of a block must meet ---*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward dataflow analysis over the body of a `tile.launch`. Its state is
// what the statements on the way touched since the last barrier, and the
// asynchronous copies that may still be in flight. A statement that touches the
// same memory, one of the two writing it, needs a barrier in between.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_BARRIERANALYSIS_H
#define TILEPIPE_LIB_TARGET_NVIDIA_BARRIERANALYSIS_H

#include "ThreadLayout.h"

#include "tilepipe/Analysis/Regions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilepipe::nvidia {

/// The number of a slot: `expression mod versions`.
struct Slot {
  LinearExpr expression;
  int64_t versions = 1;
};

/// Which threads touch an element of a buffer.
struct ElementThreads {
  ThreadLayout layout;
  /// All threads that have the element in the layout, not only the first one.
  bool all = false;

  /// True if each element is touched by one thread, the same one in both.
  bool isSameThread(const ElementThreads &other, int64_t numThreads) const;
  /// True if threads of one warp touch each element, of the same one in both.
  bool isSameWarp(const ElementThreads &other, int64_t numThreads) const;
  bool operator==(const ElementThreads &other) const {
    return layout == other.layout && all == other.all;
  }
  bool operator!=(const ElementThreads &other) const {
    return !(*this == other);
  }
};

/// Something happens only while an induction variable is in a range, both ends
/// included.
struct Guard {
  mlir::Value induction;
  int64_t low, high;

  bool operator==(const Guard &other) const {
    return induction == other.induction && low == other.low &&
           high == other.high;
  }
};

/// More iterations than this are as good as any number.
inline constexpr int64_t kMany = int64_t(1) << 40;

/// Ages of touches that are told apart: about as many as buffers have versions.
inline constexpr int64_t kOld = 5;

/// What a statement touched, seen from a later point of the program.
struct Touch {
  BufferAccess access;
  /// Which slot of the buffer; none where that is not understood.
  std::optional<Slot> slot;
  /// The loop that has come to a later iteration since, or null.
  mlir::scf::ForOp carriedBy;
  /// How many iterations of it ago the touch was made: `kOld` or more are
  /// `kOld`.
  int64_t age = 0;
  /// Which threads touch which element; null where that is not known.
  const ElementThreads *threads = nullptr;
  /// What holds wherever it was made.
  llvm::SmallVector<Guard, 1> guards;
  /// The threads of each warp have met since.
  bool warpsMet = false;
};

/// Whether two accesses, without a barrier of all threads in between, need one.
bool conflicts(const Touch &before, const Touch &now, int64_t numThreads);

/// The induction variable in the last iteration, where bounds and step are
/// constants and there is an iteration.
std::optional<int64_t> getLastValue(mlir::scf::ForOp loop);

/// An asynchronous copy that may be in flight: its accesses, and how many
/// groups at least were committed since (-1: its own group is still open).
struct Flight {
  llvm::SmallVector<Touch, 0> touches;
  int64_t commits = -1;
};

/// What is to be known in front of an operation.
struct BlockState {
  llvm::SmallVector<Touch, 0> touches;
  llvm::SmallVector<Flight, 0> flights;
};

/// What is known of statements once it is decided how threads carry them out.
class LoweringFacts {
public:
  virtual ~LoweringFacts() = default;
  /// Which threads touch which element in an access of a statement; null if
  /// that is not known. The same pointer for the same threads.
  virtual const ElementThreads *getThreads(mlir::Operation *op,
                                           const BufferAccess &access) = 0;
  /// True for a copy that is made with loads and stores.
  virtual bool completesAtOnce(tile::AsyncCopyOp copy) = 0;
};

/// A statement, and those before it from which no barrier separates it.
struct BarrierConflict {
  llvm::SmallVector<mlir::Operation *, 4> first;
  mlir::Operation *second;
};

/// Runs over one launch. `onConflict` is told of each conflict at its second
/// statement; if it returns true, a barrier now is in front of that statement
/// and the analysis goes on behind it, else the analysis stops.
class BarrierAnalysis {
public:
  using Handler = llvm::function_ref<bool(const BarrierConflict &)>;

  BarrierAnalysis(Handler onConflict, int64_t numThreads,
                  LoweringFacts *facts = nullptr)
      : onConflict(onConflict), numThreads(numThreads), facts(facts) {}

  /// Returns false if the handler stopped it.
  bool run(mlir::Region &body);

private:
  bool visitBlock(mlir::Block &block, BlockState &state);
  bool visit(mlir::Operation *op, BlockState &state);
  bool visitIf(mlir::scf::IfOp op, BlockState &state);
  bool visitFor(mlir::scf::ForOp op, BlockState &state);
  bool visitOther(mlir::Operation *op, BlockState &state);
  bool visitStatement(mlir::Operation *op, BlockState &state);
  void addGuards(mlir::Value condition);
  llvm::SmallVector<Touch, 0> getTouches(mlir::Operation *op);
  Touch makeTouch(const BufferAccess &access);

  Handler onConflict;
  int64_t numThreads;
  LoweringFacts *facts;
  /// Groups that so many others were committed after are alike for all waits;
  /// it ends the count of a loop that never waits.
  int64_t mostPending = 1;
  /// Conditions around the present statement.
  llvm::SmallVector<Guard, 1> guards;
  AccessCollector collector;
};

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_BARRIERANALYSIS_H
