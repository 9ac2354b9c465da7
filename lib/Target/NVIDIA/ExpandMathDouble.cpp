//===- ExpandMathDouble.cpp - Functions of double precision ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX approximates nothing in double precision. Here arguments are reduced to
// where a short series is right to the last bits:
//
//   exp, exp2, expm1   Taylor series on |r| <= ln 2 / 2       4 ulp
//   log, log2, log10   2 atanh((m - 1) / (m + 1)), m in
//   log1p              [sqrt 1/2, sqrt 2]                     4 ulp
//   tanh               from expm1                             4 ulp
//   sin, cos           Taylor series after three-part pi / 2  2^-51 to
//                                                             |x| = 10^6
//
//===----------------------------------------------------------------------===//

#include "LowerToNVVM.h"
#include "MathBuilder.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

static constexpr double kLog2E = 1.44269504088896340736;
// ln 2 in two parts, the first with room for a product with an exponent.
static constexpr double kLn2High = 6.93147180369123816490e-01;
static constexpr double kLn2Low = 1.90821492927058770002e-10;

namespace {

/// The pieces the functions share.
struct DoubleBuilder : MathBuilder {
  DoubleBuilder(OpBuilder &builder, Location loc)
      : MathBuilder{builder, loc, builder.getF64Type()} {}

  /// 2^n of an integral n between -1022 and 1023.
  Value power(Value n) const {
    Value biased = op<arith::AddIOp>(
        op<arith::FPToSIOp>(builder.getI64Type(), n), integer(1023, 64));
    return op<arith::BitcastOp>(type,
                                op<arith::ShLIOp>(biased, integer(52, 64)));
  }
  /// x 2^n for any integral n in reach, in two steps, for 2^n may not be one.
  Value scale(Value x, Value n) const {
    Value half = op<math::FloorOp>(mul(n, constant(0.5)));
    return mul(mul(x, power(half)), power(sub(n, half)));
  }
  /// (e^r - 1) / r for |r| <= ln 2 / 2: 1 + r / 2 + ... + r^13 / 14!.
  Value expSeries(Value r) const {
    SmallVector<double> coefficients;
    double factorial = 1;
    for (int k = 1; k <= 14; ++k) {
      factorial *= k;
      coefficients.insert(coefficients.begin(), 1 / factorial);
    }
    return polynomial(r, coefficients);
  }
  /// x = n ln 2 + r. Any n beyond the clamp ends in 0 or infinity.
  std::pair<Value, Value> reduce(Value x) const {
    Value n = clamp(round(mul(x, constant(kLog2E))), -1080, 1030);
    Value r = fma(n, constant(-kLn2High), x);
    return {n, fma(n, constant(-kLn2Low), r)};
  }
  /// `value`, but for arguments beyond the range of finite results.
  Value guard(Value x, Value value, double low, Value below, double high,
              Value above) const {
    value = select(compare(arith::CmpFPredicate::OLT, x, constant(low)), below,
                   value);
    return select(compare(arith::CmpFPredicate::OGT, x, constant(high)), above,
                  value);
  }
  Value exp(Value x) const {
    auto [n, r] = reduce(x);
    Value result = scale(fma(expSeries(r), r, constant(1)), n);
    return guard(x, result, -746, constant(0), 710, infinity());
  }
  /// 2^n q + (2^n - 1), which keeps what is small beside 1.
  Value expm1(Value x) const {
    auto [n, r] = reduce(x);
    Value factor = power(clamp(n, -60, 60));
    Value result = fma(mul(expSeries(r), r), factor, sub(factor, constant(1)));
    return guard(x, result, -40, constant(-1), 40, exp(x));
  }
  struct Logarithm {
    Value exponent, ofMantissa;
  };
  /// ln x = exponent ln 2 + ofMantissa for positive finite x.
  Logarithm log(Value x) const {
    Value isSmall = compare(arith::CmpFPredicate::OLT, x,
                            constant(2.2250738585072014e-308));
    x = select(isSmall, mul(x, constant(0x1p54)), x);
    Value bits = op<arith::BitcastOp>(builder.getI64Type(), x);
    Value exponent = op<arith::SubIOp>(
        op<arith::ShRUIOp>(bits, integer(52, 64)), integer(1023, 64));
    Value mantissa = op<arith::OrIOp>(
        op<arith::AndIOp>(bits, integer((int64_t(1) << 52) - 1, 64)),
        integer(int64_t(1023) << 52, 64));
    Value k = op<arith::SIToFPOp>(Type(type), exponent);
    k = select(isSmall, sub(k, constant(54)), k);
    Value m = op<arith::BitcastOp>(Type(type), mantissa);
    Value isLarge =
        compare(arith::CmpFPredicate::OGT, m, constant(1.41421356237309504880));
    m = select(isLarge, mul(m, constant(0.5)), m);
    k = select(isLarge, add(k, constant(1)), k);
    Value s = div(sub(m, constant(1)), add(m, constant(1)));
    Value square = mul(s, s);
    SmallVector<double> coefficients; // of 2 (atanh(s) / s - 1) / s^2
    for (int power = 23; power >= 3; power -= 2)
      coefficients.push_back(2.0 / power);
    Value tail = mul(mul(s, square), polynomial(square, coefficients));
    return {k, fma(s, constant(2), tail)};
  }
  Value guardLog(Value x, Value result) const {
    Value zero = constant(0);
    result =
        select(compare(arith::CmpFPredicate::OEQ, x, infinity()), x, result);
    result = select(compare(arith::CmpFPredicate::OEQ, x, zero),
                    infinity(/*negative=*/true), result);
    Value isPositive = compare(arith::CmpFPredicate::OGE, x, zero);
    return select(isPositive, result, notANumber());
  }
  Value ln(Value x) const {
    Logarithm parts = log(x);
    Value result = fma(parts.exponent, constant(kLn2Low), parts.ofMantissa);
    result = fma(parts.exponent, constant(kLn2High), result);
    return guardLog(x, result);
  }
};

/// A function of one argument, of double precision.
template <typename OpT, Value (*expand)(DoubleBuilder &, Value)>
struct ExpandDouble : OpRewritePattern<OpT> {
  ExpandDouble(MLIRContext *context)
      : OpRewritePattern<OpT>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return failure();
    DoubleBuilder d(rewriter, op.getLoc());
    rewriter.replaceOp(op, expand(d, op.getOperand()));
    return success();
  }
};

} // namespace

