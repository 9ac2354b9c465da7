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

static bool isWhole(tile::FillOp op, const Buffer &buffer) {
  return llvm::all_of(op.getMixedOffsets(), isZeroInteger) &&
         getConstantIntValues(op.getMixedSizes()) ==
             llvm::to_vector(buffer.type.getShape());
}

/// The elements that a thread fills at once.
static int64_t chooseWidth(Lowering &l, Emitter &e, tile::FillOp op,
                           const Buffer &buffer, int64_t last) {
  Value fits;
  int64_t limit = kMaxBytes / Emitter::getElementBytes(buffer.element());
  int64_t width = l.getWidth(e, buffer, op.getMixedOffsets(),
                             std::min(limit, getDivisor(last)), true, fits);
  return fits ? 1 : width;
}

std::optional<ElementThreads> nvidia::getThreadMap(Lowering &l,
                                                   tile::FillOp op) {
  OpBuilder b(op);
  Emitter e(op.getLoc(), b);
  Buffer buffer = l.resolve(e, op.getTarget());
  SmallVector<int64_t> shape(buffer.type.getShape());
  if (!buffer.isShared() || !isWhole(op, buffer) || shape.empty())
    return std::nullopt;
  // The width depends on what is known of a slot, which lowering may change.
  int64_t width = chooseWidth(l, e, op, buffer, shape.back());
  width = l.copyWidths.try_emplace(op, width).first->second;
  shape.back() /= width;
  return ElementThreads{
      ThreadLayout::getBlocked(shape, l.numThreads, 1).widen(width)};
}

LogicalResult nvidia::lower(Lowering &l, tile::FillOp op) {
  Emitter e = l.at(op);
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
          if (isWhole(op, buffer))
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
    width = chooseWidth(l, e, op, buffer, shape.back());
    // Barriers were left out because of this.
    if (auto it = l.copyWidths.find(op); it != l.copyWidths.end()) {
      assert(width >= it->second && "was decided before");
      width = it->second;
    }
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
