//===- Arith.cpp - Integer, bit and floating-point instructions, lane by lane ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <cmath>

using namespace tilepipe::ptx;

namespace tilepipe::ptx {
namespace {

// Integers. Sums and products wrap, so they are formed without a sign.
template <class T> using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T> T add(T a, T b) { return T(Wide<T>(a) + Wide<T>(b)); }
template <class T> T sub(T a, T b) { return T(Wide<T>(a) - Wide<T>(b)); }
template <class T> T mul(T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); }
template <class T> T mad(T a, T b, T c) { return add(mul(a, b), c); }
template <class T> struct Double;
template <> struct Double<uint16_t> { using type = uint32_t; };
template <> struct Double<int16_t> { using type = int32_t; };
template <> struct Double<uint32_t> { using type = uint64_t; };
template <> struct Double<int32_t> { using type = int64_t; };
__extension__ typedef unsigned __int128 Unsigned128;
__extension__ typedef __int128 Signed128;
template <> struct Double<uint64_t> { using type = Unsigned128; };
template <> struct Double<int64_t> { using type = Signed128; };
template <class T> using Twice = typename Double<T>::type;
template <class T> T mulHigh(T a, T b) { return T((Twice<T>(a) * Twice<T>(b)) >> (8 * sizeof(T))); }
template <class T> T madHigh(T a, T b, T c) { return add(mulHigh(a, b), c); }
template <class T> Twice<T> mulWide(T a, T b) { return Twice<T>(a) * Twice<T>(b); }
template <class T> Twice<T> madWide(T a, T b, Twice<T> c) { return add(mulWide(a, b), c); }
template <class T> T low24(T a) { return T(T(uint32_t(a) << 8) >> 8); }
template <class T> T mul24(T a, T b) { return mul(low24(a), low24(b)); }
template <class T> T mul24High(T a, T b) { return T((Twice<T>(low24(a)) * Twice<T>(low24(b))) >> 16); }
template <class T> T mad24(T a, T b, T c) { return add(mul24(a, b), c); }
template <class T> T mad24High(T a, T b, T c) { return add(mul24High(a, b), c); }
template <class T> T sad(T a, T b, T c) { return a < b ? add(c, sub(b, a)) : add(c, sub(a, b)); }
// Division by zero gives all ones, as the hardware does; PTX leaves it open.
template <class T> T div(T a, T b) {
  if (b == 0)
    return T(-1);
  return T(-1) < T(0) && b == T(-1) ? sub(T(0), a) : T(a / b);
}
template <class T> T rem(T a, T b) {
  if (b == 0)
    return a;
  return T(-1) < T(0) && b == T(-1) ? T(0) : T(a % b);
}
template <class T> T absolute(T a) { return a < 0 ? sub(T(0), a) : a; }
template <class T> T negate(T a) { return sub(T(0), a); }
template <class T> T minimum(T a, T b) { return a < b ? a : b; }
template <class T> T maximum(T a, T b) { return a > b ? a : b; }
template <class T> T addSat(T a, T b) {
  Twice<T> sum = Twice<T>(a) + Twice<T>(b);
  return sum > 0x7fffffff ? T(0x7fffffff) : sum < -Twice<T>(0x80000000ll) ? T(0x80000000) : T(sum);
}
template <class T> T subSat(T a, T b) {
  Twice<T> sum = Twice<T>(a) - Twice<T>(b);
  return sum > 0x7fffffff ? T(0x7fffffff) : sum < -Twice<T>(0x80000000ll) ? T(0x80000000) : T(sum);
}
template <class T, T (*fn)(T, T)> Pair<T> both(Pair<T> a, Pair<T> b) {
  return {fn(a.low, b.low), fn(a.high, b.high)};
}

// Bits.
template <class T> T bitAnd(T a, T b) { return a & b; }
template <class T> T bitOr(T a, T b) { return a | b; }
template <class T> T bitXor(T a, T b) { return a ^ b; }
template <class T> T bitNot(T a) { return T(~a); }
template <class T> T cnot(T a) { return a == 0; }
template <class T> T shiftLeft(T a, uint32_t n) { return n >= 8 * sizeof(T) ? T(0) : T(a << n); }
template <class T> T shiftRight(T a, uint32_t n) {
  unsigned last = 8 * sizeof(T) - 1;
  if (T(-1) < T(0))
    return T(a >> (n > last ? last : n));
  return n > last ? T(0) : T(a >> n);
}
template <bool left, bool wrap> uint32_t funnel(uint32_t a, uint32_t b, uint32_t n) {
  n = wrap ? n & 31 : n > 32 ? 32 : n;
  uint64_t both = uint64_t(b) << 32 | a;
  return left ? uint32_t(both >> (32 - n)) : uint32_t(both >> n);
}
template <class T> T bitField(T a, uint32_t b, uint32_t c) {
  using U = Wide<T>;
  const uint32_t last = 8 * sizeof(T) - 1, at = b & 255, count = c & 255;
  uint32_t top = at + count - 1 < last && count ? at + count - 1 : last;
  U sign = T(-1) < T(0) && count && (U(a) >> top & 1) ? ~U(0) : U(0);
  if (at > last || count == 0)
    return T(count ? sign : U(0));
  U value = U(a) >> at;
  uint32_t kept = top - at + 1;
  U mask = kept > last ? ~U(0) : (U(1) << kept) - 1;
  return T((value & mask) | (sign & ~mask));
}
template <class T> T insertField(T a, T b, uint32_t c, uint32_t d) {
  const uint32_t width = 8 * sizeof(T), at = c & 255, count = d & 255;
  if (at >= width || count == 0)
    return b;
  uint32_t kept = at + count > width ? width - at : count;
  T mask = (kept >= width ? ~T(0) : (T(1) << kept) - 1) << at;
  return (b & ~mask) | ((a << at) & mask);
}
template <class T> uint32_t leadingZeros(T a) {
  if (a == 0)
    return 8 * sizeof(T);
  return sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(uint32_t(a));
}
template <class T> uint32_t population(T a) { return __builtin_popcountll(a); }
template <class T> T reverseBits(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result = T(result << 1) | (a >> i & 1);
  return result;
}
template <class T> uint32_t findLast(const Inst &inst, T a) {
  using U = Wide<T>;
  U bits = T(-1) < T(0) && a < 0 ? ~U(a) : U(a);
  if (bits == 0)
    return ~0u;
  uint32_t at = 8 * sizeof(T) - 1 - leadingZeros<U>(bits);
  return inst.wrap ? 8 * sizeof(T) - 1 - at : at;
}
uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t select = c >> (4 * i) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (select & 7))) & 255;
    if (select & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
uint32_t logic3(const Inst &inst, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t table = inst.ops[4].value, result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
template <bool signedA, bool signedB> uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 32; i += 8) {
    int32_t x = signedA ? int8_t(a >> i) : uint8_t(a >> i);
    int32_t y = signedB ? int8_t(b >> i) : uint8_t(b >> i);
    c += uint32_t(x * y);
  }
  return c;
}

