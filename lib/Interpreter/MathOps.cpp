//===- MathOps.cpp - Mathematical functions
//---------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;

template <typename F>
static bool runUnary(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0];
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] =
        in.to.kind == Kind::F64
            ? fromDouble(F::template apply<double>(asDouble(a[i])))
            : fromFloat(
                  roundTo(in.to, F::template apply<float>(asFloat(a[i]))));
  return true;
}

template <typename F>
static bool runBinary(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] =
        in.to.kind == Kind::F64
            ? fromDouble(
                  F::template apply<double>(asDouble(a[i]), asDouble(b[i])))
            : fromFloat(roundTo(in.to, F::template apply<float>(
                                           asFloat(a[i]), asFloat(b[i]))));
  return true;
}

static bool runFma(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1],
             *c = s + in.operands[2];
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] =
        in.to.kind == Kind::F64
            ? fromDouble(
                  std::fma(asDouble(a[i]), asDouble(b[i]), asDouble(c[i])))
            : fromFloat(roundTo(in.to, std::fma(asFloat(a[i]), asFloat(b[i]),
                                                asFloat(c[i]))));
  return true;
}

static bool runAbsI(Machine &, const Instr &in, Slot *s) {
  for (uint32_t i = 0; i < in.count; ++i) {
    int64_t value = s[in.operands[0] + i];
    s[in.result + i] =
        signExtend(value < 0 ? 0 - uint64_t(value) : value, in.to.width);
  }
  return true;
}

#define TILEPIPE_UNARY(NAME, EXPRESSION)                                       \
  struct NAME {                                                                \
    template <typename T> static T apply(T a) { return EXPRESSION; }           \
  };
#define TILEPIPE_BINARY(NAME, EXPRESSION)                                      \
  struct NAME {                                                                \
    template <typename T> static T apply(T a, T b) { return EXPRESSION; }      \
  };
namespace {
TILEPIPE_UNARY(Exp, std::exp(a))
TILEPIPE_UNARY(Exp2, std::exp2(a))
TILEPIPE_UNARY(ExpM1, std::expm1(a))
TILEPIPE_UNARY(Log, std::log(a))
TILEPIPE_UNARY(Log2, std::log2(a))
TILEPIPE_UNARY(Log10, std::log10(a))
TILEPIPE_UNARY(Log1p, std::log1p(a))
TILEPIPE_UNARY(Sqrt, std::sqrt(a))
TILEPIPE_UNARY(Rsqrt, T(1) / std::sqrt(a))
TILEPIPE_UNARY(Cbrt, std::cbrt(a))
TILEPIPE_UNARY(Sin, std::sin(a))
TILEPIPE_UNARY(Cos, std::cos(a))
TILEPIPE_UNARY(Tan, std::tan(a))
TILEPIPE_UNARY(Tanh, std::tanh(a))
TILEPIPE_UNARY(Sinh, std::sinh(a))
TILEPIPE_UNARY(Cosh, std::cosh(a))
TILEPIPE_UNARY(Atan, std::atan(a))
TILEPIPE_UNARY(Erf, std::erf(a))
TILEPIPE_UNARY(Erfc, std::erfc(a))
TILEPIPE_UNARY(AbsF, std::fabs(a))
TILEPIPE_UNARY(Floor, std::floor(a))
TILEPIPE_UNARY(Ceil, std::ceil(a))
TILEPIPE_UNARY(Round, std::round(a))
TILEPIPE_UNARY(RoundEven, std::nearbyint(a))
TILEPIPE_UNARY(Trunc, std::trunc(a))
TILEPIPE_BINARY(PowF, std::pow(a, b))
TILEPIPE_BINARY(Atan2, std::atan2(a, b))
TILEPIPE_BINARY(CopySign, std::copysign(a, b))
} // namespace
#undef TILEPIPE_UNARY
#undef TILEPIPE_BINARY

template <bool (*run)(Machine &, const Instr &, Slot *)>
static void compileTo(Compiler &, Operation *, Instr &in) {
  in.run = run;
}

void interp::addMathHandlers(HandlerMap &map) {
  map[TypeID::get<math::ExpOp>()] = compileTo<runUnary<Exp>>;
  map[TypeID::get<math::Exp2Op>()] = compileTo<runUnary<Exp2>>;
  map[TypeID::get<math::ExpM1Op>()] = compileTo<runUnary<ExpM1>>;
  map[TypeID::get<math::LogOp>()] = compileTo<runUnary<Log>>;
  map[TypeID::get<math::Log2Op>()] = compileTo<runUnary<Log2>>;
  map[TypeID::get<math::Log10Op>()] = compileTo<runUnary<Log10>>;
  map[TypeID::get<math::Log1pOp>()] = compileTo<runUnary<Log1p>>;
  map[TypeID::get<math::SqrtOp>()] = compileTo<runUnary<Sqrt>>;
  map[TypeID::get<math::RsqrtOp>()] = compileTo<runUnary<Rsqrt>>;
  map[TypeID::get<math::CbrtOp>()] = compileTo<runUnary<Cbrt>>;
  map[TypeID::get<math::SinOp>()] = compileTo<runUnary<Sin>>;
  map[TypeID::get<math::CosOp>()] = compileTo<runUnary<Cos>>;
  map[TypeID::get<math::TanOp>()] = compileTo<runUnary<Tan>>;
  map[TypeID::get<math::TanhOp>()] = compileTo<runUnary<Tanh>>;
  map[TypeID::get<math::SinhOp>()] = compileTo<runUnary<Sinh>>;
  map[TypeID::get<math::CoshOp>()] = compileTo<runUnary<Cosh>>;
  map[TypeID::get<math::AtanOp>()] = compileTo<runUnary<Atan>>;
  map[TypeID::get<math::ErfOp>()] = compileTo<runUnary<Erf>>;
  map[TypeID::get<math::ErfcOp>()] = compileTo<runUnary<Erfc>>;
  map[TypeID::get<math::AbsFOp>()] = compileTo<runUnary<AbsF>>;
  map[TypeID::get<math::AbsIOp>()] = compileTo<runAbsI>;
  map[TypeID::get<math::FloorOp>()] = compileTo<runUnary<Floor>>;
  map[TypeID::get<math::CeilOp>()] = compileTo<runUnary<Ceil>>;
  map[TypeID::get<math::RoundOp>()] = compileTo<runUnary<Round>>;
  map[TypeID::get<math::RoundEvenOp>()] = compileTo<runUnary<RoundEven>>;
  map[TypeID::get<math::TruncOp>()] = compileTo<runUnary<Trunc>>;
  map[TypeID::get<math::PowFOp>()] = compileTo<runBinary<PowF>>;
  map[TypeID::get<math::Atan2Op>()] = compileTo<runBinary<Atan2>>;
  map[TypeID::get<math::CopySignOp>()] = compileTo<runBinary<CopySign>>;
  map[TypeID::get<math::FmaOp>()] = compileTo<runFma>;
}
