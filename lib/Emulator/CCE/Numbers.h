//===- Numbers.h - Elements as numbers ------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_NUMBERS_H
#define TILEPIPE_LIB_EMULATOR_CCE_NUMBERS_H

#include <cstdint>
#include <cstring>

#include "tilepipe/Emulator/CCE/cce_abi.h"

namespace tilepipe::cce {

/// To nearest even, nearest away from zero, down, up, towards zero, to odd.
enum class Rounding { Even, Away, Down, Up, Zero, Odd };

/// The nearest fp16 of every bit pattern, as fp32.
const float *halfTable();
uint16_t toHalf(double value, Rounding rounding = Rounding::Even);
uint16_t toBFloat(double value, Rounding rounding = Rounding::Even);
float toFloat(double value, Rounding rounding);
/// A whole number as a double.
double toWhole(double value, Rounding rounding);

inline float fromBFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  memcpy(&value, &wide, 4);
  return value;
}

template <typename T> inline T as(const uint8_t *bytes) {
  T value;
  memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Every element type is exact in double.
inline double load(int type, const uint8_t *bytes) {
  static const float *const halves = halfTable();
  switch (type) {
  case TP_F16:
    return halves[as<uint16_t>(bytes)];
  case TP_BF16:
    return fromBFloat(as<uint16_t>(bytes));
  case TP_F32:
    return as<float>(bytes);
  case TP_S8:
    return as<int8_t>(bytes);
  case TP_S16:
    return as<int16_t>(bytes);
  case TP_U16:
    return as<uint16_t>(bytes);
  case TP_S32:
    return as<int32_t>(bytes);
  case TP_U32:
    return as<uint32_t>(bytes);
  default:
    return as<uint8_t>(bytes);
  }
}

/// Rounds to nearest even; integers wrap around.
void store(int type, uint8_t *bytes, double value);

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_NUMBERS_H