// Floating point. f16 and bf16 are computed in f32 and rounded once more; for
// one +, - or * that gives the correctly rounded result.
float flush(float x) {
  return (bitsTo<uint32_t>(x) & 0x7f800000) ? x : bitsTo<float>(bitsTo<uint32_t>(x) & 0x80000000);
}
template <bool ftz> float in(float x) { return ftz ? flush(x) : x; }
template <bool ftz> float fadd(float a, float b) { return in<ftz>(in<ftz>(a) + in<ftz>(b)); }
template <bool ftz> float fsub(float a, float b) { return in<ftz>(in<ftz>(a) - in<ftz>(b)); }
template <bool ftz> float fmul(float a, float b) { return in<ftz>(in<ftz>(a) * in<ftz>(b)); }
template <bool ftz> float fdiv(float a, float b) { return in<ftz>(in<ftz>(a) / in<ftz>(b)); }
template <bool ftz> float ffma(float a, float b, float c) {
  return in<ftz>(__builtin_fmaf(in<ftz>(a), in<ftz>(b), in<ftz>(c)));
}
float clamp01(float x) { return x > 0.f ? (x < 1.f ? x : 1.f) : 0.f; }
template <bool ftz> float faddSat(float a, float b) { return clamp01(fadd<ftz>(a, b)); }
template <bool ftz> float fsubSat(float a, float b) { return clamp01(fsub<ftz>(a, b)); }
template <bool ftz> float fmulSat(float a, float b) { return clamp01(fmul<ftz>(a, b)); }
template <bool ftz> float ffmaSat(float a, float b, float c) { return clamp01(ffma<ftz>(a, b, c)); }
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
template <bool ftz> float fmin_(float a, float b) { return floatMin(in<ftz>(a), in<ftz>(b)); }
template <bool ftz> float fmax_(float a, float b) { return floatMax(in<ftz>(a), in<ftz>(b)); }
float quietNan() { return bitsTo<float>(0x7fffffffu); }
float fminNan(float a, float b) { return a != a || b != b ? quietNan() : floatMin(a, b); }
float fmaxNan(float a, float b) { return a != a || b != b ? quietNan() : floatMax(a, b); }
double dmin(double a, double b) { return floatMin(a, b); }
double dmax(double a, double b) { return floatMax(a, b); }

