//===- Numbers.cpp - Elements as numbers ----------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace tilepipe::cce;

const float *tilepipe::cce::halfTable() {
  static const std::vector<float> table = [] {
    std::vector<float> values(1 << 16);
    for (unsigned bits = 0; bits < values.size(); ++bits) {
      int exponent = (bits >> 10) & 31;
      double fraction = bits & 0x3ff;
      double value = exponent ? std::ldexp(1024 + fraction, exponent - 25)
                              : std::ldexp(fraction, -24);
      if (exponent == 31)
        value = fraction != 0 ? NAN : INFINITY;
      values[bits] = float(bits >> 15 ? -value : value);
    }
    return values;
  }();
  return table.data();
}

double tilepipe::cce::toWhole(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Even:
    return std::nearbyint(value);
  case Rounding::Away:
    return std::round(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Odd: {
    double whole = std::trunc(value);
    if (whole != value && std::fmod(whole, 2) == 0)
      whole += value < 0 ? -1 : 1;
    return whole;
  }
  }
  return value;
}

/// A binary floating format of `fraction` bits and `least`/`most` exponents.
static uint16_t encode(double value, Rounding rounding, int fraction, int least,
                       int most) {
  int bias = 1 - least;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinite = uint16_t((most + bias + 1) << fraction);
  if (std::isnan(value))
    return uint16_t(sign | infinite | 1 << (fraction - 1));
  if (std::isinf(value))
    return sign | infinite;
  if (value == 0)
    return sign;
  int exponent = std::max(std::ilogb(value), least);
  double units = toWhole(std::ldexp(value, fraction - exponent), rounding);
  uint64_t magnitude = uint64_t(std::fabs(units));
  if (magnitude >> (fraction + 1)) {
    magnitude >>= 1;
    ++exponent;
  }
  if (exponent > most) {
    bool inwards = rounding == Rounding::Zero || rounding == Rounding::Odd ||
                   (rounding == Rounding::Down && !sign) ||
                   (rounding == Rounding::Up && sign);
    return uint16_t(sign | (inwards ? infinite - 1 : infinite));
  }
  uint64_t hidden = 1ull << fraction;
  if (magnitude < hidden)
    return uint16_t(sign | magnitude);
  return uint16_t(sign | uint64_t(exponent + bias) << fraction |
                  (magnitude - hidden));
}

uint16_t tilepipe::cce::toHalf(double value, Rounding rounding) {
  return encode(value, rounding, 10, -14, 15);
}

uint16_t tilepipe::cce::toBFloat(double value, Rounding rounding) {
  return encode(value, rounding, 7, -126, 127);
}

float tilepipe::cce::toFloat(double value, Rounding rounding) {
  float nearest = float(value);
  bool above = nearest > value, below = nearest < value;
  bool down =
      rounding == Rounding::Down || (rounding == Rounding::Zero && value > 0);
  bool up =
      rounding == Rounding::Up || (rounding == Rounding::Zero && value < 0);
  if ((above && down) || (below && up))
    return std::nextafter(nearest, down ? -INFINITY : INFINITY);
  return nearest;
}

void tilepipe::cce::store(int type, uint8_t *bytes, double value) {
  auto put = [&](auto element) { memcpy(bytes, &element, sizeof(element)); };
  switch (type) {
  case TP_F16:
    return put(toHalf(value));
  case TP_BF16:
    return put(toBFloat(value));
  case TP_F32:
    return put(float(value));
  default:
    break;
  }
  int64_t whole =
      std::isfinite(value) && std::fabs(value) < 9e18 ? int64_t(value) : 0;
  switch (type) {
  case TP_S16:
  case TP_U16:
    return put(uint16_t(whole));
  case TP_S32:
  case TP_U32:
    return put(uint32_t(whole));
  default:
    return put(uint8_t(whole));
  }
}

/// Scalar code that converts to bf16 calls this; compiler run-time libraries
/// have it since GCC 13 only.
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float value) {
  uint16_t bits = toBFloat(value);
  __bf16 result;
  memcpy(&result, &bits, 2);
  return result;
}
