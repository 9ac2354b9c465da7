//===- CompareLanes.h - Comparison and selection of 32 lanes ----*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_COMPARELANES_H
#define TILEPIPE_LIB_EMULATOR_PTX_COMPARELANES_H

#include "FloatLanes.h"

namespace tilepipe::ptx {
namespace {

// Selection.
template <class T>
void select(WarpState &warp, const Inst &inst, uint32_t mask) {
  const T *a = reinterpret_cast<const T *>(rowOf(warp, inst.ops[1]));
  const T *b = reinterpret_cast<const T *>(rowOf(warp, inst.ops[2]));
  uint32_t choice = predicate(warp, inst.ops[3]);
  alignas(64) T values[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    values[lane] = choice >> lane & 1 ? a[lane] : b[lane];
  commit(warp, inst, mask, values);
  // Only the chosen side counts.
  uint32_t ua = warp.undefined[inst.ops[1].reg],
           ub = warp.undefined[inst.ops[2].reg],
           up = warp.undefined[inst.ops[3].reg];
  if (ua | ub | up | warp.undefined[inst.ops[0].reg]) {
    uint32_t undefined = (choice & ua) | (~choice & ub) | up;
    uint32_t from = up            ? inst.ops[3].reg
                    : choice & ua ? inst.ops[1].reg
                                  : inst.ops[2].reg;
    spread(warp, inst.ops[0].reg, mask, undefined, warp.origin[from]);
  }
}
template <class T, class S> T signSelect(T a, T b, S c) {
  return c >= 0 ? a : b;
}

template <class T, class Test>
uint32_t lanesWhere(const uint8_t *a, const uint8_t *b, Test test) {
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    result |= uint32_t(test(loadLane<T>(a, lane), loadLane<T>(b, lane)))
              << lane;
  return result;
}
template <class T>
uint32_t ordered(Compare compare, const uint8_t *a, const uint8_t *b) {
  switch (compare) {
  case Compare::Eq:
    return lanesWhere<T>(a, b, [](auto x, auto y) { return x == y; });
  case Compare::Ne:
    return lanesWhere<T>(a, b, [](auto x, auto y) { return x < y || x > y; });
  case Compare::Lt:
    return lanesWhere<T>(a, b, [](auto x, auto y) { return x < y; });
  case Compare::Le:
    return lanesWhere<T>(a, b, [](auto x, auto y) { return x <= y; });
  case Compare::Gt:
    return lanesWhere<T>(a, b, [](auto x, auto y) { return x > y; });
  default:
    return lanesWhere<T>(a, b, [](auto x, auto y) { return x >= y; });
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
template <class T>
uint32_t floatCompare(const Inst &inst, const uint8_t *a, const uint8_t *b) {
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
  case Compare::Eq:
    return where([](auto x, auto y) { return x == y; });
  case Compare::Ne:
    return where([](auto x, auto y) { return x < y || x > y; });
  case Compare::Lt:
    return where([](auto x, auto y) { return x < y; });
  case Compare::Le:
    return where([](auto x, auto y) { return x <= y; });
  case Compare::Gt:
    return where([](auto x, auto y) { return x > y; });
  case Compare::Ge:
    return where([](auto x, auto y) { return x >= y; });
  case Compare::Equ:
    return where([](auto x, auto y) { return !(x < y || x > y); });
  case Compare::Neu:
    return where([](auto x, auto y) { return x != y; });
  case Compare::Ltu:
    return where([](auto x, auto y) { return !(x >= y); });
  case Compare::Leu:
    return where([](auto x, auto y) { return !(x > y); });
  case Compare::Gtu:
    return where([](auto x, auto y) { return !(x <= y); });
  case Compare::Geu:
    return where([](auto x, auto y) { return !(x < y); });
  case Compare::Num:
    return where([](auto x, auto y) { return x == x && y == y; });
  default:
    return where([](auto x, auto y) { return x != x || y != y; });
  }
}
template <class T, bool floating>
void setPredicate(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *a = rowOf(warp, inst.ops[1]), *b = rowOf(warp, inst.ops[2]);
  uint32_t value;
  if constexpr (floating)
    value = floatCompare<T>(inst, a, b);
  else
    value = ordered<T>(inst.compare, a, b);
  uint32_t other = ~value, undefined = warp.undefined[inst.ops[1].reg] |
                                       warp.undefined[inst.ops[2].reg];
  uint32_t from =
      warp.undefined[inst.ops[1].reg] ? inst.ops[1].reg : inst.ops[2].reg;
  if (inst.combine != Bool::None) {
    uint32_t with = predicate(warp, inst.ops[3]);
    value = inst.combine == Bool::And  ? value & with
            : inst.combine == Bool::Or ? value | with
                                       : value ^ with;
    other = inst.combine == Bool::And  ? other & with
            : inst.combine == Bool::Or ? other | with
                                       : other ^ with;
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
template <class F>
void testProperty(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *a = rowOf(warp, inst.ops[1]);
  uint32_t value = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    F x = loadLane<F>(a, lane);
    bool nan = x != x, infinite = !nan && x - x != 0;
    F tiny = sizeof(F) == 4 ? F(__FLT_MIN__) : F(__DBL_MIN__);
    bool small = !nan && x != 0 && x < tiny && x > -tiny;
    const bool answers[] = {!nan && !infinite,
                            infinite,
                            !nan,
                            nan,
                            !nan && !infinite && !small && x != 0,
                            small};
    value |= uint32_t(answers[inst.number - 1]) << lane;
  }
  commitPredicate(warp, inst.ops[0], mask, value);
  spreadFrom<1>(warp, inst, mask);
}
template <class T> T move(T a) { return a; }

} // namespace
} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_COMPARELANES_H
