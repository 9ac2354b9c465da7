//===- MmaShape.cpp - What tensor cores can do ----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentPlan.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using tile::MemorySpace;

static bool isShared(Value memref) {
  return tile::getMemorySpace(cast<MemRefType>(memref.getType())) !=
         MemorySpace::Global;
}

/// A tile that the target places itself: an allocation or a slot of one.
static bool isTile(Value memref) {
  if (auto slot = memref.getDefiningOp<tile::SlotOp>())
    memref = slot.getSource();
  return memref.getDefiningOp<tile::AllocOp>();
}

std::optional<MmaShape> nvidia::getMmaShape(tile::GemmOp op, int64_t numThreads,
                                            std::string *whyNot) {
  auto no = [&](const char *reason) {
    if (whyNot)
      *whyNot = reason;
    return std::nullopt;
  };
  auto a = cast<MemRefType>(op.getA().getType());
  auto b = cast<MemRefType>(op.getB().getType());
  auto c = cast<MemRefType>(op.getC().getType());
  Type element = a.getElementType();
  if (element != b.getElementType() || !(element.isF16() || element.isBF16()) ||
      !c.getElementType().isF32())
    return no("operands are not both f16 or both bf16 with f32 sums");
  if (!a.hasStaticShape() || !b.hasStaticShape() || !c.hasStaticShape())
    return no("shapes are not static");
  if (!isShared(op.getA()) || !isShared(op.getB()) || !isTile(op.getA()) ||
      !isTile(op.getB()))
    return no("operands are not tiles in shared memory");
  MmaShape shape{1, 1, c.getDimSize(0), c.getDimSize(1),
                 a.getDimSize(op.getTransposeA() ? 0 : 1)};
  if (shape.m % 16 || shape.n % 16 || shape.k % 16)
    return no("extents are not multiples of 16");
  if (numThreads % 32)
    return no("threads are not whole warps");
  int64_t warps = llvm::bit_floor(static_cast<uint64_t>(numThreads / 32));
  // As many warps as there is work for; then the least that a warp reads.
  int64_t best = 0, bestReads = 0;
  for (int64_t m = 1; m <= warps && shape.m % (16 * m) == 0; m *= 2)
    for (int64_t n = 1; m * n <= warps && shape.n % (16 * n) == 0; n *= 2) {
      int64_t reads = shape.m / m + shape.n / n;
      if (m * n < best || (m * n == best && reads >= bestReads))
        continue;
      best = m * n;
      bestReads = reads;
      shape.warpsM = m;
      shape.warpsN = n;
    }
  return shape;
}