template <class H, float (*fn)(float, float)> H half2(H a, H b) { return fromFloat<H>(fn(toFloat(a), toFloat(b))); }
template <class H, float (*fn)(float)> H half1(H a) { return fromFloat<H>(fn(toFloat(a))); }
template <class H> H roundDouble(double x);
template <> _Float16 roundDouble<_Float16>(double x) { return static_cast<_Float16>(x); }
/// The f32 nearest to odd keeps what the second rounding needs to know.
template <> Bf16 roundDouble<Bf16>(double x) {
  float near = float(x);
  uint32_t bits = bitsTo<uint32_t>(near);
  if (near == near && double(near) != x && !(bits & 1))
    bits = (double(near) < x) == (near >= 0) ? bits | 1 : (bits - 1) | 1;
  return fromFloat<Bf16>(bitsTo<float>(bits));
}
template <class H> H halfFma(const Inst &inst, H a, H b, H c) {
  H value = roundDouble<H>(double(toFloat(a)) * double(toFloat(b)) + double(toFloat(c)));
  float result = toFloat(value);
  if (inst.relu)
    result = result > 0 ? result : 0;
  if (inst.sat)
    result = clamp01(result);
  return inst.relu || inst.sat ? fromFloat<H>(result) : value;
}
template <class H> Pair<H> pairFma(const Inst &inst, Pair<H> a, Pair<H> b, Pair<H> c) {
  return {halfFma(inst, a.low, b.low, c.low), halfFma(inst, a.high, b.high, c.high)};
}
template <class H, float (*fn)(float, float)> Pair<H> pair2(Pair<H> a, Pair<H> b) {
  return {half2<H, fn>(a.low, b.low), half2<H, fn>(a.high, b.high)};
}
template <class H, float (*fn)(float)> Pair<H> pair1(Pair<H> a) {
  return {half1<H, fn>(a.low), half1<H, fn>(a.high)};
}
template <class T, T flip> T xorBits(T a) { return a ^ flip; }
template <class T, T mask> T andBits(T a) { return a & mask; }
uint32_t copySign(uint32_t a, uint32_t b) { return (a & 0x80000000u) | (b & 0x7fffffffu); }
uint64_t copySignWide(uint64_t a, uint64_t b) { return (a & (1ull << 63)) | (b & ~(1ull << 63)); }

// Approximations: libm, which is closer than the hardware.
template <bool ftz> float rcp(float a) { return in<ftz>(1.f / in<ftz>(a)); }
template <bool ftz> float root(float a) { return in<ftz>(__builtin_sqrtf(in<ftz>(a))); }
template <bool ftz> float rootInverse(float a) { return in<ftz>(float(1.0 / __builtin_sqrt(double(in<ftz>(a))))); }
template <bool ftz> float sine(float a) { return in<ftz>(::sinf(in<ftz>(a))); }
template <bool ftz> float cosine(float a) { return in<ftz>(::cosf(in<ftz>(a))); }
template <bool ftz> float log2_(float a) { return in<ftz>(::log2f(in<ftz>(a))); }
template <bool ftz> float exp2_(float a) { return in<ftz>(::exp2f(in<ftz>(a))); }
float tanh_(float a) { return ::tanhf(a); }
double drcp(double a) { return 1.0 / a; }
double droot(double a) { return __builtin_sqrt(a); }
double drootInverse(double a) { return 1.0 / __builtin_sqrt(a); }

