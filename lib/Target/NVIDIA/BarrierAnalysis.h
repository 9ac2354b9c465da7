//===- BarrierAnalysis.h - Where threads of a block must meet ---*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward dataflow analysis over the body of a `tile.launch`. Its state is what
// the statements on the way touched since the last barrier, and the asynchronous
// copies that may still be in flight. A statement that touches the same memory,
// one of the two writing it, needs a barrier in between.
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

/// What a statement touched, seen from a later point of the program.
struct Touch {
  BufferAccess access;
  /// Which slot of the buffer; none where that is not understood.
  std::optional<Slot> slot;
  /// The loop that has come to a later iteration since, or null. The touch was
  /// made 1, 2, ... iterations before the present one.
  mlir::scf::ForOp carriedBy;
  /// Which thread touches which element, where one does and it is known.
  std::optional<ThreadLayout> threads;
};

/// An asynchronous copy that may be in flight: its accesses, and how many groups
/// at least were committed since (-1: its own group is still open).
struct Flight {
  llvm::SmallVector<Touch, 0> touches;
  int64_t commits = -1;
};

/// What is to be known in front of an operation.
struct BlockState {
  llvm::SmallVector<Touch, 0> touches;
  llvm::SmallVector<Flight, 0> flights;
};

/// Two statements without a barrier in between.
struct BarrierConflict {
  mlir::Operation *first;
  mlir::Operation *second;
};

/// Runs over one launch. `onConflict` is told of each conflict at its second
/// statement; if it returns true, a barrier now is in front of that statement and
/// the analysis goes on behind it, else the analysis stops.
class BarrierAnalysis {
public:
  using Handler = llvm::function_ref<bool(const BarrierConflict &)>;
  /// Tells which thread touches which element in an access of a statement; none
  /// if that is not known, or not one thread. Elements that the same thread
  /// touches in both of two statements need no barrier in between.
  using ThreadMap = llvm::function_ref<std::optional<ThreadLayout>(
      mlir::Operation *, const BufferAccess &)>;

  explicit BarrierAnalysis(Handler onConflict, ThreadMap threadMap = nullptr)
      : onConflict(onConflict), threadMap(threadMap) {}

  /// Returns false if the handler stopped it.
  bool run(mlir::Region &body);

private:
  bool visitBlock(mlir::Block &block, BlockState &state);
  bool visit(mlir::Operation *op, BlockState &state);
  bool visitIf(mlir::scf::IfOp op, BlockState &state);
  bool visitFor(mlir::scf::ForOp op, BlockState &state);
  bool visitOther(mlir::Operation *op, BlockState &state);
  bool visitStatement(mlir::Operation *op, BlockState &state);
  llvm::SmallVector<Touch, 0> getTouches(mlir::Operation *op);
  Touch makeTouch(const BufferAccess &access);

  Handler onConflict;
  ThreadMap threadMap;
  AccessCollector collector;
};

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_BARRIERANALYSIS_H
