//===- ExpandFloat8.cpp - 8-bit floats by integer arithmetic --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats of "FP8 Formats for Deep Learning" (arXiv 2209.05433). Conversions
// are exact where the result can be, else round to nearest, ties to even; what
// is too large becomes infinity, in e4m3, which has none, NaN. All of it is
// elementwise on integers, so it vectorises.
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/ExpandFloat8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilepipe;

bool tilepipe::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

namespace {

/// Builds elementwise arithmetic on values shaped as `like`.
struct Elementwise {
  Elementwise(OpBuilder &b, Location loc, Type like)
      : b(b), loc(loc), like(like) {}

  Type shaped(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Type i8() const { return shaped(b.getI8Type()); }
  Type i16() const { return shaped(b.getIntegerType(16)); }
  Type i32() const { return shaped(b.getI32Type()); }
  Type f16() const { return shaped(b.getF16Type()); }
  Type f32() const { return shaped(b.getF32Type()); }
  Type f64() const { return shaped(b.getF64Type()); }

  Value constant(Type type, TypedAttr value) const {
    if (auto vector = dyn_cast<VectorType>(type))
      value = SplatElementsAttr::get(vector, value);
    return arith::ConstantOp::create(b, loc, value);
  }
  Value word(int64_t value) const {
    return constant(i32(), b.getI32IntegerAttr(int32_t(value)));
  }
  Value bits(Type type, Value value) const {
    return arith::BitcastOp::create(b, loc, type, value);
  }
  template <typename OpT> Value op(Value x, Value y) const {
    return OpT::create(b, loc, x, y);
  }
  Value test(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }

  OpBuilder &b;
  Location loc;
  Type like;
};

} // namespace

/// 8 bits to single precision, exactly. The bits below the sign, moved to where
/// half precision has exponent and mantissa, are the value times a power of
/// two, subnormal numbers included.
static Value extend(const Elementwise &e, Value value, bool isE5M2) {
  Value byte = e.bits(e.i8(), value);
  Value wide = arith::ExtUIOp::create(e.b, e.loc, e.i32(), byte);
  Value magnitude = e.op<arith::AndIOp>(wide, e.word(0x7F));
  Value moved = e.op<arith::ShLIOp>(magnitude, e.word(isE5M2 ? 8 : 7));
  Value half =
      e.bits(e.f16(), arith::TruncIOp::create(e.b, e.loc, e.i16(), moved));
  Value result = arith::ExtFOp::create(e.b, e.loc, e.f32(), half);
  if (!isE5M2) {
    // The bias is 7, that of half precision 15.
    result = e.op<arith::MulFOp>(
        result, e.constant(e.f32(), e.b.getF32FloatAttr(256.0f)));
  }
  Value word = e.bits(e.i32(), result);
  if (!isE5M2) {
    Value isNaN = e.test(arith::CmpIPredicate::eq, magnitude, e.word(0x7F));
    word = e.select(isNaN, e.word(0x7FC00000), word);
  }
  Value sign =
      e.op<arith::ShLIOp>(e.op<arith::AndIOp>(wide, e.word(0x80)), e.word(24));
  return e.bits(e.f32(), e.op<arith::OrIOp>(word, sign));
}

/// Single precision to 8 bits.
static Value truncate(const Elementwise &e, Value value, Type to, bool isE5M2) {
  const auto ult = arith::CmpIPredicate::ult, ugt = arith::CmpIPredicate::ugt;
  const int64_t mantissa = isE5M2 ? 2 : 3, bias = isE5M2 ? 15 : 7;
  const int64_t dropped = 23 - mantissa;
  const int64_t infinity = isE5M2 ? 0x7C : 0x7F, nan = 0x7F;
  Value word = e.bits(e.i32(), value);
  Value magnitude = e.op<arith::AndIOp>(word, e.word(0x7FFFFFFF));

  // Normal: add half of the last place less one, and one more where it is odd.
  Value odd = e.op<arith::AndIOp>(
      e.op<arith::ShRUIOp>(magnitude, e.word(dropped)), e.word(1));
  Value rounded = e.op<arith::AddIOp>(
      magnitude,
      e.op<arith::AddIOp>(odd, e.word((int64_t(1) << (dropped - 1)) - 1)));
  Value normal =
      e.op<arith::SubIOp>(e.op<arith::ShRUIOp>(rounded, e.word(dropped)),
                          e.word((127 - bias) << mantissa));

  // Subnormal: the sum with 2^(23 + place) rounds to a multiple of 2^place, the
  // last place of subnormal numbers.
  int64_t magic = (127 + 23 + (1 - bias - mantissa)) << 23;
  Value sum = e.op<arith::AddFOp>(e.bits(e.f32(), magnitude),
                                  e.bits(e.f32(), e.word(magic)));
  Value subnormal = e.op<arith::SubIOp>(e.bits(e.i32(), sum), e.word(magic));

  Value isSmall = e.test(ult, magnitude, e.word((127 - bias + 1) << 23));
  Value result = e.select(isSmall, subnormal, normal);
  Value isLarge = e.test(ugt, result, e.word(infinity));
  result = e.select(isLarge, e.word(infinity), result);
  Value isNaN = e.test(ugt, magnitude, e.word(0x7F800000));
  result = e.select(isNaN, e.word(nan), result);
  Value sign =
      e.op<arith::AndIOp>(e.op<arith::ShRUIOp>(word, e.word(24)), e.word(0x80));
  Value byte = arith::TruncIOp::create(e.b, e.loc, e.i8(),
                                       e.op<arith::OrIOp>(result, sign));
  return e.bits(to, byte);
}

/// Double to single precision such that rounding once more, to fewer bits,
/// gives what rounding once would: of the two neighbours of a number that is
/// between them, the odd one.
static Value roundToOdd(const Elementwise &e, Value value) {
  Value single = arith::TruncFOp::create(e.b, e.loc, e.f32(), value);
  Value back = arith::ExtFOp::create(e.b, e.loc, e.f64(), single);
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(e.b, e.loc, predicate, x, y).getResult();
  };
  // Of numbers of one sign.
  Value above = compare(arith::CmpFPredicate::OGT, back, value);
  Value below = compare(arith::CmpFPredicate::OLT, back, value);
  Value word = e.bits(e.i32(), single);
  Value isNegative = e.test(arith::CmpIPredicate::slt, word, e.word(0));
  Value isLarger = e.select(isNegative, below, above);
  Value odd = e.op<arith::AddIOp>(
      word, e.select(isLarger, e.word(-1), e.word(1)));
  Value isOdd = e.test(arith::CmpIPredicate::ne,
                       e.op<arith::AndIOp>(word, e.word(1)), e.word(0));
  Value isExact = compare(arith::CmpFPredicate::UEQ, back, value);
  Value keep = e.op<arith::OrIOp>(isOdd, isExact);
  return e.bits(e.f32(), e.select(keep, word, odd));
}

