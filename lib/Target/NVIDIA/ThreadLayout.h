//===- ThreadLayout.h - Which thread holds which element ------ -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A layout maps (register, thread) to an element of a tile, linearly in the
// bits of both: each bit that is set adds its basis, a step along one
// dimension. Bases of one dimension are distinct powers of two, so sums have no
// carries, and the coordinates of a thread are a few shifted bit fields of its
// number. A thread bit without a basis means that threads differing in it hold
// the same elements.
//
// Tiles whose extents are not powers of two are padded: elements outside of the
// tile are held, but mean nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_THREADLAYOUT_H
#define TILEPIPE_LIB_TARGET_NVIDIA_THREADLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tilepipe::nvidia {

/// What one bit of a register or thread number adds: `step` along `dim`, or
/// nothing (`step` 0).
struct LayoutBasis {
  int64_t dim = 0;
  int64_t step = 0;

  bool operator==(const LayoutBasis &other) const {
    return step == other.step && (step == 0 || dim == other.dim);
  }
};

class ThreadLayout {
public:
  ThreadLayout() = default;
  ThreadLayout(int64_t rank, llvm::ArrayRef<LayoutBasis> registers,
               llvm::ArrayRef<LayoutBasis> threads)
      : rank(rank), registers(registers), threads(threads) {}

  /// Consecutive elements of the last dimension to consecutive lanes, `vector`
  /// at a time (fewer where threads would stay idle), rows to warps.
  static ThreadLayout getBlocked(llvm::ArrayRef<int64_t> shape,
                                 int64_t numThreads, int64_t vector);
  /// The accumulators of mma.m16n8k16 (PTX ISA, "Matrix Fragments for
  /// mma.m16n8k16"): 16 x 16 blocks are dealt out round robin to a grid of
  /// warps; the rest of the warps hold what the first ones hold.
  static ThreadLayout getMma(int64_t m, int64_t n, int64_t numThreads,
                             int64_t warpsM, int64_t warpsN);

  int64_t getRank() const { return rank; }
  int64_t getNumRegisters() const { return int64_t(1) << registers.size(); }
  llvm::ArrayRef<LayoutBasis> getRegisterBases() const { return registers; }
  llvm::ArrayRef<LayoutBasis> getThreadBases() const { return threads; }

  /// What register `number` adds to the coordinates of its thread.
  llvm::SmallVector<int64_t> getOffset(int64_t number) const;
  /// The register at an offset, which must be one that `getOffset` gives in the
  /// dimensions that registers run over.
  int64_t getRegister(llvm::ArrayRef<int64_t> offset) const;
  /// The extent of the padded tile.
  int64_t getExtent(int64_t dim) const;
  /// The largest coordinate of any thread in register 0.
  int64_t getMaxThreadCoordinate(int64_t dim) const;
  /// Elements of consecutive registers that follow each other in the last
  /// dimension, aligned to their number.
  int64_t getContiguity() const;
  /// The bits of the thread number in which threads hold the same elements.
  int64_t getReplicatedThreadMask(int64_t numThreads) const;

  /// The layout of a tile that is indexed with coordinates of this one:
  /// dimension `i` of it with dimension `dims[i]`, or with 0 if that is -1.
  ThreadLayout project(llvm::ArrayRef<int64_t> dims) const;

  /// The layout of a tile whose last dimension has `width` elements, all in one
  /// thread, for each of this one.
  ThreadLayout widen(int64_t width) const;

  bool operator==(const ThreadLayout &other) const {
    return rank == other.rank && registers == other.registers &&
           threads == other.threads;
  }
  bool operator!=(const ThreadLayout &other) const { return !(*this == other); }

  /// For remarks and tests: `reg [d1:1 d0:8] thread [...]`.
  std::string str() const;

private:
  int64_t rank = 0;
  llvm::SmallVector<LayoutBasis> registers;
  llvm::SmallVector<LayoutBasis> threads;
};

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_THREADLAYOUT_H
