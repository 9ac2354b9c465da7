//===- SharedLayout.h - Where the elements of a shared tile are  -*- C++
//-*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_SHAREDLAYOUT_H
#define TILEPIPE_LIB_TARGET_NVIDIA_SHAREDLAYOUT_H

#include "FragmentPlan.h"

namespace tilepipe::nvidia {

/// The order of the elements of a tile in shared memory: row major, and with
/// `chunk` the chunks of `chunk` elements (16 bytes) of a row are permuted by
/// the row: chunk `c` of row `r` is at `c xor (r / rowsPerPhase mod phases)`.
/// Eight rows that ldmatrix reads at once then lie in different banks.
struct SharedLayout {
  int64_t chunk = 0;
  int64_t rowsPerPhase = 1;
  int64_t phases = 1;

  bool isSwizzled() const { return chunk != 0; }
  /// What the row does to the column: a value to xor it with, in elements.
  int64_t getMask(int64_t row) const {
    return row / rowsPerPhase % phases * chunk;
  }
};

/// The layout of tiles that ldmatrix reads, by their allocations.
llvm::DenseMap<mlir::Operation *, SharedLayout>
getSharedLayouts(tile::LaunchOp launch);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_SHAREDLAYOUT_H
