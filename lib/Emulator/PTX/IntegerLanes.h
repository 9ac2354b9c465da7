//===- IntegerLanes.h - Integer and bit operations of one lane --*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_INTEGERLANES_H
#define TILEPIPE_LIB_EMULATOR_PTX_INTEGERLANES_H

#include "Lanes.h"

namespace tilepipe::ptx {
namespace {

// Integers. Sums and products wrap, so they are formed without a sign.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T> T add(T a, T b) { return T(Wide<T>(a) + Wide<T>(b)); }
template <class T> T sub(T a, T b) { return T(Wide<T>(a) - Wide<T>(b)); }
template <class T> T mul(T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); }
template <class T> T mad(T a, T b, T c) { return add(mul(a, b), c); }
template <class T> struct Double;
template <> struct Double<uint16_t> {
  using type = uint32_t;
};
template <> struct Double<int16_t> {
  using type = int32_t;
};
template <> struct Double<uint32_t> {
  using type = uint64_t;
};
template <> struct Double<int32_t> {
  using type = int64_t;
};
__extension__ typedef unsigned __int128 Unsigned128;
__extension__ typedef __int128 Signed128;
template <> struct Double<uint64_t> {
  using type = Unsigned128;
};
template <> struct Double<int64_t> {
  using type = Signed128;
};
template <class T> using Twice = typename Double<T>::type;
template <class T> T mulHigh(T a, T b) {
  return T((Twice<T>(a) * Twice<T>(b)) >> (8 * sizeof(T)));
}
template <class T> T madHigh(T a, T b, T c) { return add(mulHigh(a, b), c); }
template <class T> Twice<T> mulWide(T a, T b) {
  return Twice<T>(a) * Twice<T>(b);
}
template <class T> Twice<T> madWide(T a, T b, Twice<T> c) {
  return add(mulWide(a, b), c);
}
template <class T> T low24(T a) { return T(T(uint32_t(a) << 8) >> 8); }
template <class T> T mul24(T a, T b) { return mul(low24(a), low24(b)); }
template <class T> T mul24High(T a, T b) {
  return T((Twice<T>(low24(a)) * Twice<T>(low24(b))) >> 16);
}
template <class T> T mad24(T a, T b, T c) { return add(mul24(a, b), c); }
template <class T> T mad24High(T a, T b, T c) {
  return add(mul24High(a, b), c);
}
template <class T> T sad(T a, T b, T c) {
  return a < b ? add(c, sub(b, a)) : add(c, sub(a, b));
}
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
  return sum > 0x7fffffff                ? T(0x7fffffff)
         : sum < -Twice<T>(0x80000000ll) ? T(0x80000000)
                                         : T(sum);
}
template <class T> T subSat(T a, T b) {
  Twice<T> sum = Twice<T>(a) - Twice<T>(b);
  return sum > 0x7fffffff                ? T(0x7fffffff)
         : sum < -Twice<T>(0x80000000ll) ? T(0x80000000)
                                         : T(sum);
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
template <class T> T shiftLeft(T a, uint32_t n) {
  return n >= 8 * sizeof(T) ? T(0) : T(a << n);
}
template <class T> T shiftRight(T a, uint32_t n) {
  unsigned last = 8 * sizeof(T) - 1;
  if (T(-1) < T(0))
    return T(a >> (n > last ? last : n));
  return n > last ? T(0) : T(a >> n);
}
template <bool left, bool wrap>
uint32_t funnel(uint32_t a, uint32_t b, uint32_t n) {
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
template <bool signedA, bool signedB>
uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 32; i += 8) {
    int32_t x = signedA ? int8_t(a >> i) : uint8_t(a >> i);
    int32_t y = signedB ? int8_t(b >> i) : uint8_t(b >> i);
    c += uint32_t(x * y);
  }
  return c;
}

} // namespace
} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_INTEGERLANES_H
