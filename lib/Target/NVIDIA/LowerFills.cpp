//===- LowerFills.cpp - Fills, dealt out to the threads -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"
#include "Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Bytes of the largest access of a thread.
static constexpr int64_t kMaxBytes = 16;

LogicalResult nvidia::lower(Lowering &l, tile::FillOp op) {
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  Buffer buffer = l.resolve(e, op.getTarget());
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  auto finish = [&] {
    op.erase();
    return success();
  };
  if (buffer.isFragment()) {
    l.distribute(
        e, *buffer.layout, 1, 0, [&](int64_t number, ArrayRef<Value> at) {
          Value inRegion = e.boolean(true);
          for (auto [i, start, size] : llvm::zip_equal(at, offsets, sizes))
            inRegion = e.both(
                inRegion, e.isInside(e.sub(i, e.index(start)), e.index(size)));
          // Padding may be set as well, which needs no test.
          if (llvm::equal(sizes, getAsIndexOpFoldResult(
                                     op.getContext(), buffer.type.getShape())))
            inRegion = e.boolean(true);
          e.when(inRegion,
                 [&] { l.storeRegister(e, op.getValue(), buffer, number); });
        });
    return finish();
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto put = [&](ArrayRef<Value> point, int64_t width) {
    SmallVector<Value> at;
    for (auto [i, start] : llvm::zip_equal(point, offsets))
      at.push_back(e.add(i, e.index(start)));
    Value value = op.getValue();
    if (width > 1)
      value = vector::BroadcastOp::create(
          e, VectorType::get({width}, value.getType()), value);
    l.store(e, value, buffer, at, width);
  };
  if (ShapedType::isDynamicShape(shape)) {
    l.distributeDynamic(e, sizes,
                        [&](ArrayRef<Value> point) { put(point, 1); });
    return finish();
  }
  int64_t width = 1;
  if (!shape.empty()) {
    Value fits;
    int64_t limit = kMaxBytes / Emitter::getElementBytes(buffer.element());
    width = l.getWidth(e, buffer, offsets,
                       std::min(limit, getDivisor(shape.back())), true, fits);
    if (fits)
      width = 1;
    shape.back() /= width;
  }
  ThreadLayout layout = ThreadLayout::getBlocked(shape, l.numThreads, 1);
  Value owner = l.getOwner(layout);
  e.when(owner ? owner : e.boolean(true), [&] {
    l.distribute(e, layout, 1, kMaxUnrolled, [&](int64_t, ArrayRef<Value> at) {
      Value inRegion = e.boolean(true);
      for (auto [i, extent] : llvm::zip_equal(at, shape))
        inRegion = e.both(inRegion, e.isInside(i, e.index(extent)));
      SmallVector<Value> point(at);
      if (!point.empty())
        point.back() = e.mul(point.back(), e.index(width));
      e.when(inRegion, [&] { put(point, width); });
    });
  });
  return finish();
}
