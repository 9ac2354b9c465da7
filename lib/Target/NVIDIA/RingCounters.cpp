//===- RingCounters.cpp - Slot numbers without division -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// The constant `c` of `iv + c`; none if `value` is not that.
static std::optional<int64_t> getDistance(Value value, Value iv) {
  if (value == iv)
    return 0;
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> constant = getConstantIntValue(add.getRhs());
    if (constant && add.getLhs() == iv)
      return constant;
  }
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    std::optional<int64_t> constant = getConstantIntValue(sub.getRhs());
    if (constant && sub.getLhs() == iv)
      return -*constant;
  }
  return std::nullopt;
}

/// Replaces what `loop` computes modulo constants. Where `iv + c` begins below
/// 0, the counter differs from the remainder as long as that lasts: this is for
/// the slots of guarded statements only, which do not run then.
static void makeRingCounters(IRRewriter &rewriter, scf::ForOp loop) {
  IndexRange lower = getRange(loop.getLowerBound());
  if (getConstantIntValue(loop.getStep()) != 1 || lower.min < 0)
    return;
  // By distance and modulus.
  llvm::MapVector<std::pair<int64_t, int64_t>, SmallVector<arith::RemUIOp>>
      rings;
  loop.getBody()->walk([&](arith::RemUIOp op) {
    std::optional<int64_t> modulus = getConstantIntValue(op.getRhs());
    std::optional<int64_t> distance =
        getDistance(op.getLhs(), loop.getInductionVar());
    if (!modulus || *modulus <= 1 || *modulus >= (int64_t(1) << 31) ||
        !distance)
      return;
    if (lower.min + *distance >= 0 ||
        llvm::all_of(op->getUsers(), llvm::IsaPred<tile::SlotOp>))
      rings[{*distance, *modulus}].push_back(op);
  });
  if (rings.empty())
    return;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Emitter e(loc, rewriter);
  Type i32 = e.getI32Type();
  SmallVector<Value> inits;
  for (auto &[key, ops] : rings) {
    auto [distance, modulus] = key;
    int64_t offset = (distance % modulus + modulus) % modulus;
    Value first = e.createOrFold<arith::RemUIOp>(
        e.add(loop.getLowerBound(), e.index(offset)), e.index(modulus));
    inits.push_back(e.createOrFold<arith::IndexCastOp>(i32, first));
  }
  unsigned numOld = loop.getRegionIterArgs().size();
  auto next = [&](OpBuilder &b, Location loc,
                  ArrayRef<BlockArgument> counters) {
    Emitter inner(loc, b);
    SmallVector<Value> values;
    for (auto [ring, counter] : llvm::zip_equal(rings, counters)) {
      Value more = arith::AddIOp::create(inner, counter, inner.i32(1));
      values.push_back(
          inner.select(inner.isEqual(more, inner.i32(ring.first.second)),
                       inner.i32(0), more));
    }
    return values;
  };
  auto wider = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, next));
  for (auto [i, ring] : llvm::enumerate(rings)) {
    rewriter.setInsertionPointToStart(wider.getBody());
    Value counter =
        arith::IndexCastUIOp::create(rewriter, loc, rewriter.getIndexType(),
                                     wider.getRegionIterArgs()[numOld + i]);
    for (arith::RemUIOp op : ring.second)
      rewriter.replaceOp(op, counter);
  }
}

void nvidia::makeRingCounters(gpu::GPUFuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop->getParentOfType<tile::MapOp>())
      loops.push_back(loop);
  });
  IRRewriter rewriter(kernel.getContext());
  for (scf::ForOp loop : loops)
    ::makeRingCounters(rewriter, loop);
}
