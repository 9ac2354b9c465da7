//===- ExpandMath.cpp - Mathematical functions without libdevice ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has approximations of 2^x, log2, 1/sqrt, and exact sqrt, floor, fma, ...
// in single precision. What the rest becomes, and its error against the true
// value (ulp: of single precision):
//
//   exp         2^(x log2 e), reduced by two-part ln 2     2 ulp
//   exp2        ex2.approx                                 2 ulp
//   rsqrt       rsqrt.approx                               relative 2^-22.9
//   sin, cos    polynomials after three-part pi / 2        2^-23 to |x| = 10^5
//   powf        2^(y log2 |x|), the sign from y            |y log2 x| + 3 ulp
//   log, log2, log10, log1p, expm1, tanh, erf, erfc, asin, acos: the
//               polynomials of MLIR, as on the CPU         5 ulp
//   atan, atan2, cbrt: likewise                            40 ulp
//   tan, sinh, cosh, asinh, acosh, atanh, fpowi: from those above
//
// Double precision: ExpandMathDouble.cpp. A denormal argument of a logarithm
// counts as the smallest normal number. Bounds of the instructions: PTX ISA,
// "Floating Point Instructions".
//
//===----------------------------------------------------------------------===//

#include "LowerToNVVM.h"
#include "MathBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

static bool isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Whether all floating operands and results are scalars of this kind.
template <typename Predicate>
static bool allFloats(Operation *op, Predicate predicate) {
  auto isRight = [&](Type type) {
    return !isa<FloatType>(getElementTypeOrSelf(type)) || predicate(type);
  };
  return llvm::all_of(op->getOperandTypes(), isRight) &&
         llvm::all_of(op->getResultTypes(), isRight);
}

bool nvidia::isSelectableMath(Operation *op) {
  // Any width of float or integer.
  if (isa<math::AbsFOp, math::CopySignOp, math::AbsIOp,
          math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
          math::FmaOp, math::IsFiniteOp, math::IsNaNOp>(op))
    return true;
  if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
          math::RoundEvenOp, math::SqrtOp>(op))
    return allFloats(op, [](Type type) {
      type = getElementTypeOrSelf(type);
      return type.isF32() || type.isF64();
    });
  return isa<math::Exp2Op>(op) && allFloats(op, [](Type type) {
           return getElementTypeOrSelf(type).isF32();
         });
}

bool nvidia::isVectorMath(Operation *op) {
  return isSelectableMath(op) ||
         (isa<math::ExpOp>(op) && allFloats(op, [](Type type) {
            return getElementTypeOrSelf(type).isF32();
          }));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// A function of vectors is a function of each element.
struct ScalarizeMath : RewritePattern {
  ScalarizeMath(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/4, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.isScalable() || nvidia::isVectorMath(op))
      return failure();
    SmallVector<Value> elements;
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> position = delinearize(i, strides);
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        if (isa<VectorType>(operand.getType()))
          operand = vector::ExtractOp::create(rewriter, op->getLoc(), operand,
                                              position);
        operands.push_back(operand);
      }
      OperationState state(op->getLoc(), op->getName(), operands,
                           type.getElementType(), op->getAttrs());
      elements.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

/// Half precision is computed in single precision, but for what is exact.
struct WidenMath : RewritePattern {
  WidenMath(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/3, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1 || nvidia::isSelectableMath(op))
      return failure();
    Type type = op->getResult(0).getType();
    if (isa<VectorType>(type) ||
        (!isHalf(type) && llvm::none_of(op->getOperandTypes(), isHalf)))
      return failure();
    Type wide = rewriter.getF32Type();
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands)
      if (isHalf(operand.getType()))
        operand = arith::ExtFOp::create(rewriter, op->getLoc(), wide, operand);
    OperationState state(op->getLoc(), op->getName(), operands,
                         isHalf(type) ? wide : type, op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    if (isHalf(type))
      result = arith::TruncFOp::create(rewriter, op->getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// exp(x) = 2^n 2^(r log2 e), n = rint(x log2 e), r = x - n ln 2. With ln 2 in
/// two parts r is right to the last bit and small, so that the product r log2 e
/// loses far less than ex2.approx. n stays where 2^n is a normal number; beyond
/// that r is larger, and the product underflows or overflows as it has to.
static Value emitExp(MathBuilder m, Value x, bool isApproximate) {
  Value log2e = m.constant(1.44269504088896340736);
  if (isApproximate)
    return m.exp2(m.mul(x, log2e));
  Value n = m.clamp(m.round(m.mul(x, log2e)), -126, 126);
  Value r = m.fma(n, m.constant(-0.693147182464599609375), x);
  r = m.fma(n, m.constant(1.904654299957768e-9), r);
  return m.mul(m.exp2(m.mul(r, log2e)), m.exp2(n));
}

struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    return nvidia::expandSingleExp(rewriter, op);
  }
};

struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  ExpandRsqrt(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getType().isF64()) {
      Value one = arith::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getF64FloatAttr(1));
      Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
      rewriter.replaceOpWithNewOp<arith::DivFOp>(op, one, root);
      return success();
    }
    if (!op.getType().isF32())
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr("llvm.nvvm.rsqrt.approx.f"),
        op.getOperand());
    return success();
  }
};