static Value expandExp(DoubleBuilder &d, Value x) { return d.exp(x); }
static Value expandExpM1(DoubleBuilder &d, Value x) { return d.expm1(x); }
static Value expandLog(DoubleBuilder &d, Value x) { return d.ln(x); }

static Value expandExp2(DoubleBuilder &d, Value x) {
  Value n = d.clamp(d.round(x), -1080, 1030);
  Value r = d.mul(d.sub(x, n), d.constant(0.69314718055994530942));
  Value result = d.scale(d.fma(d.expSeries(r), r, d.constant(1)), n);
  return d.guard(x, result, -1076, d.constant(0), 1024, d.infinity());
}

/// The exponent is added exactly.
static Value expandLog2(DoubleBuilder &d, Value x) {
  DoubleBuilder::Logarithm parts = d.log(x);
  return d.guardLog(
      x, d.fma(parts.ofMantissa, d.constant(kLog2E), parts.exponent));
}

static Value expandLog10(DoubleBuilder &d, Value x) {
  return d.mul(d.ln(x), d.constant(0.43429448190325182765));
}

/// ln(1 + x) = ln u + (x - (u - 1)) / u, u = 1 + x as it rounds.
static Value expandLog1p(DoubleBuilder &d, Value x) {
  Value one = d.constant(1);
  Value u = d.add(x, one);
  Value lost = d.div(d.sub(x, d.sub(u, one)), u);
  Value result = d.add(d.ln(u), lost);
  Value isExtreme = d.op<arith::OrIOp>(
      d.compare(arith::CmpFPredicate::OEQ, u, d.infinity()),
      d.compare(arith::CmpFPredicate::OEQ, u, d.constant(0)));
  return d.select(isExtreme, d.ln(u), result);
}

static Value expandTanh(DoubleBuilder &d, Value x) {
  Value magnitude = d.op<math::AbsFOp>(x);
  Value t = d.expm1(d.clamp(d.mul(magnitude, d.constant(2)), 0, 60));
  Value result = d.div(t, d.add(t, d.constant(2)));
  Value isNumber = d.compare(arith::CmpFPredicate::ORD, x, x);
  return d.select(isNumber, d.op<math::CopySignOp>(result, x), x);
}

/// As in single precision; see there.
static Value expandCircular(DoubleBuilder &d, Value x, bool isCosine) {
  Value n = d.round(d.mul(x, d.constant(0.63661977236758134308)));
  Value r = d.fma(n, d.constant(-1.57079632673412561417), x);
  r = d.fma(n, d.constant(-6.07710050630396597660e-11), r);
  r = d.fma(n, d.constant(-2.02226624879595063154e-21), r);
  Value square = d.mul(r, r);
  SmallVector<double> ofSine, ofCosine; // rising powers of r^2
  double factorial = 1, sign = 1;
  for (int k = 0; k <= 17; ++k) {
    factorial *= std::max(k, 1);
    (k % 2 ? ofSine : ofCosine).push_back(sign / factorial);
    sign = k % 2 ? -sign : sign;
  }
  std::reverse(ofSine.begin(), ofSine.end());
  std::reverse(ofCosine.begin(), ofCosine.end());
  Value sine = d.mul(r, d.polynomial(square, ofSine));
  Value cosine = d.polynomial(square, ofCosine);
  Value quadrant = d.op<arith::FPToSIOp>(d.builder.getI64Type(), n);
  if (isCosine)
    quadrant = d.op<arith::AddIOp>(quadrant, d.integer(1, 64));
  auto hasBit = [&](int64_t bit) {
    return d.op<arith::CmpIOp>(
        arith::CmpIPredicate::ne,
        d.op<arith::AndIOp>(quadrant, d.integer(bit, 64)), d.integer(0, 64));
  };
  Value result = d.select(hasBit(1), cosine, sine);
  return d.select(hasBit(2), d.op<arith::NegFOp>(result), result);
}

static Value expandSin(DoubleBuilder &d, Value x) {
  return expandCircular(d, x, /*isCosine=*/false);
}
static Value expandCos(DoubleBuilder &d, Value x) {
  return expandCircular(d, x, /*isCosine=*/true);
}

void nvidia::populateDoubleMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandDouble<math::ExpOp, expandExp>,
               ExpandDouble<math::Exp2Op, expandExp2>,
               ExpandDouble<math::ExpM1Op, expandExpM1>,
               ExpandDouble<math::LogOp, expandLog>,
               ExpandDouble<math::Log2Op, expandLog2>,
               ExpandDouble<math::Log10Op, expandLog10>,
               ExpandDouble<math::Log1pOp, expandLog1p>,
               ExpandDouble<math::TanhOp, expandTanh>,
               ExpandDouble<math::SinOp, expandSin>,
               ExpandDouble<math::CosOp, expandCos>>(patterns.getContext());
}