// Selection.
template <class T> void select(WarpState &warp, const Inst &inst, uint32_t mask) {
  const T *a = reinterpret_cast<const T *>(rowOf(warp, inst.ops[1]));
  const T *b = reinterpret_cast<const T *>(rowOf(warp, inst.ops[2]));
  uint32_t choice = predicate(warp, inst.ops[3]);
  alignas(64) T values[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    values[lane] = choice >> lane & 1 ? a[lane] : b[lane];
  commit(warp, inst, mask, values);
  // Only the chosen side counts.
  uint32_t ua = warp.undefined[inst.ops[1].reg], ub = warp.undefined[inst.ops[2].reg], up = warp.undefined[inst.ops[3].reg];
  if (ua | ub | up | warp.undefined[inst.ops[0].reg]) {
    uint32_t undefined = (choice & ua) | (~choice & ub) | up;
    uint32_t from = up ? inst.ops[3].reg : choice & ua ? inst.ops[1].reg : inst.ops[2].reg;
    spread(warp, inst.ops[0].reg, mask, undefined, warp.origin[from]);
  }
}
template <class T, class S> T signSelect(T a, T b, S c) { return c >= 0 ? a : b; }

template <class T, class Test> uint32_t lanesWhere(const uint8_t *a, const uint8_t *b, Test test) {
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    result |= uint32_t(test(loadLane<T>(a, lane), loadLane<T>(b, lane))) << lane;
  return result;
}
template <class T> uint32_t ordered(Compare compare, const uint8_t *a, const uint8_t *b) {
  switch (compare) {
  case Compare::Eq: return lanesWhere<T>(a, b, [](auto x, auto y) { return x == y; });
  case Compare::Ne: return lanesWhere<T>(a, b, [](auto x, auto y) { return x < y || x > y; });
  case Compare::Lt: return lanesWhere<T>(a, b, [](auto x, auto y) { return x < y; });
  case Compare::Le: return lanesWhere<T>(a, b, [](auto x, auto y) { return x <= y; });
  case Compare::Gt: return lanesWhere<T>(a, b, [](auto x, auto y) { return x > y; });
  default: return lanesWhere<T>(a, b, [](auto x, auto y) { return x >= y; });
  }
}
struct FloatOf {
  template <class T> static auto get(T x) {
    if constexpr (sizeof(T) == 8)
      return x;
    else
      return toFloat(x);
  }
};
template <class T> uint32_t floatCompare(const Inst &inst, const uint8_t *a, const uint8_t *b) {
  auto where = [&](auto test) {
    bool ftz = inst.ftz;
    return lanesWhere<T>(a, b, [&](T x, T y) {
      auto p = FloatOf::get(x), q = FloatOf::get(y);
      if (ftz) {
        p = decltype(p)(flush(float(p)));
        q = decltype(q)(flush(float(q)));
      }
      return test(p, q);
    });
  };
  switch (inst.compare) {
  case Compare::Eq: return where([](auto x, auto y) { return x == y; });
  case Compare::Ne: return where([](auto x, auto y) { return x < y || x > y; });
  case Compare::Lt: return where([](auto x, auto y) { return x < y; });
  case Compare::Le: return where([](auto x, auto y) { return x <= y; });
  case Compare::Gt: return where([](auto x, auto y) { return x > y; });
  case Compare::Ge: return where([](auto x, auto y) { return x >= y; });
  case Compare::Equ: return where([](auto x, auto y) { return !(x < y || x > y); });
  case Compare::Neu: return where([](auto x, auto y) { return x != y; });
  case Compare::Ltu: return where([](auto x, auto y) { return !(x >= y); });
  case Compare::Leu: return where([](auto x, auto y) { return !(x > y); });
  case Compare::Gtu: return where([](auto x, auto y) { return !(x <= y); });
  case Compare::Geu: return where([](auto x, auto y) { return !(x < y); });
  case Compare::Num: return where([](auto x, auto y) { return x == x && y == y; });
  default: return where([](auto x, auto y) { return x != x || y != y; });
  }
}
template <class T, bool floating> void setPredicate(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *a = rowOf(warp, inst.ops[1]), *b = rowOf(warp, inst.ops[2]);
  uint32_t value;
  if constexpr (floating)
    value = floatCompare<T>(inst, a, b);
  else
    value = ordered<T>(inst.compare, a, b);
  uint32_t other = ~value, undefined = warp.undefined[inst.ops[1].reg] | warp.undefined[inst.ops[2].reg];
  uint32_t from = warp.undefined[inst.ops[1].reg] ? inst.ops[1].reg : inst.ops[2].reg;
  if (inst.combine != Bool::None) {
    uint32_t with = predicate(warp, inst.ops[3]);
    value = inst.combine == Bool::And ? value & with : inst.combine == Bool::Or ? value | with : value ^ with;
    other = inst.combine == Bool::And ? other & with : inst.combine == Bool::Or ? other | with : other ^ with;
    if (!undefined)
      from = inst.ops[3].reg;
    undefined |= warp.undefined[inst.ops[3].reg];
  }
  commitPredicate(warp, inst.ops[0], mask, value);
  commitPredicate(warp, inst.second, mask, other);
  for (const Operand *to : {&inst.ops[0], &inst.second})
    if (to->kind == Operand::Register && (undefined | warp.undefined[to->reg]))
      spread(warp, to->reg, mask, undefined, warp.origin[from]);
}
template <class F> void testProperty(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *a = rowOf(warp, inst.ops[1]);
  uint32_t value = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    F x = loadLane<F>(a, lane);
    bool nan = x != x, infinite = !nan && x - x != 0;
    F tiny = sizeof(F) == 4 ? F(__FLT_MIN__) : F(__DBL_MIN__);
    bool small = !nan && x != 0 && x < tiny && x > -tiny;
    const bool answers[] = {!nan && !infinite, infinite, !nan, nan, !nan && !infinite && !small && x != 0, small};
    value |= uint32_t(answers[inst.number - 1]) << lane;
  }
  commitPredicate(warp, inst.ops[0], mask, value);
  spreadFrom<1>(warp, inst, mask);
}
template <class T> T move(T a) { return a; }

