//===- CostModel.cpp - Cycles of statements under a target ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Model/CostModel.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

static int64_t getBytes(Type type) {
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return 8;
}

/// No number of cycles or elements is counted beyond this.
static constexpr int64_t kMost = int64_t(1) << 40;

/// Saturates: sizes of a malformed or absurd program must not wrap around.
static int64_t multiply(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return kMost;
  return std::min(result, kMost);
}

static int64_t getNumElements(MemRefType type) {
  int64_t elements = 1;
  for (int64_t extent : type.getShape())
    elements = multiply(elements, ShapedType::isDynamic(extent) ? 1 : extent);
  return elements;
}

static int64_t getNumElements(ArrayRef<OpFoldResult> sizes) {
  int64_t elements = 1;
  for (OpFoldResult size : sizes)
    elements = multiply(
        elements, std::max<int64_t>(getConstantIntValue(size).value_or(1), 0));
  return elements;
}

int64_t tilepipe::getCopiedBytes(CopyOp copy) {
  SmallVector<OpFoldResult> sizes = copy.getMixedSizes();
  int64_t elements = 1;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    int64_t extent = 1;
    if (std::optional<int64_t> known = getConstantIntValue(size)) {
      extent = *known;
    } else {
      // The on-chip side is static, and a region is rarely much smaller.
      for (auto [type, dims] :
           {std::pair(copy.getTargetType(), copy.getTargetDims()),
            std::pair(copy.getSourceType(), copy.getSourceDims())})
        if (int64_t dim = dims[index]; !type.isDynamicDim(dim))
          extent = std::max(extent, type.getDimSize(dim));
    }
    elements = multiply(elements, std::max<int64_t>(extent, 0));
  }
  return multiply(elements,
                  std::max(getBytes(copy.getSourceType().getElementType()),
                           getBytes(copy.getTargetType().getElementType())));
}

static Cost getComputeCost(UnitKind kind, int64_t ops, TargetAttr target) {
  Cost cost{stringifyUnitKind(kind).str()};
  ComputeUnitAttr unit = target.getUnit(kind);
  if (!unit)
    return cost;
  cost.occupancy = std::max<int64_t>(
      1, llvm::divideCeil(uint64_t(ops), uint64_t(unit.getOpsPerCycle())));
  cost.latency = cost.occupancy + std::min(unit.getLatency(), kMost);
  return cost;
}

static Cost getCopyCost(CopyOp copy, TargetAttr target) {
  int64_t bytes = getCopiedBytes(copy);
  TransferAttr transfer =
      target.getTransfer(getMemorySpace(copy.getSourceType()),
                         getMemorySpace(copy.getTargetType()));
  // A path that the target does not describe is a loop over elements.
  if (!transfer)
    return getComputeCost(
        UnitKind::Vector,
        bytes / getBytes(copy.getTargetType().getElementType()), target);
  Cost cost{transfer.getUnit().str()};
  cost.occupancy =
      std::min(transfer.getIssue(), kMost) +
      llvm::divideCeil(uint64_t(bytes), uint64_t(transfer.getBytesPerCycle()));
  cost.occupancy = std::max<int64_t>(1, cost.occupancy);
  cost.latency = cost.occupancy + std::min(transfer.getLatency(), kMost);
  return cost;
}

static Cost getGemmCost(GemmOp gemm, TargetAttr target) {
  auto c = cast<MemRefType>(gemm.getC().getType());
  auto a = cast<MemRefType>(gemm.getA().getType());
  int64_t depth = a.getDimSize(gemm.getTransposeA() ? 0 : 1);
  int64_t ops =
      multiply(getNumElements(c), ShapedType::isDynamic(depth) ? 1 : depth);
  return getComputeCost(UnitKind::Tensor, ops, target);
}

static Cost getMapCost(MapOp map, TargetAttr target) {
  int64_t points = getNumElements(map.getMixedExtents());
  int64_t work = 0;
  map.getBody().walk([&](Operation *op) {
    bool isData = llvm::any_of(op->getResultTypes(), [](Type type) {
      return type.isFloat() || type.isInteger();
    });
    work += isData && isMemoryEffectFree(op) &&
            !op->hasTrait<OpTrait::ConstantLike>();
  });
  return getComputeCost(UnitKind::Vector,
                        multiply(points, std::max<int64_t>(work, 1)), target);
}

/// Executions of the body of `op` for one of the operation.
static int64_t getTripCount(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return 1;
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> upper = loop.getLoopUpperBounds();
  std::optional<SmallVector<OpFoldResult>> step = loop.getLoopSteps();
  int64_t trips = 1;
  if (!lower || !upper || !step)
    return trips;
  for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *step)) {
    std::optional<int64_t> a = getConstantIntValue(from);
    std::optional<int64_t> b = getConstantIntValue(to);
    std::optional<int64_t> c = getConstantIntValue(by);
    if (a && b && c)
      trips = multiply(trips, tile::getTripCount(*a, *b, *c));
  }
  return trips;
}

/// What is nested in `op` runs one after the other.
static Cost getNestedCost(Operation *op, TargetAttr target) {
  Cost total{stringifyUnitKind(UnitKind::Scalar).str()};
  int64_t cycles = 0, extra = 0, busiest = 0;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps()) {
      if (isMemoryEffectFree(&nested))
        continue;
      Cost cost = getCost(&nested, target);
      cycles += cost.occupancy;
      extra = std::max(extra, cost.latency - cost.occupancy);
      if (cost.occupancy <= busiest)
        continue;
      busiest = cost.occupancy;
      total.resource = cost.resource;
    }
  total.occupancy = std::max<int64_t>(1, multiply(cycles, ::getTripCount(op)));
  total.latency = total.occupancy + extra;
  return total;
}

Cost tilepipe::getCost(Operation *op, TargetAttr target) {
  auto vector = [&](Value buffer) {
    return getComputeCost(UnitKind::Vector,
                          getNumElements(cast<MemRefType>(buffer.getType())),
                          target);
  };
  return llvm::TypeSwitch<Operation *, Cost>(op)
      .Case([&](CopyOp copy) { return getCopyCost(copy, target); })
      .Case([&](GemmOp gemm) { return getGemmCost(gemm, target); })
      .Case([&](MapOp map) { return getMapCost(map, target); })
      .Case([&](ReduceOp reduce) { return vector(reduce.getSource()); })
      .Case([&](FillOp fill) {
        return getComputeCost(UnitKind::Vector,
                              getNumElements(fill.getMixedSizes()), target);
      })
      .Default([&](Operation *other) {
        return other->getNumRegions()
                   ? getNestedCost(other, target)
                   : getComputeCost(UnitKind::Scalar, 1, target);
      });
}
