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

using namespace mlir;
using namespace tilepipe;

/// Offsets that reach past the end of a tensor by less than a tile may be
/// computed, though not used: half of the range is left to them.
static constexpr int64_t kMaxElements = int64_t(1) << 30;

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