// The tables: one handler for an operation and a type.
#define INT_TYPES(FN)                                                          \
  case Type::U16: return Each<FN<uint16_t>>::run;                              \
  case Type::U32: return Each<FN<uint32_t>>::run;                              \
  case Type::U64: return Each<FN<uint64_t>>::run;                              \
  case Type::S16: return Each<FN<int16_t>>::run;                               \
  case Type::S32: return Each<FN<int32_t>>::run;                               \
  case Type::S64: return Each<FN<int64_t>>::run;
#define BIT_TYPES(FN)                                                          \
  case Type::B16: return Each<FN<uint16_t>>::run;                              \
  case Type::B32: return Each<FN<uint32_t>>::run;                              \
  case Type::B64: return Each<FN<uint64_t>>::run;
#define HALF_TYPES(FN, PAIR, OP)                                               \
  case Type::F16: return Each<FN<_Float16, OP>>::run;                          \
  case Type::BF16: return Each<FN<Bf16, OP>>::run;                             \
  case Type::F16X2: return Each<PAIR<_Float16, OP>>::run;                      \
  case Type::BF16X2: return Each<PAIR<Bf16, OP>>::run;
#define FLUSHED(FN) (inst.ftz ? Each<FN<true>>::run : Each<FN<false>>::run)

Handler selectSum(const Inst &inst) {
  const bool isAdd = inst.op == Op::Add;
  if (inst.sat && inst.type == Type::S32)
    return isAdd ? Each<addSat<int32_t>>::run : Each<subSat<int32_t>>::run;
  if (inst.sat && inst.type == Type::F32)
    return isAdd ? FLUSHED(faddSat) : FLUSHED(fsubSat);
  if (inst.sat)
    return nullptr;
  if (isAdd)
    switch (inst.type) {
      INT_TYPES(add)
      HALF_TYPES(half2, pair2, fadd<false>)
    case Type::U16X2:
    case Type::S16X2: return Each<both<uint16_t, add<uint16_t>>>::run;
    case Type::F32: return FLUSHED(fadd);
    case Type::F64: return Each<dadd>::run;
    default: return nullptr;
    }
  switch (inst.type) {
    INT_TYPES(sub)
    HALF_TYPES(half2, pair2, fsub<false>)
  case Type::F32: return FLUSHED(fsub);
  case Type::F64: return Each<dsub>::run;
  default: return nullptr;
  }
}

