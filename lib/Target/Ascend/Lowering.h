//===- Lowering.h - Lowering of each tile operation -------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_LOWERING_H
#define TILEPIPE_LIB_TARGET_ASCEND_LOWERING_H

#include "Emitter.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

namespace tilepipe::ascend {

/// What the lowerings of one launch share.
struct Lowering {
  explicit Lowering(tile::LaunchOp launch) : launch(launch) {}

  tile::LaunchOp launch;
  /// Sums that are clamped at zero on their way to global memory.
  llvm::SmallPtrSet<mlir::Operation *, 4> clampedSums;
  /// Whether a gemm starts its sums instead of adding to them; false without
  /// an entry.
  llvm::DenseMap<mlir::Operation *, mlir::Value> init;
  /// Fills of sums that the first gemm makes.
  llvm::SmallPtrSet<mlir::Operation *, 4> impliedFills;

  /// What sets tiles to the fill value, and what then loads them.
  llvm::SmallSetVector<mlir::Operation *, 8> fills, loads;

  /// A buffer at the start of the launch; one for each type and name.
  mlir::Value getBuffer(llvm::StringRef name, mlir::MemRefType type);

private:
  llvm::StringMap<mlir::Value> buffers;
};

/// The memory of a memref.
tile::MemorySpace getSpace(mlir::Value memref);
/// A type in one of the memories of a core.
mlir::MemRefType getBufferType(llvm::ArrayRef<int64_t> shape,
                               mlir::Type element, tile::MemorySpace space);

/// Finds out which sums are clamped, and which gemms start sums.
void analyzeSums(Lowering &l);

/// Puts the fills of neighbouring copies in front of their loads: the vector pipe
/// then hands over the tiles of all of them at once, by one flag.
void groupFills(Lowering &l);

/// Each emits instructions in front of an operation, which the caller erases.
llvm::LogicalResult lower(Lowering &l, tile::CopyOp op);
llvm::LogicalResult lower(Lowering &l, tile::FillOp op);
llvm::LogicalResult lower(Lowering &l, tile::GemmOp op);
llvm::LogicalResult lower(Lowering &l, tile::MapOp op);
llvm::LogicalResult lower(Lowering &l, tile::ReduceOp op);
llvm::LogicalResult lower(Lowering &l, mlir::memref::LoadOp op);
llvm::LogicalResult lower(Lowering &l, mlir::memref::StoreOp op);

/// Sets sums to zero where no gemm does.
llvm::LogicalResult lowerFillOfSums(Lowering &l, tile::FillOp op);
/// Copies from one tile in the UB to another.
llvm::LogicalResult lowerCopyInUB(Lowering &l, tile::CopyOp op);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_LOWERING_H
