//===- IndexWidth.cpp - How many bits an index has ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerToNVVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilepipe;

/// Offsets that reach past the end of a tensor by less than a tile may be
/// computed, though not used: half of the range is left to them.
static constexpr int64_t kMaxElements = int64_t(1) << 30;

/// True if an integer depends on what the caller has put into memory or passed.
static bool isForeign(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  auto any = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return isForeign(v, seen); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return true;
    if (argument == loop.getInductionVar())
      return false; // as large as the bounds, which are looked at themselves
    OpOperand *init = loop.getTiedLoopInit(argument);
    OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
    return any({init->get(), yielded->get()});
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return any({loop.getInits()[number], loop.getYieldedValues()[number]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return any({branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)});
  if (op->getNumRegions() != 0 || !isPure(op))
    return true;
  return any(op->getOperands());
}

unsigned nvidia::chooseIndexBitwidth(gpu::GPUModuleOp module) {
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    for (Type type : kernel.getArgumentTypes()) {
      auto memref = dyn_cast<MemRefType>(type);
      if (type.isIndex())
        return 64;
      if (!memref)
        continue;
      SmallVector<int64_t> strides;
      int64_t offset;
      // Indices in memory have 64 bits everywhere.
      if (memref.getElementType().isIndex() || !memref.hasStaticShape() ||
          failed(memref.getStridesAndOffset(strides, offset)))
        return 64;
      for (auto [size, stride] : llvm::zip(memref.getShape(), strides))
        if (ShapedType::isDynamic(stride) || size > kMaxElements ||
            stride > kMaxElements || size * stride > kMaxElements)
          return 64;
    }
  WalkResult result = module.walk([](arith::ConstantOp constant) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    bool isLarge = value && value.getType().isIndex() &&
                   std::abs(value.getInt()) > kMaxElements;
    return isLarge ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return 64;
  // Any number may come from there, and sums with it must not wrap around: that
  // an element exists is checked, or proven, with 64 bits.
  result = module.walk([](Operation *op) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) ||
        !op->getResult(0).getType().isIndex() ||
        op->getOperand(0).getType().getIntOrFloatBitWidth() < 32)
      return WalkResult::advance();
    DenseSet<Value> seen;
    return isForeign(op->getOperand(0), seen) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  return result.wasInterrupted() ? 64 : 32;
}

WalkResult nvidia::checkIndexElements(gpu::GPUFuncOp kernel) {
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && memref.getElementType().isIndex()) {
      kernel.emitOpError("has index elements in argument ")
          << number << ", which index-bitwidth=32 would make smaller";
      return WalkResult::interrupt();
    }
  return WalkResult::advance();
}

void nvidia::recordIndexBitwidth(gpu::GPUModuleOp module, unsigned width) {
  if (module->hasAttr(DLTIDialect::kDataLayoutAttrName))
    return;
  Builder b(module.getContext());
  auto entry =
      DataLayoutEntryAttr::get(b.getIndexType(), b.getI32IntegerAttr(width));
  module->setAttr(DLTIDialect::kDataLayoutAttrName,
                  DataLayoutSpecAttr::get(module.getContext(), {entry}));
}
