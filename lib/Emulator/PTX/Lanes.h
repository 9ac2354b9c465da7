//===- Lanes.h - Lane-by-lane execution, compiled once for each set of vector
// instructions *- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is in an unnamed namespace: two files compiled for different
// processors must never share an inline function.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_LANES_H
#define TILEPIPE_LIB_EMULATOR_PTX_LANES_H

#include "tilepipe/Emulator/PTX/Program.h"

#include <cstring>
#include <utility>

#ifndef TILEPIPE_PTX_ISA
#define TILEPIPE_PTX_ISA baseline
#endif

namespace tilepipe::ptx {

/// What a handler may touch of a warp.
struct WarpState {
  /// Register file and pool of constants.
  uint8_t *base[2];
  /// By register: the lanes whose value is undefined, and the instruction the
  /// undefined value came from (`neverWritten` where there is none).
  uint32_t *undefined;
  uint32_t *origin;
  /// By register: among these the lanes whose lower 16 bits are defined.
  uint32_t *lowDefined;
  /// Scratch of the launch loop: index of the instruction being executed.
  uint32_t index;
};
constexpr uint32_t neverWritten = ~0u;

struct MmaShape {
  Type result, element;
  bool unsignedB;
  /// 16-byte groups of k: registers of B.
  unsigned groups;
};

/// The entry points of one instruction set.
struct LaneLibrary {
  Handler (*select)(const Inst &);
  /// d = a * b + c on fragments, each register a row of 32 words.
  void (*mma)(const MmaShape &, uint32_t *const *d, const uint32_t *const *a,
              const uint32_t *const *b, const uint32_t *const *c);
};

namespace {

/// A bf16 is its bits.
struct Bf16 {
  uint16_t bits;
};
template <class T> struct Pair {
  T low, high;
};

template <class To, class From> inline To bitsTo(From from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

inline float toFloat(float x) { return x; }
inline float toFloat(_Float16 x) { return static_cast<float>(x); }
inline float toFloat(Bf16 x) { return bitsTo<float>(uint32_t(x.bits) << 16); }
template <class T> inline T fromFloat(float x);
template <> inline float fromFloat<float>(float x) { return x; }
template <> inline _Float16 fromFloat<_Float16>(float x) {
  return static_cast<_Float16>(x);
}
/// Nearest, ties to even; a NaN stays one.
template <> inline Bf16 fromFloat<Bf16>(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return {0x7fff};
  return {uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

template <class T> struct RowOf {
  using type = uint32_t;
};
template <> struct RowOf<uint64_t> {
  using type = uint64_t;
};
template <> struct RowOf<int64_t> {
  using type = uint64_t;
};
template <> struct RowOf<double> {
  using type = uint64_t;
};
template <class T> using Row = typename RowOf<T>::type;

template <class T> inline T loadLane(const uint8_t *row, unsigned lane) {
  Row<T> word = reinterpret_cast<const Row<T> *>(row)[lane];
  if constexpr (sizeof(T) == sizeof(Row<T>)) {
    return bitsTo<T>(word);
  } else {
    uint16_t half = uint16_t(word);
    return bitsTo<T>(half);
  }
}
template <class T> inline Row<T> storeLane(T value) {
  if constexpr (sizeof(T) == sizeof(Row<T>))
    return bitsTo<Row<T>>(value);
  else
    return bitsTo<uint16_t>(value);
}

/// Marks the result undefined where a source is.
inline void spread(WarpState &warp, uint32_t reg, uint32_t mask,
                   uint32_t undefined, uint32_t origin) {
  uint32_t &to = warp.undefined[reg];
  if (undefined & mask) {
    warp.origin[reg] = origin;
    warp.lowDefined[reg] &= ~mask;
  }
  to = (to & ~mask) | (undefined & mask);
}

template <unsigned N>
inline void spreadFrom(WarpState &warp, const Inst &inst, uint32_t mask) {
  uint32_t undefined = 0, origin = neverWritten;
  for (unsigned i = 1; i <= N; ++i) {
    uint32_t here = warp.undefined[inst.ops[i].reg];
    if (here && !undefined)
      origin = warp.origin[inst.ops[i].reg];
    undefined |= here;
  }
  if (undefined | warp.undefined[inst.ops[0].reg])
    spread(warp, inst.ops[0].reg, mask, undefined, origin);
}

template <class R>
inline void commit(WarpState &warp, const Inst &inst, uint32_t mask,
                   const R *values) {
  R *to = reinterpret_cast<R *>(warp.base[0] + inst.ops[0].offset);
  if (mask == ~0u) {
    memcpy(to, values, 32 * sizeof(R));
    return;
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    to[lane] = mask >> lane & 1 ? values[lane] : to[lane];
}

inline const uint8_t *rowOf(WarpState &warp, const Operand &operand) {
  return warp.base[operand.base] + operand.offset;
}

/// Runs `fn` on every lane. It is evaluated for masked lanes too, so it must
/// be defined for every value.
template <class F, F fn> struct EachOf;
template <class R, class... A, R (*fn)(A...)> struct EachOf<R (*)(A...), fn> {
  template <unsigned... I>
  static void go(WarpState &warp, const Inst &inst, uint32_t mask,
                 std::integer_sequence<unsigned, I...>) {
    const uint8_t *rows[] = {rowOf(warp, inst.ops[I + 1])...};
    alignas(64) Row<R> values[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      values[lane] = storeLane<R>(fn(loadLane<A>(rows[I], lane)...));
    commit(warp, inst, mask, values);
    spreadFrom<sizeof...(A)>(warp, inst, mask);
  }
  static void run(WarpState &warp, const Inst &inst, uint32_t mask) {
    go(warp, inst, mask, std::make_integer_sequence<unsigned, sizeof...(A)>());
  }
};

/// The same for a function that looks at the instruction.
template <class R, class... A, R (*fn)(const Inst &, A...)>
struct EachOf<R (*)(const Inst &, A...), fn> {
  template <unsigned... I>
  static void go(WarpState &warp, const Inst &inst, uint32_t mask,
                 std::integer_sequence<unsigned, I...>) {
    const uint8_t *rows[] = {rowOf(warp, inst.ops[I + 1])...};
    alignas(64) Row<R> values[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      values[lane] = storeLane<R>(fn(inst, loadLane<A>(rows[I], lane)...));
    commit(warp, inst, mask, values);
    spreadFrom<sizeof...(A)>(warp, inst, mask);
  }
  static void run(WarpState &warp, const Inst &inst, uint32_t mask) {
    go(warp, inst, mask, std::make_integer_sequence<unsigned, sizeof...(A)>());
  }
};

template <auto fn> struct Each : EachOf<decltype(fn), fn> {};

/// Writes a mask of predicates.
inline void commitPredicate(WarpState &warp, const Operand &to, uint32_t mask,
                            uint32_t value) {
  if (to.kind != Operand::Register)
    return;
  uint32_t &word = *reinterpret_cast<uint32_t *>(warp.base[0] + to.offset);
  word = (word & ~mask) | (value & mask);
}

inline uint32_t predicate(WarpState &warp, const Operand &operand) {
  uint32_t word = *reinterpret_cast<const uint32_t *>(rowOf(warp, operand));
  return operand.negated ? ~word : word;
}

} // namespace
} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_LANES_H