Handler selectProduct(const Inst &inst) {
  if (inst.op == Op::Mul24 || inst.op == Op::Mad24) {
    bool isSigned = inst.type == Type::S32, mul = inst.op == Op::Mul24;
    if (inst.hi)
      return mul ? (isSigned ? Each<mul24High<int32_t>>::run : Each<mul24High<uint32_t>>::run)
                 : (isSigned ? Each<mad24High<int32_t>>::run : Each<mad24High<uint32_t>>::run);
    return mul ? (isSigned ? Each<mul24<int32_t>>::run : Each<mul24<uint32_t>>::run)
               : (isSigned ? Each<mad24<int32_t>>::run : Each<mad24<uint32_t>>::run);
  }
  bool isFloating = inst.type == Type::F32;
  if (inst.sat && !isFloating && inst.op != Op::Fma)
    return nullptr;
  if (inst.op == Op::Mul && inst.hi)
    switch (inst.type) { INT_TYPES(mulHigh) default: return nullptr; }
  if (inst.op == Op::Mul)
    switch (inst.type) {
      INT_TYPES(mul)
      HALF_TYPES(half2, pair2, fmul<false>)
    case Type::F32: return inst.sat ? FLUSHED(fmulSat) : FLUSHED(fmul);
    case Type::F64: return Each<dmul>::run;
    default: return nullptr;
    }
  if (inst.op == Op::Mad && inst.hi)
    switch (inst.type) { INT_TYPES(madHigh) default: return nullptr; }
  if (inst.op == Op::MulWide || inst.op == Op::MadWide) {
    bool mul = inst.op == Op::MulWide;
    switch (inst.type) {
    case Type::U16: return mul ? Each<mulWide<uint16_t>>::run : Each<madWide<uint16_t>>::run;
    case Type::S16: return mul ? Each<mulWide<int16_t>>::run : Each<madWide<int16_t>>::run;
    case Type::U32: return mul ? Each<mulWide<uint32_t>>::run : Each<madWide<uint32_t>>::run;
    default: return mul ? Each<mulWide<int32_t>>::run : Each<madWide<int32_t>>::run;
    }
  }
  switch (inst.type) {
    INT_TYPES(mad)
  case Type::F32: return inst.relu ? nullptr : inst.sat ? FLUSHED(ffmaSat) : FLUSHED(ffma);
  case Type::F64: return inst.relu || inst.sat ? nullptr : Each<dfma>::run;
  case Type::F16: return Each<halfFma<_Float16>>::run;
  case Type::BF16: return Each<halfFma<Bf16>>::run;
  case Type::F16X2: return Each<pairFma<_Float16>>::run;
  case Type::BF16X2: return Each<pairFma<Bf16>>::run;
  default: return nullptr;
  }
}

Handler selectMinMax(const Inst &inst) {
  if (inst.relu)
    return nullptr;
  if (inst.op == Op::Min)
    switch (inst.type) {
      INT_TYPES(minimum)
    case Type::F32: return inst.nan ? Each<fminNan>::run : FLUSHED(fmin_);
    case Type::F64: return Each<dmin>::run;
    default: break;
    }
  else
    switch (inst.type) {
      INT_TYPES(maximum)
    case Type::F32: return inst.nan ? Each<fmaxNan>::run : FLUSHED(fmax_);
    case Type::F64: return Each<dmax>::run;
    default: break;
    }
  if (inst.op == Op::Min && inst.nan)
    switch (inst.type) { HALF_TYPES(half2, pair2, fminNan) default: return nullptr; }
  if (inst.op == Op::Min)
    switch (inst.type) { HALF_TYPES(half2, pair2, fmin_<false>) default: return nullptr; }
  if (inst.nan)
    switch (inst.type) { HALF_TYPES(half2, pair2, fmaxNan) default: return nullptr; }
  switch (inst.type) { HALF_TYPES(half2, pair2, fmax_<false>) default: return nullptr; }
}

