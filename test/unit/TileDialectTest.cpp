//===- TileDialectTest.cpp - Questions about buffers and trip counts ------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilepipe::tile;

namespace {

TEST(TripCount, CountsWholeAndPartialSteps) {
  EXPECT_EQ(getTripCount(0, 10, 1), 10);
  EXPECT_EQ(getTripCount(3, 10, 3), 3);
  EXPECT_EQ(getTripCount(10, 10, 1), 0);
  EXPECT_EQ(getTripCount(11, 10, 1), 0);
}

TEST(TripCount, RunsDownwards) {
  EXPECT_EQ(getTripCount(10, 0, -1), 10);
  EXPECT_EQ(getTripCount(10, 0, -3), 4);
  EXPECT_EQ(getTripCount(0, 10, -1), 0);
}

TEST(TripCount, DistanceMayExceedInt64) {
  EXPECT_EQ(getTripCount(INT64_MIN, INT64_MAX, INT64_MAX), 3);
  EXPECT_EQ(getTripCount(INT64_MAX, INT64_MIN, INT64_MIN), 2);
  EXPECT_EQ(getTripCount(INT64_MIN, INT64_MAX, 1), INT64_MAX);
}

TEST(MemorySpace, DefaultsToGlobal) {
  MLIRContext context;
  context.loadDialect<TileDialect>();
  auto type = MemRefType::get({4}, Float32Type::get(&context));
  EXPECT_EQ(getMemorySpace(type), MemorySpace::Global);
  auto shared = MemRefType::get({4}, Float32Type::get(&context), AffineMap(),
                                SpaceAttr::get(&context, MemorySpace::Shared));
  EXPECT_EQ(getMemorySpace(shared), MemorySpace::Shared);
}

} // namespace