/// The values of one float type as another, by way of single precision.
static Value viaSingle(const Elementwise &e, Value single, Type to) {
  Type element = getElementTypeOrSelf(to);
  if (element.isF32())
    return single;
  if (element.getIntOrFloatBitWidth() > 32)
    return arith::ExtFOp::create(e.b, e.loc, to, single);
  return arith::TruncFOp::create(e.b, e.loc, to, single);
}

namespace {

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!tilepipe::isFloat8(op.getIn().getType()))
      return failure();
    Elementwise e(rewriter, op.getLoc(), op.getType());
    bool isE5M2 =
        isa<Float8E5M2Type>(getElementTypeOrSelf(op.getIn().getType()));
    Value single = extend(e, op.getIn(), isE5M2);
    rewriter.replaceOp(op, viaSingle(e, single, op.getType()));
    return success();
  }
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (!tilepipe::isFloat8(op.getType()))
      return failure();
    Elementwise e(rewriter, op.getLoc(), op.getType());
    Value single = op.getIn();
    if (from.isF64())
      single = roundToOdd(e, single);
    else if (!from.isF32())
      single = arith::ExtFOp::create(rewriter, op.getLoc(), e.f32(), single);
    bool isE5M2 = isa<Float8E5M2Type>(getElementTypeOrSelf(op.getType()));
    rewriter.replaceOp(op, truncate(e, single, op.getType(), isE5M2));
    return success();
  }
};

} // namespace

void tilepipe::populateExpandFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExtF, ExpandTruncF>(patterns.getContext());
}
