//===- SharedLayout.cpp - Where the elements of a shared tile are ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLayout.h"

#include "tilepipe/Analysis/Regions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// The swizzle for rows of `columns` elements of 2 bytes. A line of 128 bytes,
/// all banks, holds `128 / bytes` rows; the phase changes from line to line.
static SharedLayout getSwizzle(int64_t columns) {
  SharedLayout layout;
  int64_t chunks = columns * 2 / 16;
  if (columns % 8 || !llvm::isPowerOf2_64(chunks) || chunks < 2)
    return layout;
  layout.chunk = 8;
  layout.rowsPerPhase = std::max<int64_t>(1, 8 / chunks);
  layout.phases = std::min<int64_t>(chunks, 8);
  return layout;
}

DenseMap<Operation *, SharedLayout>
nvidia::getSharedLayouts(tile::LaunchOp launch) {
  DenseMap<Operation *, SharedLayout> layouts;
  launch.walk([&](tile::GemmOp gemm) {
    if (!getMmaShape(gemm, launch.getThreads()))
      return;
    for (Value operand : {gemm.getA(), gemm.getB()}) {
      auto type = cast<MemRefType>(operand.getType());
      layouts[getRootBuffer(operand).getDefiningOp()] =
          getSwizzle(type.getDimSize(1));
    }
  });
  return layouts;
}
