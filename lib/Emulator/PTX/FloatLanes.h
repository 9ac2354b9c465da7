//===- FloatLanes.h - Floating-point operations of one lane -----*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_FLOATLANES_H
#define TILEPIPE_LIB_EMULATOR_PTX_FLOATLANES_H

#include "Lanes.h"

#include <cmath>

namespace tilepipe::ptx {
namespace {

// Floating point. f16 and bf16 are computed in f32 and rounded once more; for
// one +, - or * that gives the correctly rounded result.
float flush(float x) {
  return (bitsTo<uint32_t>(x) & 0x7f800000)
             ? x
             : bitsTo<float>(bitsTo<uint32_t>(x) & 0x80000000);
}
template <bool ftz> float in(float x) { return ftz ? flush(x) : x; }
template <bool ftz> float fadd(float a, float b) {
  return in<ftz>(in<ftz>(a) + in<ftz>(b));
}
template <bool ftz> float fsub(float a, float b) {
  return in<ftz>(in<ftz>(a) - in<ftz>(b));
}
template <bool ftz> float fmul(float a, float b) {
  return in<ftz>(in<ftz>(a) * in<ftz>(b));
}
template <bool ftz> float fdiv(float a, float b) {
  return in<ftz>(in<ftz>(a) / in<ftz>(b));
}
template <bool ftz> float ffma(float a, float b, float c) {
  return in<ftz>(__builtin_fmaf(in<ftz>(a), in<ftz>(b), in<ftz>(c)));
}
float clamp01(float x) { return x > 0.f ? (x < 1.f ? x : 1.f) : 0.f; }
template <bool ftz> float faddSat(float a, float b) {
  return clamp01(fadd<ftz>(a, b));
}
template <bool ftz> float fsubSat(float a, float b) {
  return clamp01(fsub<ftz>(a, b));
}
template <bool ftz> float fmulSat(float a, float b) {
  return clamp01(fmul<ftz>(a, b));
}
template <bool ftz> float ffmaSat(float a, float b, float c) {
  return clamp01(ffma<ftz>(a, b, c));
}
double dadd(double a, double b) { return a + b; }
double dsub(double a, double b) { return a - b; }
double dmul(double a, double b) { return a * b; }
double ddiv(double a, double b) { return a / b; }
double dfma(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// The number when the other is a NaN; -0 is less than +0.
template <class F> F floatMin(F a, F b) {
  if (a != a || b != b)
    return a != a ? b : a;
  return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}
template <class F> F floatMax(F a, F b) {
  if (a != a || b != b)
    return a != a ? b : a;
  return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
}
template <bool ftz> float fmin_(float a, float b) {
  return floatMin(in<ftz>(a), in<ftz>(b));
}
template <bool ftz> float fmax_(float a, float b) {
  return floatMax(in<ftz>(a), in<ftz>(b));
}
float quietNan() { return bitsTo<float>(0x7fffffffu); }
float fminNan(float a, float b) {
  return a != a || b != b ? quietNan() : floatMin(a, b);
}
float fmaxNan(float a, float b) {
  return a != a || b != b ? quietNan() : floatMax(a, b);
}
double dmin(double a, double b) { return floatMin(a, b); }
double dmax(double a, double b) { return floatMax(a, b); }

template <class H, float (*fn)(float, float)> H half2(H a, H b) {
  return fromFloat<H>(fn(toFloat(a), toFloat(b)));
}
template <class H, float (*fn)(float)> H half1(H a) {
  return fromFloat<H>(fn(toFloat(a)));
}
template <class H> H roundDouble(double x);
template <> _Float16 roundDouble<_Float16>(double x) {
  return static_cast<_Float16>(x);
}
/// The f32 nearest to odd keeps what the second rounding needs to know.
template <> Bf16 roundDouble<Bf16>(double x) {
  float near = float(x);
  uint32_t bits = bitsTo<uint32_t>(near);
  if (near == near && double(near) != x && !(bits & 1))
    bits = (double(near) < x) == (near >= 0) ? bits | 1 : (bits - 1) | 1;
  return fromFloat<Bf16>(bitsTo<float>(bits));
}
template <class H> H halfFma(const Inst &inst, H a, H b, H c) {
  H value = roundDouble<H>(double(toFloat(a)) * double(toFloat(b)) +
                           double(toFloat(c)));
  float result = toFloat(value);
  if (inst.relu)
    result = result > 0 ? result : 0;
  if (inst.sat)
    result = clamp01(result);
  return inst.relu || inst.sat ? fromFloat<H>(result) : value;
}
template <class H>
Pair<H> pairFma(const Inst &inst, Pair<H> a, Pair<H> b, Pair<H> c) {
  return {halfFma(inst, a.low, b.low, c.low),
          halfFma(inst, a.high, b.high, c.high)};
}
template <class H, float (*fn)(float, float)>
Pair<H> pair2(Pair<H> a, Pair<H> b) {
  return {half2<H, fn>(a.low, b.low), half2<H, fn>(a.high, b.high)};
}
template <class H, float (*fn)(float)> Pair<H> pair1(Pair<H> a) {
  return {half1<H, fn>(a.low), half1<H, fn>(a.high)};
}
template <class T, T flip> T xorBits(T a) { return a ^ flip; }
template <class T, T mask> T andBits(T a) { return a & mask; }
uint32_t copySign(uint32_t a, uint32_t b) {
  return (a & 0x80000000u) | (b & 0x7fffffffu);
}
uint64_t copySignWide(uint64_t a, uint64_t b) {
  return (a & (1ull << 63)) | (b & ~(1ull << 63));
}

// Approximations: libm, which is closer than the hardware.
template <bool ftz> float rcp(float a) { return in<ftz>(1.f / in<ftz>(a)); }
template <bool ftz> float root(float a) {
  return in<ftz>(__builtin_sqrtf(in<ftz>(a)));
}
template <bool ftz> float rootInverse(float a) {
  return in<ftz>(float(1.0 / __builtin_sqrt(double(in<ftz>(a)))));
}
template <bool ftz> float sine(float a) { return in<ftz>(::sinf(in<ftz>(a))); }
template <bool ftz> float cosine(float a) {
  return in<ftz>(::cosf(in<ftz>(a)));
}
template <bool ftz> float log2_(float a) {
  return in<ftz>(::log2f(in<ftz>(a)));
}
template <bool ftz> float exp2_(float a) {
  return in<ftz>(::exp2f(in<ftz>(a)));
}
float tanh_(float a) { return ::tanhf(a); }
double drcp(double a) { return 1.0 / a; }
double droot(double a) { return __builtin_sqrt(a); }
double drootInverse(double a) { return 1.0 / __builtin_sqrt(a); }

} // namespace
} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_FLOATLANES_H