Handler selectSign(const Inst &inst) {
  bool isAbs = inst.op == Op::Abs;
  switch (inst.type) {
  case Type::S16: return isAbs ? Each<absolute<int16_t>>::run : Each<negate<int16_t>>::run;
  case Type::S32: return isAbs ? Each<absolute<int32_t>>::run : Each<negate<int32_t>>::run;
  case Type::S64: return isAbs ? Each<absolute<int64_t>>::run : Each<negate<int64_t>>::run;
  case Type::F16:
  case Type::BF16: return isAbs ? Each<andBits<uint16_t, 0x7fff>>::run : Each<xorBits<uint16_t, 0x8000>>::run;
  case Type::F16X2:
  case Type::BF16X2: return isAbs ? Each<andBits<uint32_t, 0x7fff7fff>>::run : Each<xorBits<uint32_t, 0x80008000>>::run;
  case Type::F32: return isAbs ? Each<andBits<uint32_t, 0x7fffffff>>::run : Each<xorBits<uint32_t, 0x80000000>>::run;
  case Type::F64: return isAbs ? Each<andBits<uint64_t, ~(1ull << 63)>>::run : Each<xorBits<uint64_t, 1ull << 63>>::run;
  default: return nullptr;
  }
}

Handler selectFunction(const Inst &inst) {
  bool wide = inst.type == Type::F64;
  switch (inst.op) {
  case Op::Rcp: return wide ? Each<drcp>::run : FLUSHED(rcp);
  case Op::Sqrt: return wide ? Each<droot>::run : FLUSHED(root);
  case Op::Rsqrt: return wide ? Each<drootInverse>::run : FLUSHED(rootInverse);
  case Op::Sin: return FLUSHED(sine);
  case Op::Cos: return FLUSHED(cosine);
  case Op::Lg2: return FLUSHED(log2_);
  case Op::Ex2:
    switch (inst.type) {
      HALF_TYPES(half1, pair1, exp2_<false>)
    default: return FLUSHED(exp2_);
    }
  default:
    switch (inst.type) {
      HALF_TYPES(half1, pair1, tanh_)
    default: return Each<tanh_>::run;
    }
  }
}

Handler selectDivision(const Inst &inst) {
  if (inst.op == Op::Rem)
    switch (inst.type) { INT_TYPES(rem) default: return nullptr; }
  switch (inst.type) {
    INT_TYPES(div)
  case Type::F32: return FLUSHED(fdiv);
  case Type::F64: return Each<ddiv>::run;
  default: return nullptr;
  }
}

Handler selectBits(const Inst &inst) {
  bool wide = sizeOf(inst.type) == 8;
  switch (inst.op) {
  case Op::And: switch (inst.type) { BIT_TYPES(bitAnd) default: return nullptr; }
  case Op::Or: switch (inst.type) { BIT_TYPES(bitOr) default: return nullptr; }
  case Op::Xor: switch (inst.type) { BIT_TYPES(bitXor) default: return nullptr; }
  case Op::Not: switch (inst.type) { BIT_TYPES(bitNot) default: return nullptr; }
  case Op::Cnot: switch (inst.type) { BIT_TYPES(cnot) default: return nullptr; }
  case Op::Shl: switch (inst.type) { BIT_TYPES(shiftLeft) default: return nullptr; }
  case Op::Shr: switch (inst.type) { BIT_TYPES(shiftRight) INT_TYPES(shiftRight) default: return nullptr; }
  case Op::Lop3: return Each<logic3>::run;
  case Op::Prmt: return Each<permute>::run;
  case Op::Shf:
    if (inst.left)
      return inst.wrap ? Each<funnel<true, true>>::run : Each<funnel<true, false>>::run;
    return inst.wrap ? Each<funnel<false, true>>::run : Each<funnel<false, false>>::run;
  case Op::Bfe:
    if (isSigned(inst.type))
      return wide ? Each<bitField<int64_t>>::run : Each<bitField<int32_t>>::run;
    return wide ? Each<bitField<uint64_t>>::run : Each<bitField<uint32_t>>::run;
  case Op::Bfi: return wide ? Each<insertField<uint64_t>>::run : Each<insertField<uint32_t>>::run;
  case Op::Bfind:
    if (isSigned(inst.type))
      return wide ? Each<findLast<int64_t>>::run : Each<findLast<int32_t>>::run;
    return wide ? Each<findLast<uint64_t>>::run : Each<findLast<uint32_t>>::run;
  case Op::Brev: return wide ? Each<reverseBits<uint64_t>>::run : Each<reverseBits<uint32_t>>::run;
  case Op::Clz: return wide ? Each<leadingZeros<uint64_t>>::run : Each<leadingZeros<uint32_t>>::run;
  case Op::Popc: return wide ? Each<population<uint64_t>>::run : Each<population<uint32_t>>::run;
  default: return nullptr;
  }
}

