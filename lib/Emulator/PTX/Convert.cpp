//===- Convert.cpp - Conversions between the types of PTX ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion goes through a value that holds every source exactly (a 64-bit
// integer or a double), so it rounds once.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace tilepipe::ptx;

namespace tilepipe::ptx {
namespace {

/// The source as a 64-bit integer, with its sign.
void loadIntegers(WarpState &warp, const Operand &from, Type type,
                  uint64_t *to) {
  const uint8_t *row = rowOf(warp, from);
  bool wide = from.cls == Class::Dword;
  for (unsigned lane = 0; lane < 32; ++lane)
    to[lane] = wide ? reinterpret_cast<const uint64_t *>(row)[lane]
                    : reinterpret_cast<const uint32_t *>(row)[lane];
  unsigned shift = 64 - 8 * sizeOf(type);
  if (isSigned(type))
    for (unsigned lane = 0; lane < 32; ++lane)
      to[lane] = uint64_t(int64_t(to[lane] << shift) >> shift);
  else
    for (unsigned lane = 0; lane < 32; ++lane)
      to[lane] = to[lane] << shift >> shift;
}

void loadFloats(WarpState &warp, const Inst &inst, const Operand &from,
                double *to) {
  const uint8_t *row = rowOf(warp, from);
  for (unsigned lane = 0; lane < 32; ++lane)
    switch (inst.type2) {
    case Type::F16:
      to[lane] = double(toFloat(loadLane<_Float16>(row, lane)));
      break;
    case Type::BF16:
      to[lane] = double(toFloat(loadLane<Bf16>(row, lane)));
      break;
    case Type::F32:
      to[lane] = double(loadLane<float>(row, lane));
      break;
    default:
      to[lane] = loadLane<double>(row, lane);
      break;
    }
  if (inst.ftz && inst.type2 == Type::F32)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (to[lane] < double(__FLT_MIN__) && to[lane] > -double(__FLT_MIN__))
        to[lane] = __builtin_copysign(0.0, to[lane]);
}

double roundToIntegral(double x, Round round) {
  switch (round) {
  case Round::Rni:
    return __builtin_nearbyint(x);
  case Round::Rmi:
    return __builtin_floor(x);
  case Round::Rpi:
    return __builtin_ceil(x);
  case Round::None:
  case Round::Rn:
    return x;
  default:
    return __builtin_trunc(x);
  }
}

/// `near` is x rounded to nearest in a format whose neighbours differ by one
/// in their bits; moves it where a directed rounding would have gone.
template <class Bits>
Bits direct(Bits bits, Bits sign, double near, double x, Round round) {
  if (near == x || near != near)
    return bits;
  bool up = round == Round::Rp || (round == Round::Rz && x < 0);
  bool down = round == Round::Rm || (round == Round::Rz && x > 0);
  if ((up && near >= x) || (down && near <= x) || (!up && !down))
    return bits;
  bool negative = bits & sign;
  // Away from zero for a positive value going up and a negative one going down.
  return up != negative ? bits + 1 : bits - 1;
}

uint32_t floatBits(double x, const Inst &inst) {
  float near = float(x);
  uint32_t bits = direct<uint32_t>(bitsTo<uint32_t>(near), 0x80000000u,
                                   double(near), x, inst.round);
  if (inst.ftz && (bits & 0x7f800000) == 0)
    bits &= 0x80000000u;
  return bits;
}
uint32_t halfBits(double x, Round round) {
  _Float16 near = static_cast<_Float16>(x);
  return direct<uint16_t>(bitsTo<uint16_t>(near), 0x8000, double(near), x,
                          round);
}
uint32_t brainBits(double x, Round round) {
  // Through f32 rounded to odd: the second rounding is then the only one.
  float single = float(x);
  uint32_t odd = bitsTo<uint32_t>(single);
  if (single == single && double(single) != x && !(odd & 1))
    odd = direct<uint32_t>(odd, 0x80000000u, double(single), x, Round::Rz) | 1;
  uint16_t bits = fromFloat<Bf16>(bitsTo<float>(odd)).bits;
  double near = double(bitsTo<float>(uint32_t(bits) << 16));
  return direct<uint16_t>(bits, 0x8000, near, x, round);
}
/// tf32 keeps 10 bits of the fraction.
uint32_t tf32Bits(double x, Round round) {
  uint32_t bits = bitsTo<uint32_t>(float(x));
  if ((bits & 0x7f800000) == 0x7f800000)
    return bits;
  if (round == Round::Rna)
    bits += 0x1000;
  else if (round != Round::Rz)
    bits += 0xfff + ((bits >> 13) & 1);
  return bits & ~0x1fffu;
}

uint64_t toInteger(double x, const Inst &inst) {
  x = roundToIntegral(x, inst.round == Round::None ? Round::Rzi : inst.round);
  if (x != x)
    return 0;
  unsigned width = 8 * sizeOf(inst.type);
  if (isSigned(inst.type)) {
    double limit =
        width == 64 ? 9223372036854775808.0 : double(1ull << (width - 1));
    int64_t most = int64_t(~0ull >> (65 - width));
    if (x >= limit)
      return uint64_t(most);
    return x < -limit ? uint64_t(-most - 1) : uint64_t(int64_t(x));
  }
  double limit = width == 64 ? 18446744073709551616.0 : double(1ull << width);
  if (x >= limit)
    return ~0ull >> (64 - width);
  return x <= 0 ? 0 : uint64_t(x);
}

uint64_t fromDouble(double x, const Inst &inst) {
  if (inst.sat && isFloat(inst.type))
    x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (inst.relu)
    x = x > 0 ? x : 0;
  switch (inst.type) {
  case Type::F16:
    return halfBits(x, inst.round);
  case Type::BF16:
    return brainBits(x, inst.round);
  case Type::TF32:
    return tf32Bits(x, inst.round);
  case Type::F32:
    return floatBits(x, inst);
  case Type::F64:
    return bitsTo<uint64_t>(x);
  default:
    return toInteger(x, inst);
  }
}

/// Writes with the width of the result; a wider register is filled up with
/// the sign of a signed value.
void finish(WarpState &warp, const Inst &inst, uint32_t mask,
            uint64_t *values) {
  unsigned shift = 64 - 8 * sizeOf(inst.type);
  if (inst.ops[0].cls == Class::Dword) {
    for (unsigned lane = 0; lane < 32; ++lane)
      values[lane] = isSigned(inst.type)
                         ? uint64_t(int64_t(values[lane] << shift) >> shift)
                         : values[lane] << shift >> shift;
    commit(warp, inst, mask, values);
  } else {
    alignas(64) uint32_t words[32];
    bool narrowSigned = isSigned(inst.type);
    // In a 32-bit row 16-bit values are kept without a sign, 8-bit ones are
    // extended to the 16 or 32 bits of the register.
    for (unsigned lane = 0; lane < 32; ++lane)
      words[lane] = narrowSigned
                        ? uint32_t(int64_t(values[lane] << shift) >> shift)
                        : uint32_t(values[lane] << shift >> shift);
    commit(warp, inst, mask, words);
  }
  spreadFrom<1>(warp, inst, mask);
}

void integerToInteger(WarpState &warp, const Inst &inst, uint32_t mask) {
  alignas(64) uint64_t values[32];
  loadIntegers(warp, inst.ops[1], inst.type2, values);
  if (inst.sat) {
    bool from = isSigned(inst.type2), to = isSigned(inst.type);
    unsigned width = 8 * sizeOf(inst.type);
    uint64_t most = ~0ull >> (64 - width + to);
    for (uint64_t &value : values) {
      bool negative = from && int64_t(value) < 0;
      if (negative)
        value = !to ? 0
                : int64_t(value) < -int64_t(most) - 1
                    ? uint64_t(-int64_t(most) - 1)
                    : value;
      else if (value > most)
        value = most;
    }
  }
  finish(warp, inst, mask, values);
}

void integerToFloat(WarpState &warp, const Inst &inst, uint32_t mask) {
  alignas(64) uint64_t values[32];
  loadIntegers(warp, inst.ops[1], inst.type2, values);
  bool isSignedSource = isSigned(inst.type2);
  bool nearest = inst.round == Round::Rn || inst.round == Round::None;
  for (uint64_t &value : values) {
    // f32 and f64 round from the integer itself, not from a double.
    if (inst.type == Type::F32 && nearest)
      value = bitsTo<uint32_t>(isSignedSource ? float(int64_t(value))
                                              : float(value));
    else
      value = fromDouble(
          isSignedSource ? double(int64_t(value)) : double(value), inst);
  }
  finish(warp, inst, mask, values);
}

void fromFloating(WarpState &warp, const Inst &inst, uint32_t mask) {
  double values[32];
  alignas(64) uint64_t results[32];
  loadFloats(warp, inst, inst.ops[1], values);
  bool integral = isFloat(inst.type) && inst.round >= Round::Rni;
  for (unsigned lane = 0; lane < 32; ++lane) {
    double x =
        integral ? roundToIntegral(values[lane], inst.round) : values[lane];
    results[lane] = fromDouble(x, inst);
  }
  finish(warp, inst, mask, results);
}

template <class H>
void packPair(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *high = rowOf(warp, inst.ops[1]),
                *low = rowOf(warp, inst.ops[2]);
  alignas(64) uint32_t values[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    float x = loadLane<float>(high, lane), y = loadLane<float>(low, lane);
    if (inst.relu) {
      x = x > 0 ? x : 0;
      y = y > 0 ? y : 0;
    }
    values[lane] = uint32_t(bitsTo<uint16_t>(fromFloat<H>(x))) << 16 |
                   bitsTo<uint16_t>(fromFloat<H>(y));
  }
  commit(warp, inst, mask, values);
  spreadFrom<2>(warp, inst, mask);
}

template <class H>
void halfToFloat(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *row = rowOf(warp, inst.ops[1]);
  alignas(64) uint32_t values[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    values[lane] = bitsTo<uint32_t>(toFloat(loadLane<H>(row, lane)));
  commit(warp, inst, mask, values);
  spreadFrom<1>(warp, inst, mask);
}

template <class H>
void floatToHalf(WarpState &warp, const Inst &inst, uint32_t mask) {
  const uint8_t *row = rowOf(warp, inst.ops[1]);
  alignas(64) uint32_t values[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    values[lane] = bitsTo<uint16_t>(fromFloat<H>(loadLane<float>(row, lane)));
  commit(warp, inst, mask, values);
  spreadFrom<1>(warp, inst, mask);
}

} // namespace

namespace TILEPIPE_PTX_ISA {

Handler selectConversion(const Inst &inst) {
  bool nearest = inst.round == Round::Rn || inst.round == Round::None;
  if (inst.op == Op::CvtPack) {
    if (inst.type2 != Type::F32 || inst.round != Round::Rn || inst.sat)
      return nullptr;
    return inst.type == Type::F16X2 ? packPair<_Float16> : packPair<Bf16>;
  }
  bool plain = nearest && !inst.sat && !inst.relu && !inst.ftz &&
               inst.ops[0].cls == Class::Word;
  if (plain && inst.type == Type::F32 && inst.type2 == Type::F16)
    return halfToFloat<_Float16>;
  if (plain && inst.type == Type::F32 && inst.type2 == Type::BF16)
    return halfToFloat<Bf16>;
  if (plain && inst.type == Type::F16 && inst.type2 == Type::F32)
    return floatToHalf<_Float16>;
  if (plain && inst.type == Type::BF16 && inst.type2 == Type::F32)
    return floatToHalf<Bf16>;
  if (isFloat(inst.type2))
    return fromFloating;
  return isFloat(inst.type) ? integerToFloat : integerToInteger;
}

} // namespace TILEPIPE_PTX_ISA
} // namespace tilepipe::ptx