/// With n = rint(2 x / pi) and r = x - n pi / 2, |r| <= pi / 4, the result is
/// +- sin r or +- cos r by n mod 4. The parts of pi / 2 have so few bits that
/// n times the first two is exact for |n| < 2^16. Taylor polynomials of degree
/// 9 and 8 are right to 2^-25 on that interval.
template <typename OpT> struct ExpandSinCos : OpRewritePattern<OpT> {
  ExpandSinCos(MLIRContext *context)
      : OpRewritePattern<OpT>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    MathBuilder m{rewriter, loc, rewriter.getF32Type()};
    Value x = op.getOperand();
    Value n = math::RoundEvenOp::create(
        rewriter, loc, m.mul(x, m.constant(0.63661977236758134308)));
    Value r = m.fma(n, m.constant(-1.5703125), x);
    r = m.fma(n, m.constant(-4.8351287841796875e-4), r);
    r = m.fma(n, m.constant(-3.13855707645416259765625e-7), r);
    r = m.fma(n, m.constant(-6.077100628276710381e-11), r);
    Value square = m.mul(r, r);
    auto polynomial = [&](ArrayRef<double> coefficients) {
      Value value = m.constant(coefficients.front());
      for (double coefficient : coefficients.drop_front())
        value = m.fma(value, square, m.constant(coefficient));
      return value;
    };
    Value sine = polynomial({1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6});
    sine = m.fma(m.mul(sine, square), r, r);
    Value cosine = polynomial({1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0});

    // cos x = sin(x + pi / 2): one quadrant further.
    Type integer = rewriter.getI32Type();
    auto number = [&](int value) {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getI32IntegerAttr(value));
    };
    Value quadrant = arith::FPToSIOp::create(rewriter, loc, integer, n);
    if (std::is_same_v<OpT, math::CosOp>)
      quadrant = arith::AddIOp::create(rewriter, loc, quadrant, number(1));
    auto hasBit = [&](int bit) -> Value {
      Value masked =
          arith::AndIOp::create(rewriter, loc, quadrant, number(bit));
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                                   masked, number(0));
    };
    Value result = m.select(hasBit(1), cosine, sine);
    Value negated = arith::NegFOp::create(rewriter, loc, result);
    rewriter.replaceOp(op, m.select(hasBit(2), negated, result));
    return success();
  }
};

struct ExpandLog10 : OpRewritePattern<math::Log10Op> {
  ExpandLog10(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::Log10Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    MathBuilder m{rewriter, op.getLoc(), rewriter.getF32Type()};
    Value log = math::Log2Op::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, m.mul(log, m.constant(0.30102999566398119521)));
    return success();
  }
};

struct ExpandIsInf : OpRewritePattern<math::IsInfOp> {
  ExpandIsInf(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/5) {}
  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr infinity = rewriter.getFloatAttr(
        element, APFloat::getInf(element.getFloatSemantics()));
    if (auto vector = dyn_cast<VectorType>(type))
      infinity = DenseElementsAttr::get(vector, cast<Attribute>(infinity));
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(
        op, arith::CmpFPredicate::OEQ,
        math::AbsFOp::create(rewriter, op.getLoc(), op.getOperand()),
        arith::ConstantOp::create(rewriter, op.getLoc(), infinity));
    return success();
  }
};

/// x^y = 2^(y log2 |x|); a negative x needs an integral y, whose parity gives
/// the sign.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  ExpandPow(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() && !op.getType().isF64())
      return failure();
    Location loc = op.getLoc();
    MathBuilder m{rewriter, loc, cast<FloatType>(op.getType())};
    Value x = op.getLhs(), y = op.getRhs();
    Value zero = m.constant(0), one = m.constant(1);
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value log = math::Log2Op::create(rewriter, loc, magnitude);
    Value power = m.exp2(m.mul(y, log));
    auto isIntegral = [&](Value value) {
      Value whole = math::FloorOp::create(rewriter, loc, value);
      return m.compare(arith::CmpFPredicate::OEQ, whole, value);
    };
    Value integral = isIntegral(y);
    Value even = isIntegral(m.mul(y, m.constant(0.5)));
    Value signedPower = math::CopySignOp::create(rewriter, loc, power, x);
    Value odd = arith::AndIOp::create(
        rewriter, loc, integral,
        arith::XOrIOp::create(rewriter, loc, even,
                              arith::ConstantOp::create(
                                  rewriter, loc, rewriter.getBoolAttr(true))));
    Value result = m.select(odd, signedPower, power);
    Value negative = m.compare(arith::CmpFPredicate::OLT, x, zero);
    Value invalid = arith::AndIOp::create(
        rewriter, loc, negative,
        m.compare(arith::CmpFPredicate::UNE,
                  math::FloorOp::create(rewriter, loc, y), y));
    result = m.select(invalid, m.notANumber(), result);
    Value trivial = arith::OrIOp::create(
        rewriter, loc, m.compare(arith::CmpFPredicate::OEQ, y, zero),
        m.compare(arith::CmpFPredicate::OEQ, x, one));
    rewriter.replaceOp(op, m.select(trivial, one, result));
    return success();
  }
};

} // namespace

LogicalResult nvidia::expandSingleExp(RewriterBase &rewriter, math::ExpOp op) {
  if (!getElementTypeOrSelf(op.getType()).isF32())
    return failure();
  rewriter.setInsertionPoint(op);
  MathBuilder m{rewriter, op.getLoc(), rewriter.getF32Type(),
                dyn_cast<VectorType>(op.getType())};
  rewriter.replaceOp(
      op,
      emitExp(m, op.getOperand(),
              bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn)));
  return success();
}

void nvidia::populateMathExpansionPatterns(RewritePatternSet &patterns) {
  patterns.add<ScalarizeMath, WidenMath, ExpandExp, ExpandRsqrt, ExpandLog10,
               ExpandSinCos<math::SinOp>, ExpandSinCos<math::CosOp>,
               ExpandIsInf, ExpandPow>(patterns.getContext());
  populateDoubleMathPatterns(patterns);
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return name != math::ExpOp::getOperationName();
  });
  math::populateExpansionPatterns(
      patterns, {"tan", "sinh", "cosh", "asinh", "acosh", "atanh", "fpowi"});
}