Handler selectCompare(const Inst &inst) {
  bool unordered = inst.compare >= Compare::Equ;
  if (unordered && !isFloat(inst.type))
    return nullptr;
  switch (inst.type) {
  case Type::B16:
  case Type::U16: return setPredicate<uint16_t, false>;
  case Type::B32:
  case Type::U32: return setPredicate<uint32_t, false>;
  case Type::B64:
  case Type::U64: return setPredicate<uint64_t, false>;
  case Type::S16: return setPredicate<int16_t, false>;
  case Type::S32: return setPredicate<int32_t, false>;
  case Type::S64: return setPredicate<int64_t, false>;
  case Type::F16: return setPredicate<_Float16, true>;
  case Type::BF16: return setPredicate<Bf16, true>;
  case Type::F32: return setPredicate<float, true>;
  case Type::F64: return inst.ftz ? nullptr : setPredicate<double, true>;
  default: return nullptr;
  }
}

Handler selectChoice(const Inst &inst) {
  bool wide = sizeOf(inst.type) == 8;
  if (inst.op == Op::Selp)
    return wide ? select<uint64_t> : select<uint32_t>;
  if (inst.op == Op::Slct && inst.type2 == Type::F32)
    return wide ? Each<signSelect<uint64_t, float>>::run : Each<signSelect<uint32_t, float>>::run;
  if (inst.op == Op::Slct)
    return wide ? Each<signSelect<uint64_t, int32_t>>::run : Each<signSelect<uint32_t, int32_t>>::run;
  return wide ? Each<move<uint64_t>>::run : Each<move<uint32_t>>::run;
}

} // namespace

namespace TILEPIPE_PTX_ISA {

Handler selectConversion(const Inst &inst);

Handler selectArithmetic(const Inst &inst) {
  switch (inst.op) {
  case Op::Add:
  case Op::Sub: return selectSum(inst);
  case Op::Mul:
  case Op::MulWide:
  case Op::Mul24:
  case Op::Mad:
  case Op::MadWide:
  case Op::Mad24:
  case Op::Fma: return selectProduct(inst);
  case Op::Sad: switch (inst.type) { INT_TYPES(sad) default: return nullptr; }
  case Op::Div:
  case Op::Rem: return selectDivision(inst);
  case Op::Abs:
  case Op::Neg: return selectSign(inst);
  case Op::Min:
  case Op::Max: return selectMinMax(inst);
  case Op::Setp: return selectCompare(inst);
  case Op::Selp:
  case Op::Slct:
  case Op::Mov: return selectChoice(inst);
  case Op::Testp: return inst.type == Type::F64 ? testProperty<double> : testProperty<float>;
  case Op::Copysign: return inst.type == Type::F64 ? Each<copySignWide>::run : Each<copySign>::run;
  case Op::Dp4a: {
    bool a = inst.type == Type::S32, b = inst.type2 == Type::S32;
    return a ? (b ? Each<dot4<true, true>>::run : Each<dot4<true, false>>::run)
             : (b ? Each<dot4<false, true>>::run : Each<dot4<false, false>>::run);
  }
  case Op::Rcp:
  case Op::Sqrt:
  case Op::Rsqrt:
  case Op::Sin:
  case Op::Cos:
  case Op::Lg2:
  case Op::Ex2:
  case Op::Tanh: return selectFunction(inst);
  case Op::Cvt:
  case Op::CvtPack: return selectConversion(inst);
  default: return selectBits(inst);
  }
}

} // namespace TILEPIPE_PTX_ISA
} // namespace tilepipe::ptx
