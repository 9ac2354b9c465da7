//===- MathBuilder.h - Arithmetic on floats of one width --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_MATHBUILDER_H
#define TILEPIPE_LIB_TARGET_NVIDIA_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace tilepipe::nvidia {

/// Builds arithmetic on values of one floating point type, or vectors of it.
struct MathBuilder {
  using Value = mlir::Value;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::FloatType type;
  /// Null for single values.
  mlir::VectorType vector = {};

  Value constant(double value) const {
    return make(builder.getFloatAttr(type, value));
  }
  Value infinity(bool negative = false) const {
    return special(llvm::APFloat::getInf(type.getFloatSemantics(), negative));
  }
  Value notANumber() const {
    return special(llvm::APFloat::getQNaN(type.getFloatSemantics()));
  }
  Value special(const llvm::APFloat &value) const {
    return make(builder.getFloatAttr(type, value));
  }
  Value make(mlir::TypedAttr value) const {
    if (vector)
      value = mlir::DenseElementsAttr::get(vector, value);
    return mlir::arith::ConstantOp::create(builder, loc, value);
  }
  Value integer(int64_t value, unsigned bits) const {
    return mlir::arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(builder.getIntegerType(bits), value));
  }
  template <typename OpT, typename... Args> Value op(Args... args) const {
    return OpT::create(builder, loc, args...);
  }
  Value add(Value a, Value b) const { return op<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) const { return op<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) const { return op<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) const { return op<mlir::arith::DivFOp>(a, b); }
  Value fma(Value a, Value b, Value c) const {
    return op<mlir::math::FmaOp>(a, b, c);
  }
  Value exp2(Value a) const { return op<mlir::math::Exp2Op>(a); }
  Value round(Value a) const { return op<mlir::math::RoundEvenOp>(a); }
  Value clamp(Value a, double low, double high) const {
    a = op<mlir::arith::MaxNumFOp>(a, constant(low));
    return op<mlir::arith::MinNumFOp>(a, constant(high));
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) const {
    return op<mlir::arith::CmpFOp>(predicate, a, b);
  }
  Value select(Value cond, Value a, Value b) const {
    return op<mlir::arith::SelectOp>(cond, a, b);
  }
  /// Coefficients of falling powers of `x`.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) const {
    Value value = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      value = fma(value, x, constant(coefficient));
    return value;
  }
};

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_MATHBUILDER_H
