//===- ConvertElement.cpp - Conversion of elements ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/ConvertElement.h"

#include "tilepipe/Dialect/Tile/Transforms/ExpandFloat8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

bool tilepipe::tile::isSupportedElement(Type type) {
  if (type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
      type.isF64() || isFloat8(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() && integer.getWidth() >= 1 &&
         integer.getWidth() <= 64;
}

Value tilepipe::tile::convertElement(ImplicitLocOpBuilder &b, Value value,
                                     Type to) {
  Type from = getElementTypeOrSelf(value);
  if (from == to)
    return value;
  Type result = to;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    result = vector.clone(to);
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (!fromFloat && !toFloat) {
    if (from.isIndex() || to.isIndex())
      return b.createOrFold<arith::IndexCastOp>(result, value);
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return b.createOrFold<arith::ExtSIOp>(result, value);
    return b.createOrFold<arith::TruncIOp>(result, value);
  }
  // Integers and narrow floats: by way of single precision, which has
  // instructions for both.
  if (!fromFloat && toFloat.getWidth() < 16)
    return convertElement(b, convertElement(b, value, b.getF32Type()), to);
  if (!toFloat && fromFloat.getWidth() < 16)
    return convertElement(b, convertElement(b, value, b.getF32Type()), to);
  if (!fromFloat)
    return b.createOrFold<arith::SIToFPOp>(result, value);
  if (!toFloat)
    return b.createOrFold<arith::FPToSIOp>(result, value);
  if (fromFloat.getWidth() < toFloat.getWidth())
    return arith::ExtFOp::create(b, result, value);
  if (fromFloat.getWidth() > toFloat.getWidth())
    return arith::TruncFOp::create(b, result, value);
  // Two formats of one width: by way of the single format that holds both.
  return convertElement(b, convertElement(b, value, b.getF32Type()), to);
}
